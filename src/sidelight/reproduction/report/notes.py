"""Notes for readers of a report: the paper's statistics, a glossary, and how the numbers were made."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from sidelight.reproduction.verdicts import ReproducedPart, ReproductionAccount
from sidelight.text import and_list

_FACTS = {
    "exhibits": "what",
    "protocols": "protocols",
    "tolerances": "tolerances",
    "policies": "policies",
    "confidence": "confidence of verdicts",
    "runs": "runs",
    "slow_runs": "runs of slow strategies",
    "slow_horizon": "their rounds",
    "seed": "seed",
    "seconds": "computed for so many seconds",
    "platform": "platform",
    "created": "made",
    "code": "digest of the code",
}


@functools.cache
def _reproduction_notes() -> dict[str, Any]:
    return tomllib.loads((files("sidelight.reproduction.report") / "notes.toml").read_text(encoding="utf-8"))


def remarks_on_reproduction(account: ReproductionAccount) -> list[tuple[str, str]]:
    """Return remarks on the paper's statistics that concern what is shown, each as title and text."""
    shown = {part.name for part in (*account.tables, *account.figures)}
    return [(each["title"], each["text"]) for each in _reproduction_notes()["remarks"] if shown & set(each["exhibits"])]


def glossary_of_reproduction(account: ReproductionAccount) -> list[tuple[str, str]]:
    """Return the words that tables use and what they mean."""
    numbers = [number for table in account.tables for number in table.numbers]
    used = {"", *(number.measure for number in numbers), *(number.verdict for number in numbers)}
    used |= {"limit" for number in numbers if number.ours.limit_ratio is not None}
    used |= {"regret" for figure in account.figures if "regret" in figure.exhibit.title.lower()}
    return [(each["term"], each["text"]) for each in _reproduction_notes()["glossary"] if each.get("where", "") in used]


def limit_note_of_reproduction(table: ReproducedPart) -> str:
    """Explain the limit in a table, if it has one."""
    labels = {number.label for number in table.numbers if number.is_limit}
    if not labels:
        return ""
    return (
        f"The limit ({and_list(sorted(labels))}) is not a contestant: it has the least possible regret on average if "
        "all laws are equally likely. On a selection of laws, as here, a strategy can lie below."
    )


def provenance_of_reproduction(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return how the numbers were made, as names and values."""
    versions = ", ".join(f"{key} {facts[key]}" for key in ("sidelight", "python", "numpy", "numba") if facts.get(key))
    shown = [(title, facts.get(name)) for name, title in _FACTS.items()]
    texts = [
        (title, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
        for title, value in shown
        if value is not None
    ]
    return [(title, text) for title, text in [*texts, ("versions", versions)] if text]
