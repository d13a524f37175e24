"""HTML from templates, with the headers that every page has."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from sidelight.service.web.charts import draw_budget_meter, draw_interval_strip, page_percent
from sidelight.text import count, thousands

STATIC = {"sidelight.css": "text/css", "sidelight.js": "text/javascript", "icon.svg": "image/svg+xml"}
_LOGO = Markup(
    '<svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor" opacity=".16"'
    '/><path d="M6 17.5v-11l12 3.4v4.2z" fill="currentColor"/></svg>'
)
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0


def format_age_on_page(seconds: float) -> str:
    """Return a duration in its largest unit."""
    seconds = max(0.0, seconds)
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def format_time_attribute_on_page(seconds: float) -> str:
    """Return a time for programs."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def format_minute_on_page(seconds: float) -> str:
    """Return a time for people, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def format_rate_on_page(estimate: float | None, interval: tuple[float, float]) -> str:
    """Return an error rate with its interval."""
    return f"{page_percent(estimate)} ({page_percent(interval[0])} to {page_percent(interval[1])})"


@cache
def template_environment_of_pages() -> Environment:
    """Return the templates; all values in them are escaped."""
    found = Environment(
        loader=PackageLoader("sidelight.service.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "age": format_age_on_page,
        "counted": lambda value, noun: count(value, noun).replace(str(value), thousands(value), 1),
        "grouped": thousands,
        "iso": format_time_attribute_on_page,
        "minute": format_minute_on_page,
        "percent": page_percent,
    }
    found.globals |= {
        "asset": address_of_static_page_file,
        "logo": lambda: _LOGO,
        "rate": format_rate_on_page,
        "strip": draw_interval_strip,
        "meter": draw_budget_meter,
    }
    return found


@cache
def read_static_page_file(name: str) -> bytes:
    """Return a file that pages load."""
    return resources.files("sidelight.service.web").joinpath("static", name).read_bytes()


@cache
def address_of_static_page_file(name: str) -> str:
    """Return the address of a file that pages load; it changes with the file, so browsers may cache it."""
    return f"/static/{hashlib.sha256(read_static_page_file(name)).hexdigest()[:12]}/{name}"


def page_address(path: str, **query: object) -> str:
    """Return an address on this server, without parameters that are None or empty; `class_` is written "class"."""
    asked = {name.rstrip("_"): str(value) for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(asked)}" if asked else path


def render_page(
    template: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
    image_hosts: Iterable[str] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a page, with its tag if it has one. It may load only this server's files, and images from these hosts."""
    nonce = secrets.token_urlsafe(16)
    defaults = {"who": None, "monitor": None, "tab": None, "notice": None, "poll": None, "etag": ""}
    etag = {"ETag": context["etag"]} if context.get("etag") else {}
    html = template_environment_of_pages().get_template(template).render(defaults | dict(context) | {"nonce": nonce})
    return HTMLResponse(html, status, page_headers(nonce, image_hosts) | etag | dict(headers or {}))


def page_headers(nonce: str, image_hosts: Iterable[str] = ()) -> dict[str, str]:
    """Return the headers of a page."""
    images = " ".join(["'self'", *(f"https://{host}" for host in image_hosts)])
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src {images};"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        # With "no-referrer", browsers send "Origin: null" with forms, and their origin could not be checked.
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
    }
