"""Measure the contextual strategies and write docs/contextual-widths.md: `python docs/make_contextual_table.py`.

Every cell is a simulation that the command line can repeat (see the page). Cells are kept in a JSON file as they are
finished, so that an interrupted measurement goes on where it stopped; `--cells FILE` says where, and an old file makes
the page without measuring anything. `--runs` and `--horizon` are there to try things out.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sidelight as sl
from sidelight.cli.research.arguments.contexts import parse_contexts_option

PAGE = Path(__file__).with_name("contextual-widths.md")
GAMES = {"AT": "apple-tasting", "LE": "label-efficient"}
WORLDS = {"half-space": "halfspace:d=10", "linear": "linear:d=10", "logistic": "logistic:d=10,seed=0,scale=1"}
STRATEGIES = ("CBPSide", "RandCBPSide")
VARIANTS: dict[str, dict[str, Any]] = {
    "linear, printed": {"bounds": "printed"},
    "linear, published": {"bounds": "published"},
    "linear, corrected": {"bounds": "corrected", "model": "linear"},
    "linear, tight": {"bounds": "tight", "model": "linear"},
    "linear, tight, least squares": {"bounds": "tight", "model": "linear", "standardize": False, "hinge": False},
    "linear, tight, no intercept": {"bounds": "tight", "model": "linear", "intercept": False},
    "logistic, corrected": {"bounds": "corrected", "model": "logistic"},
    "logistic, tight": {"bounds": "tight", "model": "logistic"},
}
# Name, parameters, and what they are called in the table.
OTHERS: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    "AT": [("FixedAction", {"action": 1}, "always tasting"), ("STAP", {"dimension": 10}, "STAP, ridge regression")],
    "LE": [
        ("FixedAction", {"action": 0}, "always asking"),
        ("CESA", {"dimension": 10, "beta": 0.01}, "CESA, beta = 0.01"),
    ],
}
COMPARED: list[tuple[str, dict[str, Any], str]] = [
    ("RandCBPSide", {"dimension": 10, "bounds": "tight", "model": "logistic"}, "RandCBPSide, logistic, tight"),
    ("STAP", {"dimension": 10}, "STAP, ridge regression"),
]
SLOW = ("PGTS", "PGIDS")
SLOW_HORIZON = 7_500
HEAD = """# Confidence bounds with contexts, measured

<!-- Written by docs/make_contextual_table.py from contextual-widths.json; change those, not this page. -->

`CBPSide` and `RandCBPSide` leave two things to choose: how wide their confidence intervals are (`bounds`) and how
symbols depend on the context (`model`). What the choices mean is in the [reference](reference/index.md) and in the
docstrings (`printed` and `published` bounds are those of `PublishedCBPSide` and `PublishedRandCBPSide`); here is what
they cost. AT is apple tasting, LE label-efficient prediction; d = 10, T = {horizon}, {runs} runs, mean regret ±
standard error. Three worlds:

- **half-space**: the protocol behind the table of the ICML 2024 paper. Outcomes are certain given the context, which is
  seen standardized (`--contexts halfspace:d=10`).
- **linear**: the protocol as that paper's text describes it. The first outcome has the probability mean(x), x uniform
  on the unit cube (`--contexts linear:d=10`).
- **logistic**: a softmax of scores with coefficients drawn from N(0, 1), x uniform on [-1, 1]^10
  (`--contexts logistic:d=10,seed=0,scale=1`).

Any cell can be repeated on the command line, as in

- `sidelight simulate apple-tasting RandCBPSide:bounds=tight,model=logistic --contexts halfspace:d=10`,
- `sidelight simulate apple-tasting PublishedRandCBPSide:bounds=printed --contexts halfspace:d=10`.
"""
READING = """## What to read from it

- **The paper's constants are too wide.** In the linear world `printed` widths cost {printed}, and always tasting costs
  {tasting}: nothing is ever ruled out in so many rounds. That `RandCBPSide` does better with some of them elsewhere is
  not because they are right, but because its sampler then draws Z = 0 most of the time: it hardly explores.
- **`corrected` widths**, the ones with a proof behind them, are no narrower: in the linear world `CBPSide` with them
  costs {certain} on AT and `RandCBPSide` {corrected} on LE.
