"""An OpenID Connect provider on loopback that signs real tokens, and lies where it is told to."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwk, jwt

CLIENT, SECRET = "monitor", "a secret of the client"


class Provider:
    """Everybody who asks is signed in as `person`, at once."""

    def __init__(self):
        self.key = jwk.RSAKey.generate_key(2048, {"kid": "first"})
        self.person = {"sub": "u-1", "preferred_username": "ada", "groups": ["staff", "reviewers"]}
        self.said, self.ways, self.other_keys = {}, None, []
        self.lies, self.signed_by, self.header, self.codes = {}, None, {"alg": "RS256", "kid": "first"}, {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)

    def token(self, nonce):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce}
        claims = {name: one for name, one in (claims | self.person | self.lies).items() if one is not None}
        if self.header["alg"] == "none":
            parts = (json.dumps({"alg": "none"}), json.dumps(claims))
            return ".".join(base64.urlsafe_b64encode(one.encode()).rstrip(b"=").decode() for one in parts) + "."
        return jwt.encode(self.header, claims, self.signed_by or self.key, algorithms=[self.header["alg"]])

    def answer(self, method, path, query, form, authorization):
        if path in self.said:
            return self.said[path]
        if path == "/.well-known/openid-configuration":
            ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
            ways = {} if self.ways is None else {"token_endpoint_auth_methods_supported": self.ways}
            return 200, {"issuer": self.issuer} | {name: f"{self.issuer}/{end}" for name, end in ends.items()} | ways
        if path == "/jwks":
            return 200, {"keys": [*self.other_keys, self.key.as_dict(private=False)]}
        if path == "/authorize":
            code = secrets.token_urlsafe(8)
            self.codes[code] = query
            back = urlencode({"code": code, "state": query["state"], "iss": self.issuer})
            return 302, f"{query['redirect_uri']}?{back}"
        asked = self.codes.pop(form.get("code", ""), None)
        known = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if self.ways == ["client_secret_post"] and (form.get("client_id"), form.get("client_secret")) == (
            CLIENT,
            SECRET,
        ):
            known = None
        if asked is None or authorization != known or challenge.decode().rstrip("=") != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.token(asked["nonce"])}

    def _handler(self):
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                query, form = ({name: one[0] for name, one in parse_qs(text).items()} for text in (parts.query, body))
                status, said = provider.answer(self.command, parts.path, query, form, self.headers.get("Authorization"))
                text = said if isinstance(said, bytes) else b"" if status == 302 else json.dumps(said).encode()
                self.send_response(status)
                self.send_header(
                    "Location" if status == 302 else "Content-Type", said if status == 302 else "application/json"
                )
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *arguments):
                pass

        return Handler
