"""The page docs/regret.md, from what `benchmarks/regret.py` has measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Record = dict[str, Any]
# Fewer runs say too little about a mean, and so does a standard error that is as large as the mean.
LEAST_RUNS, MOST_RATIO = 8, 1.5

HEAD = """# Regret, measured

<!-- Written by benchmarks/regret.py from regret.json; change those, not this page. -->

What every strategy costs, with its default parameters: mean regret ± standard error. `python benchmarks/regret.py`
writes this page, and [regret.json](regret.json) has all its numbers. The seed is {seed}; constants of strategies are
chosen with seeds from 100 to 199 only. In each case all strategies meet the same laws, contexts and outcomes.
A slow strategy gets fewer runs, as many as fit into a processor time, larger for some, and the tables say how many.
If a single run needs more than {patience} times as long, the strategy is left out of the case; PMDMEDHinge, the
slowest, is left out of most games. Restarting and Discounted are made for [laws that
change](how-to/changing-worlds.md). Times were taken on a busy machine.

**Bold** is the lowest mean of a case, and every mean that is at most two standard errors of the difference above it and
no more than {ratio} times as large. Strategies that know the horizon, or have fewer than {least} runs, do not compete.
(The number of runs and the ratio became conditions after the first numbers were seen; the summaries also count without
them.) "Wrong" is the share of runs whose regret is above a tenth of what the worst action that can be optimal would
have cost if it had been played throughout.
"""
PAPER = """## The cases of the paper

Apple tasting is easy, label-efficient prediction hard. Balanced laws are drawn uniformly from p between 0.4 and 0.6,
imbalanced ones from p below 0.2 or above 0.8. "Bayes-optimal" knows the horizon and believes in a uniform prior: no
strategy has a lower mean if laws are drawn uniformly from all laws, which these are not.
"""
GAMES = """## Many games

{games} games, {cases} cases: laws drawn anywhere (Dirichlet(1)), near a border (5 to 30 % from where the best action
changes) and near a vertex (one outcome has 70 to 95 %), T = {horizon}. The first table sums up all cases that a
strategy plays with at least {least} runs: in how many of them its mean is the lowest or as good (bold, or would be if
it competed), and how its mean compares with the lowest one.
"""
CONTEXTS = """## Worlds with contexts

