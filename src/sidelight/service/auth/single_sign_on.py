"""Signing in through an OpenID Connect provider: authorization code with PKCE, and ID tokens that are verified here.

References: OpenID Connect Core 1.0, sections 3.1.2 and 3.1.3.7; RFC 7636 (PKCE); RFC 9207 (the parameter `iss`).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from sidelight.errors import SidelightError
from sidelight.service.options import is_loopback_host
from sidelight.service.problems import Problem, unavailable_problem

PROVES = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Signatures that only the provider can make; "none" and secrets shared with clients are not among them."""
SECONDS = 600
"""Seconds that somebody may take to sign in at the provider."""
_FRESH = 3600.0
_LEEWAY = 60
_LARGEST = 1_000_000
_LONGEST_SUBJECT = 255
_BASIC, _POST = "client_secret_basic", "client_secret_post"
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_AT_ONCE = 8
_PAUSE = 5.0
"""Seconds for which a provider that failed is not asked again."""


@dataclass(frozen=True, kw_only=True)
class SignInProvider:
    """A provider, and what its groups may do here."""

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    groups: Mapping[str, tuple[str, ...]]
    """Scopes by group."""
    claim: str = "groups"
    """The claim of the ID token that lists groups."""

    def __post_init__(self) -> None:
        if not _is_safe_for_sign_in(self.issuer):
            raise SidelightError(f"--oidc-issuer {self.issuer} is not an address like https://login.example.org")

    def scopes(self, claims: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the scopes of somebody with these claims; refuse them if they have none."""
        named = claims.get(self.claim)
        member = {one for one in (named if isinstance(named, list) else [named]) if isinstance(one, str)}
        found = {scope for group in member & self.groups.keys() for scope in self.groups[group]}
        if not found:
            raise Problem("forbidden", "your account is in no group that may use this service: ask an administrator")
        return tuple(sorted(found))


class SignInTicket(NamedTuple):
    """What a browser keeps in a cookie while somebody signs in at the provider."""

    state: str
    nonce: str
    verifier: str
    next: str

    @classmethod
    def new(cls, target: str) -> SignInTicket:
        """Return a ticket for somebody who wants to see a page afterwards."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        return cls(state, nonce, verifier, target)

    @classmethod
    def read(cls, cookie: str | None, state: str) -> SignInTicket:
        """Return the ticket of this browser, if it belongs to this state."""
        try:
            ticket = cls(*json.loads(base64.urlsafe_b64decode(cookie or "")))
            good = all(isinstance(one, str) for one in ticket)
            good = good and hmac.compare_digest(ticket.state.encode(), state.encode())
        except (ValueError, TypeError, RecursionError):
            good = False
        if not good:
            raise Problem("forbidden", "this browser did not ask to sign in, or took too long: try again")
        return ticket

    @property
    def cookie(self) -> str:
        """The text of the cookie."""
        return base64.urlsafe_b64encode(json.dumps(self).encode()).decode()


class SingleSignOn:
    """Talks to a provider; its description and keys are read when they are first needed, and kept for an hour."""

    def __init__(self, provider: SignInProvider) -> None:
        self.provider = provider
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._read_at, self._description = -_FRESH, dict[str, Any]()
        self._keys: Any = {}
        self._failure, self._failed_at = "", -_PAUSE

    def address(self, ticket: SignInTicket, callback: str) -> str:
        """Return where a browser goes to sign in."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(ticket.verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self.provider.client_id,
            "redirect_uri": callback,
            "scope": "openid profile email",
            "state": ticket.state,
            "nonce": ticket.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        with self._await_provider_turn():
            start = self._provider_description()["authorization_endpoint"]
        return f"{start}{'&' if '?' in start else '?'}{urlencode(asked)}"

    def claims(self, ticket: SignInTicket, code: str, issuer: str | None, callback: str) -> dict[str, Any]:
        """Exchange a code for an ID token, and return its claims once they are verified."""
        if issuer is not None and issuer != self.provider.issuer:
            raise _sign_in_refusal("it comes from another provider")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "code_verifier": ticket.verifier,
        }
        with self._await_provider_turn():
            description = self._provider_description()
            ways = description.get("token_endpoint_auth_methods_supported", _BASIC)
            basic = _BASIC in ways or _POST not in ways
            known = {"client_id": self.provider.client_id, "client_secret": self.provider.secret}
            login = {"auth": tuple(known.values())} if basic else {}
            reply = _request_json_of_provider(
                "POST", description["token_endpoint"], data=form if basic else form | known, **login
            )
            return self._verify_id_token(str(reply.get("id_token", "")), ticket.nonce)

    def _verify_id_token(self, token: str, nonce: str) -> dict[str, Any]:
        from joserfc import jwk, jwt
        from joserfc.errors import JoseError

        expected = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY,
            iss={"essential": True, "value": self.provider.issuer},
            aud={"essential": True, "value": self.provider.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        for fresh in (False, True):  # a provider that changed its keys is asked once more
            try:
                keys = jwk.KeySet(list(_known_signing_keys(self._signing_keys(fresh))))
                claims: dict[str, Any] = jwt.decode(token, keys, algorithms=PROVES).claims
                break
            except (JoseError, ValueError, KeyError, TypeError) as error:
                if fresh:
                    raise _sign_in_refusal(f"its signature cannot be verified ({type(error).__name__})") from None
        try:
            expected.validate(claims)
        except JoseError as error:
            raise _sign_in_refusal(str(error)) from None
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self.provider.client_id:
            raise _sign_in_refusal("it is for several programs, and not issued to this one")
        subject = claims["sub"]
        clear = isinstance(subject, str) and bool(subject.strip()) and subject.isprintable()
        if not clear or len(subject) > _LONGEST_SUBJECT:
            raise _sign_in_refusal("it does not say who you are")
        return claims

    @contextlib.contextmanager
    def _await_provider_turn(self) -> Iterator[None]:
        """Refuse a sign-in while many wait for the provider: a slow provider must not hold up all other pages."""
        if not self._places.acquire(blocking=False):
            raise unavailable_problem("too many people are signing in: try again in a few seconds", 5)
        try:
            yield
        finally:
            self._places.release()

    def _provider_description(self) -> dict[str, Any]:
        with self._lock:
            if time.monotonic() - self._failed_at < _PAUSE:
                raise unavailable_problem(self._failure, _PAUSE)  # those who waited for the lock do not try one by one
            if time.monotonic() - self._read_at >= _FRESH:
                try:
                    self._description, self._keys = self._read_provider_description()
                except Problem as problem:
                    self._failure, self._failed_at = problem.detail, time.monotonic()
                    raise
                self._read_at = time.monotonic()
            return self._description

    def _read_provider_description(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the description of the provider, and its keys."""
        found = _request_json_of_provider("GET", f"{self.provider.issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self.provider.issuer:
            raise unavailable_problem("the provider calls itself by another name than --oidc-issuer", 60)
        unsafe = [name for name in _ENDPOINTS if not _is_safe_for_sign_in(found.get(name))]
        if unsafe:
            raise unavailable_problem(f"the provider names no https address as its {unsafe[0]}", 60)
        return found, _request_json_of_provider("GET", found["jwks_uri"])

    def _signing_keys(self, fresh: bool) -> Any:
        description = self._provider_description()
        with self._lock:
            if fresh:
                self._keys = _request_json_of_provider("GET", description["jwks_uri"])
            return self._keys


def _request_json_of_provider(method: str, url: str, **more: Any) -> dict[str, Any]:
    """Return the JSON object that the provider answers with."""
    import httpx

    try:
        with httpx.Client(timeout=10.0, follow_redirects=False) as client:
            reply = client.request(method, url, headers={"Accept": "application/json"}, **more)
        found = reply.json() if reply.is_success and len(reply.content) <= _LARGEST else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise unavailable_problem(f"the provider cannot be reached ({type(error).__name__}): try again", 5) from None
    if method == "POST" and reply.status_code in (400, 401, 403):
        raise _sign_in_refusal("the provider does not accept the code, which works only once, or the client secret")
    if not isinstance(found, dict):
        raise unavailable_problem(
            f"the provider answers in an unexpected way (status {reply.status_code}): try again", 5
        )
    return found


def _known_signing_keys(found: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the keys of a set whose kind is known here; a provider may have others, too."""
    from joserfc import jwk
    from joserfc.errors import JoseError

    for one in (one for one in found["keys"] if isinstance(one, dict)):
        with contextlib.suppress(JoseError, ValueError, KeyError, TypeError):
            yield jwk.import_key(one)


def _sign_in_refusal(why: str) -> Problem:
    return Problem("forbidden", f"the sign-in is not accepted: {why}")


def _is_safe_for_sign_in(url: Any) -> bool:
    """Say whether secrets may be sent to an address: over TLS, or to this machine."""
    try:
        parts = urlsplit(url if isinstance(url, str) else "")
    except ValueError:
        return False
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback_host(host)))
