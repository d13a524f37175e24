"""What reviewers and those who set the queue up can do is written down."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from sidelight.service.api.routes import queue
from sidelight.service.settings import ReviewSettings
from sidelight.service.web.pages.review import keyboard_keys_of_buttons

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "review-predictions.md").read_text(encoding="utf-8")


def test_every_setting_of_the_queue_with_its_default():
    for one in fields(ReviewSettings):
        row = re.search(rf"^\| `{one.name}` \|.*$", PAGE, re.MULTILINE)
        assert row is not None, one.name
        shown = row[0].split("|")[-2].strip()
        default = {(): "none", "": "", False: "false"}.get(one.default, f"{one.default:g}" if one.default else "")
        assert shown == default, row[0]


def test_every_request_to_the_queue():
    for route in queue.router.routes:
        assert f"/queue/{route.path.rpartition('/')[2]}`" in PAGE


def test_every_key():
    rows = re.findall(r"^\| ([A-Z](?:, [A-Z])*) \| (\S(?:, \S)*) \|", PAGE, re.MULTILINE)
    written = [pair for row in rows for pair in zip(*(keys.lower().split(", ") for keys in row), strict=True)]
    usual, other = keyboard_keys_of_buttons([]), keyboard_keys_of_buttons(keyboard_keys_of_buttons([]).values())
    assert sorted(written) == sorted((usual[name], other[name]) for name in usual)
