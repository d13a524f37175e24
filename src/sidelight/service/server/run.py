"""`sidelight serve`: run a server in this process."""

from __future__ import annotations

import contextlib
import importlib.util
import ipaddress
import logging
import math
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sidelight.errors import SidelightError
from sidelight.service.auth import links, sessions
from sidelight.service.auth.keys import check_scopes
from sidelight.service.auth.single_sign_on import Provider
from sidelight.service.domain.service import Service
from sidelight.service.http.logs import write_json_logs
from sidelight.service.limits import GRACE
from sidelight.service.options import Egress, Options
from sidelight.service.problems import Problem
from sidelight.service.server.app import make_app
from sidelight.service.server.commands import announced_server
from sidelight.service.server.listener import address_of
from sidelight.service.server.uvicorn_server import serve
from sidelight.service.store import open_storage

_ANYWHERE = ("0.0.0.0", "::", "")


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """The options of `sidelight serve`."""

    database: str
    url: str | None = None
    hosts: tuple[str, ...] = ()
    """Host names that requests may use, in addition to those of this machine and of `url`."""
    rate: float = 1000.0
    grace: float = GRACE
    proxies: str = ""
    log: str = "warning"
    oidc_issuer: str | None = None
    oidc_client_id: str | None = None
    oidc_secret_file: str | None = None
    oidc_groups: tuple[str, ...] = ()
    """What groups may do: "group=scope,scope"."""
    oidc_claim: str = "groups"
    local_passwords: bool = True
    webhook_allow: tuple[str, ...] = ()
    """Internal networks that webhooks may go to."""
    webhook_proxy: str | None = None

    def check(self) -> None:
        """Refuse options that cannot work, before anything is opened."""
        try:
            parts = urlsplit(self.url or "http://localhost")
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            good = False
        if not good or parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None:
            raise SidelightError(f"--url {self.url} is not an address like https://monitor.example.org")
        if not math.isfinite(self.rate) or not math.isfinite(self.grace):
            raise SidelightError("--rate-limit and --grace must be finite numbers")
        self.provider()
        self.egress()
        for proxy in filter(None, self.proxies.split(",")):
            try:
                ipaddress.ip_network(proxy.strip())
            except ValueError:
                raise SidelightError(
                    f"--trusted-proxy {proxy} is not an address like 192.0.2.1 or a network like 192.0.2.0/24: only "
                    "these can be told from clients, who may send the same headers"
                ) from None

    def service_options(self) -> Options:
        """Return the options of the service."""
        named = (f"[{host}]" if ":" in host else host for host in self.hosts if host not in _ANYWHERE)
        return Options(
            url=self.url,
            hosts=(*Options().hosts, *named),
            requests_per_second=self.rate,
            provider=self.provider(),
            local_passwords=self.local_passwords,
            egress=self.egress(),
        )

    def egress(self) -> Egress:
        """Return how webhooks leave."""
        networks = []
        for text in self.webhook_allow:
            try:
                networks.append(ipaddress.ip_network(text.strip()))
            except ValueError:
                raise SidelightError(
                    f"--webhook-allow {text} is not a network like 10.0.0.0/8 or an address like 10.1.2.3"
                ) from None
        try:
            parts = urlsplit(self.webhook_proxy or "http://proxy")
            good = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0 and parts.path in ("", "/")
        except ValueError:
            good = False
        if not good or parts.query or parts.fragment:
            raise SidelightError("--webhook-proxy is not an address like http://proxy.example.org:3128")
        return Egress(tuple(networks), self.webhook_proxy)

    def provider(self) -> Provider | None:
        """Return where people may sign in without a password of this service, if anywhere."""
        wanted = (self.oidc_issuer, self.oidc_client_id, self.oidc_secret_file)
        if not any(wanted) and not self.oidc_groups:
            if not self.local_passwords:
                raise SidelightError("--no-passwords needs a provider to sign in with: give --oidc-issuer, too")
            return None
        if None in wanted or not self.oidc_groups:
            raise SidelightError(
                "single sign-on needs --oidc-issuer, --oidc-client-id, --oidc-secret-file and at least one --oidc-group"
            )
        missing = [name for name in ("httpx", "joserfc") if importlib.util.find_spec(name) is None]
        if missing:
            raise SidelightError(f"single sign-on needs {' and '.join(missing)} (not installed): install the extra sso")
        issuer, client_id, path = (str(one) for one in wanted)
        try:
            secret = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SidelightError(f"--oidc-secret-file {path} cannot be read: {error}") from None
        if not secret:
            raise SidelightError(f"--oidc-secret-file {path} is empty: write the client secret into it")
        groups = dict(map(_group, self.oidc_groups))
        return Provider(issuer=issuer, client_id=client_id, secret=secret, groups=groups, claim=self.oidc_claim)


def _group(text: str) -> tuple[str, tuple[str, ...]]:
    """Read what a group may do."""
    name, separator, scopes = text.rpartition("=")
    try:
        found = check_scopes(scopes.split(","))
    except Problem as problem:
        raise SidelightError(f"--oidc-group {text}: {problem.detail}") from None
    if not separator or not name:
        raise SidelightError(f"--oidc-group {text} is not like reviewers=answer,report")
    return name, tuple(found)


@contextlib.contextmanager
def opened_service(options: ServeOptions) -> Iterator[Service]:
    """Yield the service on the database in these options; it is closed afterwards."""
    service = Service(open_storage(options.database), options=options.service_options())
    try:
        yield service
    finally:
        service.close()


def run_server(options: ServeOptions, listener: socket.socket, say: Callable[[str, str | None], object]) -> None:
    """Serve until told to stop.

    `say(address, link)` is called once the server is ready, with the link for the first administrator if there is none
    yet.
    """
    options.check()
    base = (options.url or address_of(listener)).rstrip("/")
    write_json_logs(logging.getLevelNamesMapping()[options.log.upper()])
    with opened_service(options) as service, announced_server(options.database, address_of(listener)) as key:
        app = make_app(service, command_key=key)
        link = first_link(service, base) if options.local_passwords else None
        if not options.local_passwords:
            service.do(sessions.end_password_sessions())
        serve(app, listener, grace=options.grace, proxies=options.proxies, ready=lambda: say(base, link))


def first_link(service: Service, base: str) -> str | None:
    """Return the sign-in link for the first administrator, or None if there is an administrator."""
    code = service.do(sessions.make_first_link())
    return None if code is None else links.link_address(base, code)
