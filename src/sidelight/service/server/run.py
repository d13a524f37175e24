"""`sidelight serve`: run a server in this process, on a socket that is bound first, so that mistakes show at once."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import ipaddress
import math
import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sidelight.errors import SidelightError
from sidelight.service.auth import reviewers, sessions
from sidelight.service.auth.keys import check_scopes_of_key
from sidelight.service.auth.single_sign_on import SignInProvider
from sidelight.service.domain.service import Service
from sidelight.service.options import Egress, Network, Options
from sidelight.service.problems import Problem
from sidelight.service.server.app import make_app
from sidelight.service.server.commands import announce_server_to_commands
from sidelight.service.server.uvicorn_server import serve_with_uvicorn
from sidelight.service.store import open_storage

_BACKLOG = 2048


def bind_server_socket(host: str, port: int) -> socket.socket:
    """Return a bound socket, or raise an error that says why not."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if not 0 <= port <= 65_535:
        raise SidelightError(f"{port} is not a port: give one from 1 to 65535, or 0 for any free one")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (socket.gaierror, UnicodeError):
        raise SidelightError(f"{host!r} is not an address of this machine: try --host 127.0.0.1") from None
    except OSError as error:
        raise SidelightError(_refusal_to_listen(error, where)) from None
    # Accepted connections inherit this; without it, replies on a connection that stays open wait 40 ms for an
    # acknowledgement. (asyncio sets it only on sockets that were made with an explicit protocol.)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _refusal_to_listen(error: OSError, where: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use, perhaps by another server: stop that one, or give another --port"
    if error.errno == errno.EACCES:
        return f"you may not listen on {where}: give a --port above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{where} is not an address of this machine: try --host 127.0.0.1"
    return f"cannot listen on {where}: {error.strerror or error}"


def address_of_socket(listener: socket.socket) -> str:
    """Return the address of a server on this socket for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


_ANYWHERE = ("0.0.0.0", "::", "")


def make_server_options(
    *,
    url: str | None = None,
    hosts: tuple[str, ...] = (),
    rate: float = 1000.0,
    local_passwords: bool = True,
    webhook_allow: tuple[str, ...] = (),
    webhook_proxy: str | None = None,
    **oidc: Any,
) -> Options:
    """Convert the options of `sidelight serve` to those of a service; refuse impossible combinations."""
    if not _is_server_address(url or "http://localhost", ("http", "https")):
        raise SidelightError(f"--url {url} is not an address like https://monitor.example.org")
    if not math.isfinite(rate):
        raise SidelightError("--rate-limit must be a finite number")
    if not _is_server_address(webhook_proxy or "http://proxy", ("http",), user=True):
        raise SidelightError("--webhook-proxy is not an address like http://proxy.example.org:3128")
    allow = read_trusted_networks(
        webhook_allow, "--webhook-allow {} is not a network like 10.0.0.0/8 or an address like 10.1.2.3"
    )
    named = (f"[{host}]" if ":" in host else host for host in hosts if host not in _ANYWHERE)
    return Options(
        url=url,
        hosts=(*Options().hosts, *named),
        requests_per_second=rate,
        provider=_read_sign_in_provider_option(local_passwords, **oidc),
        local_passwords=local_passwords,
        egress=Egress(allow, webhook_proxy),
    )


def read_trusted_networks(given: Iterable[str], refusal: str) -> tuple[Network, ...]:
    """Return networks or single addresses, or refuse one in the given words."""
    found = []
    for text in given:
        try:
            found.append(ipaddress.ip_network(text.strip()))
        except ValueError:
            raise SidelightError(refusal.format(text)) from None
    return tuple(found)


def _is_server_address(url: str, schemes: tuple[str, ...], user: bool = False) -> bool:
    """Say whether this is the address of a server, without a path; a `user` may be in it."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return good and not (parts.path.strip("/") or parts.query or parts.fragment) and (user or parts.username is None)


def _read_sign_in_provider_option(
    local_passwords: bool,
    oidc_issuer: str | None = None,
    oidc_client_id: str | None = None,
    oidc_secret_file: str | None = None,
    oidc_groups: tuple[str, ...] = (),
    oidc_claim: str = "groups",
) -> SignInProvider | None:
    """Return where people may sign in without a password of this service, if anywhere."""
    wanted = (oidc_issuer, oidc_client_id, oidc_secret_file)
    if not any(wanted) and not oidc_groups:
        if not local_passwords:
            raise SidelightError("--no-passwords needs a provider to sign in with: give --oidc-issuer, too")
        return None
    if None in wanted or not oidc_groups:
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
    groups = dict(map(_read_provider_group_option, oidc_groups))
    return SignInProvider(issuer=issuer, client_id=client_id, secret=secret, groups=groups, claim=oidc_claim)


def _read_provider_group_option(text: str) -> tuple[str, tuple[str, ...]]:
    """Read the scopes and monitors of a group."""
    name, separator, scopes = text.rpartition("=")
    try:
        found = check_scopes_of_key(scopes.split(","))
    except Problem as problem:
        raise SidelightError(f"--oidc-group {text}: {problem.detail}") from None
    if not separator or not name:
        raise SidelightError(f"--oidc-group {text} is not like reviewers=answer,report")
    return name, tuple(found)


@contextlib.contextmanager
def open_service_to_serve(database: str, options: Options) -> Iterator[Service]:
    """Yield the service on a database; it is closed afterwards."""
    service = Service(open_storage(database), options=options)
    try:
        yield service
    finally:
        service.close()


def run_server(
    database: str, options: Options, listener: socket.socket, say: Callable[[str, str | None], object], **serving: Any
) -> None:
    """Serve until told to stop; `serving` is for `serve`.

    `say(address, link)` is called once the server is ready, with the link for the first administrator if there is none
    yet.
    """
    base = (options.url or address_of_socket(listener)).rstrip("/")
    with (
        open_service_to_serve(database, options) as service,
        announce_server_to_commands(database, address_of_socket(listener)) as key,
    ):
        app = make_app(service, command_key=key)
        code = service.do(sessions.make_administrator_link()) if options.local_passwords else None
        if not options.local_passwords:
            service.do(sessions.end_password_sessions())
        link = None if code is None else reviewers.address_of_password_link(base, code)
        serve_with_uvicorn(app, listener, ready=lambda: say(base, link), **serving)