- **`tight` widths are worth an order of magnitude**: {tight_at} on AT and {tight_le} on LE. With them, drawing Z
  (`RandCBPSide`) beats its bound (`CBPSide`) in every cell but one, in which the model is wrong.
- **The intercept belongs to the model, not to the width.** Where outcomes are certain and contexts centered, least
  squares with an intercept do badly on AT ({hurt}; without, {helped}): they are fitted to the rounds in which something
  was tasted, most of which end alike, and the constant moves the border. In the linear world it is needed ({missed}).
  The default keeps it, and leaves out what the model predicts with certainty already ({hinge}).
- **The logistic model forgives much of that**: {logistic_half} on AT in the half-space world, {logistic_at} (AT) and
  {logistic_le} (LE) in the linear world, where it is not even true. It needs its intercept there, too: `corrected`
  widths come without one by default, hence {worst} on AT.

So: `RandCBPSide` with `bounds="tight"`, the default. Take `model="logistic"` unless the outcome law is known to be
linear or rounds must always cost the same: a logistic fit keeps all labels and looks at them again whenever there are
2 % more of them. The tight widths have no proof behind them.
"""


class Cell(NamedTuple):
    """One simulation: who plays what where."""

    game: str
    world: str
    strategy: str
    parameters: dict[str, Any]
    runs: int
    horizon: int

    @property
    def key(self) -> str:
        """What the cell is stored under."""
        given = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.game} {self.world} {self.strategy}:{given} {self.runs}x{self.horizon}"

    @property
    def played(self) -> str:
        """The name of the strategy; what only reproduces print has a class of its own."""
        return f"{'Published' if self.parameters.get('bounds') in ('printed', 'published') else ''}{self.strategy}"

    def measure(self) -> dict[str, float]:
        """Simulate; return mean and standard error of the final regret."""
        game = sl.games.load(GAMES[self.game])
        world = parse_contexts_option(WORLDS[self.world], game)
        strategy = getattr(sl.strategies, self.played)(game, **self.parameters)
        results = sl.simulate(strategy, world, self.horizon, self.runs, seed=0, checkpoints=1)
        error = results.final.std(ddof=1) / np.sqrt(self.runs) if self.runs > 1 else float("nan")
        return {"mean": float(results.final.mean()), "error": float(error), "seconds": round(results.seconds or 0.0, 1)}


def cells(runs: int, horizon: int, slow_runs: int) -> Iterator[Cell]:
    """Yield every cell of the page, the quick ones first."""
    for variant in VARIANTS.values():
        for world in WORLDS:
            for game in GAMES:
                for strategy in STRATEGIES:
                    yield Cell(game, world, strategy, {"dimension": 10} | variant, runs, horizon)
    for world in WORLDS:
        for game in GAMES:
            for name, given, _ in OTHERS[game]:
                yield Cell(game, world, name, given, runs, horizon)
    for name in SLOW:
        yield Cell("AT", "half-space", name, {"dimension": 10}, slow_runs, SLOW_HORIZON)
    for name, given, _ in COMPARED:
        yield Cell("AT", "half-space", name, given, runs, SLOW_HORIZON)


class Page:
    """The page, from measured cells."""

    def __init__(self, known: dict[str, Any], runs: int, horizon: int, slow_runs: int) -> None:
        self.known, self.runs, self.horizon, self.slow_runs = known, runs, horizon, slow_runs

    def found(self, game: str, world: str, strategy: str, runs: int, horizon: int, **given: Any) -> dict[str, float]:
        """Return a measured cell."""
        return self.known[Cell(game, world, strategy, given, runs, horizon).key]

    def cell(self, game: str, world: str, strategy: str, variant: str) -> dict[str, float]:
        """Return a cell of the main tables."""
        given = {"dimension": 10} | VARIANTS[variant]
        return self.found(game, world, strategy, self.runs, self.horizon, **given)

    def text(self) -> str:
        """Return the whole page."""
        head = HEAD.format(horizon=_number(self.horizon), runs=self.runs)
        parts = [head, self.reading(), *(self.table(game) for game in GAMES), self.slow()]
        return "\n".join(parts)

    def table(self, game: str) -> str:
        """Return the table of one game."""
        worlds = list(WORLDS)
        head = " | ".join(f"{world}: {strategy}" for world in worlds for strategy in STRATEGIES)
        rows = [f"| model, bounds | {head} |", "|---" + "|---:" * (2 * len(worlds)) + "|"]
        least = {
            (world, s): min(self.cell(game, world, s, v)["mean"] for v in VARIANTS)
            for world in worlds
            for s in STRATEGIES
        }
        for variant in VARIANTS:
            row = []
            for world in worlds:
                for strategy in STRATEGIES:
                    one = self.cell(game, world, strategy, variant)
                    row.append(_shown(one, one["mean"] == least[world, strategy]))
            rows.append(f"| {variant} | {' | '.join(row)} |")
        for name, given, what in OTHERS[game]:
            cells = [_shown(self.found(game, world, name, self.runs, self.horizon, **given)) for world in worlds]
            rows.append(f"| {what} | {' | | '.join(cells)} | |")
        return f"## {GAMES[game].replace('-', ' ').capitalize()} ({game})\n\n" + "\n".join(rows) + "\n"

    def slow(self) -> str:
        """Return the table of the strategies that are too slow for long runs."""
        rows = ["| AT, half-space | mean regret | runs |", "|---|---:|---:|"]
        for name in SLOW:
            one = self.found("AT", "half-space", name, self.slow_runs, SLOW_HORIZON, dimension=10)
            rows.append(f"| {name} | {_shown(one)} | {self.slow_runs} |")
        for name, given, what in COMPARED:
            one = self.found("AT", "half-space", name, self.runs, SLOW_HORIZON, **given)
            rows.append(f"| {what} | {_shown(one)} | {self.runs} |")
        return f"""## PG-TS and PG-IDS, T = {_number(SLOW_HORIZON)}