T = {horizon}; the first six are those of [the contextual table](contextual-widths.md), the others are in
`benchmarks/context_worlds.py`. PGTS and PGIDS are left out: their rounds get slower as labels accumulate.
"""


def text(known: dict[str, list[Record]], seed: int, patience: int) -> str:
    """Return the whole page."""
    records = [record for group in known.values() for record in group]
    parts = {part: [one for one in records if one["part"] == part] for part in ("paper", "games", "contexts")}
    sections = [
        HEAD.format(seed=seed, patience=patience, least=LEAST_RUNS, ratio=MOST_RATIO),
        PAPER,
        *_paper(parts["paper"]),
    ]
    games = parts["games"]
    cases = _distinct(one["case"] for one in games)
    sections.append(
        GAMES.format(
            games=len({case.rsplit(", ", 1)[0] for case in cases}),
            cases=len(cases),
            horizon=_horizon(games),
            least=LEAST_RUNS,
        )
    )
    sections += [_summary(games), *_by_sampler(games)]
    sections += [CONTEXTS.format(horizon=_horizon(parts["contexts"])), _summary(parts["contexts"])]
    return "\n".join([*sections, _grid(parts["contexts"])])


def _paper(records: list[Record]) -> list[str]:
    found = []
    for horizon in sorted({one["horizon"] for one in records}):
        here = [one for one in records if one["horizon"] == horizon]
        found += [f"### T = {_number(horizon)}\n", _details(here)]
    return found


def _details(records: list[Record]) -> str:
    """Return a row for each strategy with everything that is known of it in each case."""
    cases = _distinct(one["case"] for one in records)
    rows = []
    for strategy in _distinct(one["strategy"] for one in records):
        row = [strategy]
        own = [one for one in records if one["strategy"] == strategy]
        for case in cases:
            one = next((one for one in own if one["case"] == case), None)
            if one is None:
                row.append("")
                continue
            shown = f"{_shown(one, records)}; {one['q99']:.0f} / {one['q999']:.0f}; {100 * one['wrong']:.1f} %"
            row.append(shown)
        row.append(_range(one["runs"] for one in own))
        row.append(_number(round(np.median([one["nanoseconds"] for one in own]))))
        rows.append(row)
    head = ["mean; 99 % / 99.9 %; wrong", *cases, "runs", "ns a round"]
    return _table(head, rows)


def _by_sampler(records: list[Record]) -> list[str]:
    found = []
    for sampler in _distinct(one["case"].rsplit(", ", 1)[1] for one in records):
        here = [one for one in records if one["case"].endswith(f", {sampler}")]
        found += [f"### Laws {sampler}\n", _grid(here)]
    return found


def _grid(records: list[Record]) -> str:
    """Return a row for each case with the mean of every strategy."""
    strategies = _distinct(one["strategy"] for one in records)
    rows = []
    for case in _distinct(one["case"] for one in records):
        here = {one["strategy"]: one for one in records if one["case"] == case}
        shown = [_shown(here[name], list(here.values())) if name in here else "" for name in strategies]
        rows.append([case.removesuffix(f", {_sampler(case)}"), *shown])
    return _table(["", *strategies], rows)


def _summary(records: list[Record]) -> str:
    """Return, for each strategy, how it compares with the best of each case that it plays."""
    rows = []
    for strategy in _distinct(one["strategy"] for one in records):
        every = [one for one in records if one["strategy"] == strategy]
        own = [one for one in every if one["runs"] >= LEAST_RUNS]
        if not own:
            continue
        among = {one["case"]: [other for other in records if other["case"] == one["case"]] for one in every}
        best = [min(_competing(among[one["case"]]) or [one], key=lambda other: other["mean"]) for one in own]
        ratios = [one["mean"] / max(other["mean"], 1e-9) for one, other in zip(own, best, strict=True)]
        good = sum(_is_best(one, among[one["case"]]) for one in own)
        lenient = sum(_is_best(one, among[one["case"]], 1, np.inf) for one in every)
        worst = own[int(np.argmax(ratios))]
        rows.append(
            [
                strategy,
                f"{good} of {len(own)}",
                f"{lenient} of {len(every)}",
                f"{np.exp(np.mean(np.log(np.maximum(ratios, 1e-9)))):.2f}",
                f"{max(ratios):.2f} ({worst['case']})",
                f"{100 * np.mean([one['wrong'] for one in own]):.1f} %",
                _range(one["runs"] for one in every),
                _number(round(np.median([one["nanoseconds"] for one in own]))),
            ]
        )
    head = [
        "",
        "lowest or as good",
        "without conditions",
        "geometric mean of ratios",
        "largest ratio",
        "wrong",
        "runs",
        "ns a round",
    ]
    return _table(head, rows)


def _competing(records: list[Record], least_runs: int = LEAST_RUNS) -> list[Record]:
    """Return the strategies that do not know the horizon and have enough runs."""
    told = [one for one in records if one["runs"] >= least_runs]
    return [one for one in told if "T known" not in one["strategy"] and one["strategy"] != "Bayes-optimal"]


def _is_best(one: Record, among: list[Record], least_runs: int = LEAST_RUNS, ratio: float = MOST_RATIO) -> bool:
    rivals = _competing(among, least_runs)
    if not rivals:
        return False
    least = min(rivals, key=lambda other: other["mean"])
    above = one["mean"] - least["mean"]
    return bool(above <= 2.0 * np.hypot(one["error"], least["error"]) and one["mean"] <= ratio * least["mean"])


def _shown(one: Record, among: list[Record]) -> str:
    digits = 0 if one["mean"] >= 1_000 else 1 if one["mean"] >= 10 else 2
    shown = f"{one['mean']:.{digits}f} ± {one['error']:.{max(1, digits)}f}"
    return f"**{shown}**" if one in _competing(among) and _is_best(one, among) else shown


def _sampler(case: str) -> str:
    return case.rsplit(", ", 1)[-1] if case.endswith(("anywhere", "near a border", "near a vertex")) else "\0"


def _horizon(records: list[Record]) -> str:
    return _number(max((one["horizon"] for one in records), default=0))


def _range(values: Iterable[int]) -> str:
    found = sorted(set(values))
    return _number(found[0]) if len(found) == 1 else f"{_number(found[0])} to {_number(found[-1])}"


def _number(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _table(head: Sequence[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
