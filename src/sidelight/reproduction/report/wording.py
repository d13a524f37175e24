"""The words of a reproduction's report in every format: titles, verdicts, sums, and the notes of `notes.toml`."""

from __future__ import annotations

import functools
import math
import tomllib
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from sidelight.reproduction.exhibit import Protocol
from sidelight.reproduction.verdicts import Kind, ReproducedPart, ReproductionAccount
from sidelight.text import and_list, thousands

TITLE = "“Randomized Confidence Bounds for Stochastic Partial Monitoring”, run again"
INTRODUCTION = (
    "Partial monitoring means deciding round after round without ever seeing the loss, only a symbol that says "
    "something about it. A paper with the title above (ICML 2024) proposes the strategies RandCBP and RandCBPside*, "
    "which multiply the confidence widths of the older CBP and CBPside* by random numbers, and tests them in computer "
    "experiments. This report repeats the experiments with `sidelight`, compares the results with the printed "
    "numbers, and says for each number whether the two agree."
)
NOT_PRINTED = "The paper prints no number for these settings."
NO_DIFFERENCE = "No printed number that was compared differs."

PROTOCOL_TITLES: dict[Protocol, str] = {
    "published": "The runs behind the printed numbers",
    "described": "The runs that the paper's text describes",
}
PROTOCOL_NAMES: dict[Protocol, str] = {
    "published": "as behind the printed numbers",
    "described": "as the text describes",
}
PROTOCOL_TEXTS: dict[Protocol, str] = {
    "published": (
        "Protocol `published`: what was really run to get the printed numbers, with the parameters of the published "
        "code. Games use exactly the outcomes that the authors drew, so a strategy that is not random must give the "
        "printed digits in 96 runs; a random one can agree only within chance. Policies watch the authors' "
        "classifiers, but the predictions are drawn again."
    ),
    "described": (
        "Protocol `described`: what you get from the paper alone, with the parameters that it states. Games use fresh "
        "outcomes from the worlds that the text describes; policies watch the same classifiers. The printed numbers "
        "were not made this way, so some of them must differ."
    ),
}

STATISTICS = "Where the printed statistics are not what the paper says"
KIND_WORDS: dict[Kind, str] = {
    "digit": "same to the digit",
    "chance": "same within chance",
    "differs": "differs",
    "open": "too few runs to say",
    "ours": "not in the paper",
}
_VERBS: dict[Kind, tuple[str, str]] = {
    "digit": ("is the same to the digit", "are the same to the digit"),
    "chance": ("is the same within chance", "are the same within chance"),
    "differs": ("differs", "differ"),
    "open": ("has too few runs to say", "have too few runs to say"),
}
COMPARED: tuple[Kind, ...] = tuple(_VERBS)
"""The verdicts on printed numbers, in the order of reports."""

UNKNOWN_TITLE = "Without a known reason"
UNKNOWN_TEXT = "These numbers differ by more than chance, and it is not known why."
MORE = (
    "Every number follows from the seed. More runs, such as `--runs 4000`, show rare disasters, and `--full` gives "
    "also PG-IDS and PG-TS as many runs as the others."
)
COMPARISON = "How they compare with each other"
NO_DRAWING = "This figure was not drawn, because Matplotlib is not installed (`pip install matplotlib`)."
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


def protocols_of_reproduction(account: ReproductionAccount) -> list[Protocol]:
    """Return the protocols under which something was run."""
    found = {part.protocol for part in (*account.tables, *account.figures)}
    return [protocol for protocol in PROTOCOL_TITLES if protocol in found]


def exhibit_title(experiment: str) -> str:
    """Return the title of a table or figure: "Table 1" for "table1"."""
    return f"{experiment[:-1]} {experiment[-1]}".capitalize()


def word_reproduction_verdicts(account: ReproductionAccount, protocol: Protocol) -> str:
    """Summarize the verdicts under a protocol."""
    what = "printed pair of mean and standard deviation"
    return reproduction_verdict_shares(account.counts(protocol), what) or NOT_PRINTED


def reproduction_verdict_shares(counts: Counter[Kind], what: str = "printed pair") -> str:
    """Count printed numbers by verdict, in a sentence; return nothing if none is printed."""
    total = sum(counts[kind] for kind in COMPARED)
    found = [f"{counts[kind]} {_VERBS[kind][counts[kind] > 1]}" for kind in COMPARED if counts[kind]]
    return f"Of {total} {what.replace('pair', 'pairs') if total > 1 else what}, {and_list(found)}." if total else ""


def number_reproduction_reasons(account: ReproductionAccount) -> dict[str, int]:
    """Return the number of each reason, in the order in which they are first needed."""
    needed = [number.reason for _, number in account.differences()]
    keys = dict.fromkeys([*(key for key in needed if key is not None and key in account.reasons), *account.reasons])
    return {key: index for index, key in enumerate(keys, 1)}


def reproduction_caption(table: ReproducedPart, runs: int, end: int | None) -> str:
    """Describe the numbers of a table: runs, round, and which values are better."""
    several = f"{thousands(runs)} run{'s' * (runs > 1)} of each"
    if end is None:
        return f"{several}. A greater F1 score is better, and so are fewer verifications."
    otherwise = any((number.ours.runs, number.ours.round) != (runs, end) for number in table.numbers)
    exception = ", unless a row says otherwise" if otherwise else ""
    return f"{several}; regret after {thousands(end)} rounds{exception}. Less is better."


def reproduction_z_text(z: float) -> str:
    """Write a z."""
    if math.isinf(z):
        return "∞" if z > 0 else "−∞"
    return f"{z:.2f}".replace("-", "−")


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
