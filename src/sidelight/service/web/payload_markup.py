"""Payloads as markup for reviewers: text stays text, and nothing in a payload is ever interpreted."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from sidelight.service.domain import payloads
from sidelight.service.settings import ReviewSettings
from sidelight.service.store.base import Reader

_MOST_FACTS = 24
_HOST = re.compile(r"[a-z0-9.-]+(:[0-9]+)?")


class Shown(NamedTuple):
    """A payload as markup, and the hosts that its page may load images from."""

    markup: Markup
    hosts: tuple[str, ...] = ()


def shown_payload(tx: Reader, monitor: str, name: str, number: int, review: ReviewSettings) -> Shown:
    """Return the payload of a verification; `name` is that of its monitor."""
    row = tx.one("SELECT media_type, content FROM payloads WHERE monitor = ? AND verification = ?", monitor, number)
    if row is None:
        return Shown(Markup('<p class="faint">This verification has no payload, or it was deleted.</p>'))
    kind, content = row[0], bytes(row[1])
    if kind.startswith("image/"):
        source = f"/m/{name}/verifications/{number}/image"
        return Shown(Markup('<img src="{}" alt="Picture of verification {}">').format(source, number))
    text = content.decode("utf-8", "replace")
    if kind == payloads.LINK:
        return _link_markup(text, number, review.image_hosts)
    if kind == payloads.JSON:
        return Shown(_json_markup(text))
    return Shown(Markup('<p class="text" dir="auto">{}</p>').format(text))


def _link_markup(link: str, number: int, hosts: tuple[str, ...]) -> Shown:
    parts = urlsplit(link)
    if parts.scheme not in ("http", "https"):
        return Shown(Markup('<p class="wrap">{}</p>').format(link))
    anchor = Markup('<a href="{0}" rel="noreferrer noopener" target="_blank">{0}</a>').format(link)
    host = parts.netloc.lower()
    if parts.scheme != "https" or not _HOST.fullmatch(host) or host not in {one.lower() for one in hosts}:
        return Shown(Markup('<p class="wrap">{}</p>').format(anchor))
    image = Markup('<img src="{}" alt="Picture of verification {}" referrerpolicy="no-referrer">').format(link, number)
    return Shown(Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(image, anchor), (host,))


def _json_markup(text: str) -> Markup:
    value = json.loads(text)
    if isinstance(value, dict) and 0 < len(value) <= _MOST_FACTS and all(map(_is_plain_json, value.values())):
        rows = Markup("").join(
            Markup("<dt>{}</dt><dd>{}</dd>").format(key, _json_value_text(one)) for key, one in value.items()
        )
        return Markup('<dl class="facts record" dir="auto">{}</dl>').format(rows)
    pretty = json.dumps(value, indent=2, ensure_ascii=False)
    return Markup('<pre class="json" tabindex="0">{}</pre>').format(escape(pretty))


def _is_plain_json(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _json_value_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
