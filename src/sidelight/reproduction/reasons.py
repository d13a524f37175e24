"""Why numbers can differ from the printed ones, from `reasons.toml` next to this file."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Reason(NamedTuple):
    """One reason: its title, a sentence that states it, its evidence, and the tests that show it."""

    title: str
    sentence: str
    evidence: str
    tests: list[str]


_TEXT = (files("sidelight.reproduction") / "reasons.toml").read_text(encoding="utf-8")
REASONS = {key: Reason(**values) for key, values in tomllib.loads(_TEXT).items()}
