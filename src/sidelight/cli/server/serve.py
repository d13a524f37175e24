"""`sidelight serve`: the monitor over HTTP, with a queue for reviewers."""

from __future__ import annotations

import functools
import logging
import math
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from sidelight.cli.numbers import WHOLE
from sidelight.cli.server.database import DATABASE, require_serve_extra

_PORT = 8765
_NO_PROXY = (
    "--trusted-proxy {} is not an address like 192.0.2.1 or a network like 192.0.2.0/24: only these can be told from "
    "clients, who may send the same headers"
)


def _serve_option(flag: str, *name: str, **described: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an option that an environment variable sets, too: --rate-limit is SIDELIGHT_RATE_LIMIT."""
    variable = f"SIDELIGHT_{flag.strip('-').replace('-', '_').upper()}"
    return click.option(flag, *name, envvar=variable, **described)


@click.command(
    "serve",
    epilog="""\b
Examples:
  sidelight serve --demo
  sidelight serve
  sidelight serve --database postgresql://db/monitor \\
      --url https://monitor.example.org
""",
)
@DATABASE
@_serve_option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Listen on this address.")
@_serve_option(
    "--port",
    type=WHOLE,
    default=_PORT,
    show_default=True,
    metavar="PORT",
    help="Listen on this port; 0 picks a free one.",
)
@_serve_option(
    "--url",
    metavar="URL",
    help="The address that users see, https://... behind a proxy with TLS. Links start with it; with https, cookies "
    "are sent over TLS only.",
)
@_serve_option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Also answer requests that ask for this host; repeatable. This machine's loopback names and the host of "
    "--url are always allowed.",
)
@_serve_option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Trust the forwarded headers of the proxy at this address or in this network; repeatable.",
)
@_serve_option(
    "--rate-limit",
    "rate",
    type=click.FloatRange(min=0.1),
    default=1000.0,
    show_default=True,
    metavar="N",
    help="Requests per second that each key may send to each process.",
)
@_serve_option(
    "--grace",
    type=click.FloatRange(min=1.0),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="How long requests in progress may take after the signal to stop.",
)
@_serve_option(
    "--log-level",
    "log",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="warning",
    show_default=True,
    metavar="LEVEL",
    help="Log as JSON on stderr: debug, info (a line for each request), warning or error.",
)
@_serve_option("--oidc-issuer", metavar="URL", help="Let people sign in through this OpenID Connect provider.")
@_serve_option("--oidc-client-id", metavar="ID", help="The name of this service at the provider.")
@_serve_option("--oidc-secret-file", metavar="FILE", help="A file with the client secret from the provider.")
@_serve_option(
    "--oidc-group",
    "oidc_groups",
    multiple=True,
    metavar="GROUP=SCOPES",
    help="What a group of the provider may do, as in reviewers=answer,report; repeatable. Others are refused.",
)
@_serve_option(
    "--oidc-claim",
    default="groups",
    show_default=True,
    metavar="NAME",
    help="The claim of ID tokens that lists groups.",
)
@_serve_option(
    "--webhook-allow",
    multiple=True,
    metavar="NETWORK",
    help="Let webhooks go to this internal network, as in 10.0.0.0/8, even over http; repeatable. Otherwise they go to "
    "the public Internet only.",
)
@_serve_option(
    "--webhook-proxy",
    metavar="URL",
    help="Send webhooks to the public Internet through this proxy, as in http://proxy.example.org:3128.",
)
@_serve_option("--no-passwords", is_flag=True, help="Let people sign in through the provider only.")
@_serve_option(
    "--demo",
    is_flag=True,
    help="Serve made-up classifiers and reviewers to look around; nothing is kept.",
)
@click.pass_context
def serve_command(
    context: click.Context,
    /,
    database: str,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    grace: float,
    log: str,
    no_passwords: bool,
    demo: bool,
    **options: Any,
) -> None:
    """Serve monitors over HTTP: durable decisions, a queue for reviewers, reports in the browser.

    Everything is kept in one SQLite file, which is created at the first start, or in a PostgreSQL database. The first
    start prints a link to sign in with. Programs need keys; create them with 'sidelight admin key create'. Ctrl-C
    stops the server after it has answered the requests it accepted.

    Every option can be set by a variable of the environment, too: --rate-limit by SIDELIGHT_RATE_LIMIT, for example.
    """
    require_serve_extra()
    from sidelight.service.http.logs import write_json_access_logs
    from sidelight.service.server.run import bind_server_socket, make_server_options, read_trusted_networks, run_server

    if demo and context.get_parameter_source("database") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("the demonstration uses its own database: leave out --database")
    settings = make_server_options(hosts=(host, *hosts), local_passwords=not no_passwords, **options)
    if not math.isfinite(grace):
        raise click.UsageError("--grace must be a finite number")
    read_trusted_networks(proxies, _NO_PROXY)
    serving = {"grace": grace, "proxies": ",".join(proxies)}
    write_json_access_logs(logging.getLevelNamesMapping()[log.upper()])
    with bind_server_socket(host, port) as listener:
        if demo:
            from sidelight.service.demo import run_demo

            click.echo("Making up a day of predictions and reviews ...")
            run_demo(settings, listener, partial(_say_demo_of_serve_command, host), **serving)
        else:
            run_server(
                database, settings, listener, partial(_say_next_steps_of_serve_command, database, host), **serving
            )


def _serve_even_if_nobody_reads(say: Callable[..., None]) -> Callable[..., None]:
    """Keep the server running if nobody reads its output any more, as in `sidelight serve | head -1`."""

    @functools.wraps(say)
    def say_or_drop_serve_output(*arguments: Any) -> None:
        try:
            say(*arguments)
        except OSError:  # what is left in the buffer must not fail at the end, either
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    return say_or_drop_serve_output


@_serve_even_if_nobody_reads
def _say_demo_of_serve_command(host: str, address: str, password: str) -> None:
    """Print where to find the demonstration."""
    click.echo(f"sidelight serves a demonstration at {address}  (Ctrl-C stops and deletes it)")
    click.echo(f"Sign in as demo with the password {password}")
    _warn_serve_without_tls(host, address)


@_serve_even_if_nobody_reads
def _say_next_steps_of_serve_command(database: str, host: str, address: str, link: str | None) -> None:
    """Print what to do next after the server has started."""
    click.echo(f"sidelight serves {_database_without_password_for_serve(database)} at {address}  (Ctrl-C stops it)")
    if link is not None:
        click.echo(f"There is no administrator yet. Open this link within 15 minutes to become one:\n  {link}")
    _warn_serve_without_tls(host, address)


def _warn_serve_without_tls(host: str, address: str) -> None:
    from sidelight.service.options import is_loopback_host

    if not is_loopback_host(host) and address.startswith("http://"):
        click.echo(
            "sidelight: note: without TLS, others on the network can read keys and passwords: put a proxy with TLS in "
            "front and give --url https://...",
            err=True,
        )


def _database_without_password_for_serve(database: str) -> str:
    if "://" not in database:
        return database
    scheme, _, rest = database.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