Their rounds cost more and more, so they are compared at the horizon of the published runs, which had 179.2 and 129.5.

{chr(10).join(rows)}
"""

    def reading(self) -> str:
        """Return what the tables say in words; every number in it is one of theirs."""

        def of(game: str, world: str, variant: str, strategy: str = "RandCBPSide") -> str:
            return _shown(self.cell(game, world, strategy, variant))

        tasting = _shown(self.found("AT", "linear", "FixedAction", self.runs, self.horizon, action=1))
        return READING.format(
            tasting=tasting,
            printed=of("AT", "linear", "linear, printed"),
            certain=of("AT", "linear", "linear, corrected", "CBPSide"),
            corrected=of("LE", "linear", "linear, corrected"),
            tight_at=of("AT", "linear", "linear, tight"),
            tight_le=of("LE", "linear", "linear, tight"),
            hurt=of("AT", "half-space", "linear, tight, least squares"),
            hinge=of("AT", "half-space", "linear, tight"),
            helped=of("AT", "half-space", "linear, tight, no intercept"),
            missed=of("AT", "linear", "linear, tight, no intercept"),
            logistic_half=of("AT", "half-space", "logistic, tight"),
            logistic_at=of("AT", "linear", "logistic, tight"),
            logistic_le=of("LE", "linear", "logistic, tight"),
            worst=of("AT", "linear", "logistic, corrected"),
        )


def _shown(one: dict[str, float], best: bool = False) -> str:
    digits = 0 if one["mean"] >= 1_000 else 1
    text = f"{one['mean']:.{digits}f} ± {one['error']:.{max(1, digits)}f}"
    return f"**{text}**" if best else text


def _number(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def main() -> None:
    """Measure what is missing, then write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=96)
    options.add_argument("--slow-runs", type=int, default=8, help="runs of PGTS and PGIDS, half a minute each")
    options.add_argument("--horizon", type=int, default=20_000)
    options.add_argument("--cells", type=Path, default=PAGE.with_name("contextual-widths.json"))
    options.add_argument("--only", default="", help="measure only cells whose key holds this text; write no page")
    given = options.parse_args()
    known: dict[str, Any] = json.loads(given.cells.read_text()) if given.cells.exists() else {}
    warnings.simplefilter("ignore")
    for cell in cells(given.runs, given.horizon, given.slow_runs):
        if cell.key not in known and given.only in cell.key:
            known[cell.key] = cell.measure()
            given.cells.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8", newline="\n")
    if not given.only:
        text = Page(known, given.runs, given.horizon, given.slow_runs).text()
        PAGE.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
