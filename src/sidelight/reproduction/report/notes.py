"""Notes for readers of a report: the paper's statistics, a glossary, and how the numbers were made."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from sidelight.reproduction.exhibit import RUNS
from sidelight.reproduction.report.account import Account
from sidelight.reproduction.report.wording import exhibit_title
from sidelight.reproduction.verdicts import Part
from sidelight.text import and_list, thousands

_ALL = 10  # tables and figures


@functools.cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((files("sidelight.reproduction.report") / "notes.toml").read_text(encoding="utf-8"))


def remarks(account: Account) -> list[tuple[str, str]]:
    """Return remarks on the paper's statistics that concern what is shown, each as title and text."""
    shown = {part.name for part in (*account.tables, *account.figures)}
    return [(each["title"], each["text"]) for each in _texts()["remarks"] if shown & set(each["exhibits"])]


def glossary(account: Account) -> list[tuple[str, str]]:
    """Return the words that tables use and what they mean."""
    numbers = [number for table in account.tables for number in table.numbers]
    used = {"", *(number.measure for number in numbers), *(number.verdict for number in numbers)}
    used |= {"limit" for number in numbers if number.ours.limit_ratio is not None}
    used |= {"regret" for figure in account.figures if "regret" in figure.exhibit.title.lower()}
    return [(each["term"], each["text"]) for each in _texts()["glossary"] if each.get("where", "") in used]


def limit_note(table: Part) -> str:
    """Explain the limit in a table, if it has one."""
    labels = {number.label for number in table.numbers if number.is_limit}
    if not labels:
        return ""
    return (
        f"The limit ({and_list(sorted(labels))}) is not a contestant: it has the least possible regret on average if "
        "all laws are equally likely. On a selection of laws, as here, a strategy can lie below."
    )


def provenance_rows(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return how the numbers were made, as names and values."""
    versions = [f"{key} {facts[key]}" for key in ("sidelight", "python", "numpy", "numba") if facts.get(key)]
    ways = facts.get("protocols", ())
    found = [
        ("what", ", ".join(map(exhibit_title, facts.get("exhibits", ())))),
        ("protocol", ways[0] if len(ways) == 1 else ""),
        ("tolerances", ", ".join(map(str, facts.get("tolerances", ())))),
        ("policies", ", ".join(facts.get("policies", ()))),
        ("confidence of verdicts", _shown(facts.get("confidence"))),
        ("runs", _runs(facts)),
        ("seed", _shown(facts.get("seed"))),
        ("computed for", _duration(facts["seconds"]) if facts.get("seconds") is not None else ""),
        ("versions", ", ".join(versions)),
        ("platform", _shown(facts.get("platform"))),
        ("made", _shown(facts.get("created"))),
        ("digest of the code", _shown(facts.get("code"))),
    ]
    return [(key, value) for key, value in found if value]


def command_note(facts: Mapping[str, Any]) -> str:
    """Return the command that makes the report again, and commands that show more."""
    return (
        f"`{_command(facts)}` makes this report again, in another folder with `--out DIR`; every number follows from "
        "the seed. More runs, such as `--runs 4000`, show rare disasters, and `--full` gives also PG-IDS and PG-TS as "
        "many runs as the others."
    )


def _command(facts: Mapping[str, Any]) -> str:
    names, ways = list(facts.get("exhibits", ())), list(facts.get("protocols", ()))
    runs, seed = facts.get("runs", RUNS), facts.get("seed", 0)
    words = ["sidelight reproduce", *(names if len(names) < _ALL else ())]
    words += [f"--tolerance {rate}" for rate in facts.get("tolerances", ())]
    words += [f"--policy {policy}" for policy in facts.get("policies", ())]
    words += [f"--confidence {facts['confidence']}"] if facts.get("confidence") else []
    words += [f"--runs {runs}"] if runs != RUNS else []
    words += [f"--seed {seed}"] if seed else []
    words += [f"--protocol {ways[0]}"] if len(ways) == 1 else []
    words += [f"--{facts['slow']}"] if facts.get("slow", "few") != "few" else []
    return " ".join(words)


def _runs(facts: Mapping[str, Any]) -> str:
    if facts.get("runs") is None:
        return ""
    slow = facts.get("slow_runs", ())
    few = [count for count in slow if count != facts["runs"]]
    horizon = facts.get("slow_horizon")
    end = f", {thousands(horizon)} rounds" if slow and horizon else ""
    counts = " or ".join(thousands(count) for count in few) or thousands(facts["runs"])
    return f"{thousands(facts['runs'])} of each" + (f" (slow strategies: {counts}{end})" if few or end else "")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if not hours and not minutes:
        return f"{seconds:.1f} s"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _shown(value: object) -> str:
    return "" if value is None else str(value)
