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
from sidelight.cli._contexts import parse_contexts
from sidelight.strategies.uniform import FixedAction

PAGE = Path(__file__).with_name("contextual-widths.md")
GAMES = {"AT": "apple-tasting", "LE": "label-efficient"}
WORLDS = {"half-space": "halfspace:d=10", "linear": "linear:d=10", "logistic": "logistic:d=10,seed=0,scale=1"}
STRATEGIES = ("CBPSide", "RandCBPSide")
VARIANTS: dict[str, dict[str, Any]] = {
    "linear, printed": {"width": "printed", "model": "linear"},
    "linear, published": {"width": "published", "model": "linear"},
    "linear, corrected": {"width": "corrected", "model": "linear"},
    "linear, tight": {"width": "tight", "model": "linear"},
    "linear, tight, no intercept": {"width": "tight", "model": "linear", "intercept": False},
    "logistic, corrected": {"width": "corrected", "model": "logistic"},
    "logistic, tight": {"width": "tight", "model": "logistic"},
}
OTHERS = {"AT": ("FixedAction:action=1", "STAP"), "LE": ("FixedAction:action=0", "CESA:beta=0.01")}
SLOW = ("PGTS", "PGIDS")
SLOW_HORIZON = 7_500


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

    def measure(self) -> dict[str, float]:
        """Simulate; return mean and standard error of the final regret."""
        game = sl.games.load(GAMES[self.game])
        world = parse_contexts(WORLDS[self.world], game)
        kind = FixedAction if self.strategy == "FixedAction" else getattr(sl.strategies, self.strategy)
        strategy = kind(game, **self.parameters)
        results = sl.simulate(game, strategy, world, self.horizon, self.runs, seed=0, checkpoints=1)
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
            for text in OTHERS[game]:
                name, _, given = text.partition(":")
                parameters = {} if name == "FixedAction" else {"dimension": 10}
                for part in filter(None, given.split(",")):
                    key, _, value = part.partition("=")
                    parameters[key] = json.loads(value)
                yield Cell(game, world, name, parameters, runs, horizon)
    for name in SLOW:
        yield Cell("AT", "half-space", name, {"dimension": 10}, slow_runs, SLOW_HORIZON)
    # The strategies above at the horizon of the slow ones.
    for strategy, parameters in (("RandCBPSide", {"width": "tight", "model": "logistic"}), ("STAP", {})):
        yield Cell("AT", "half-space", strategy, {"dimension": 10} | parameters, runs, SLOW_HORIZON)


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
            given.cells.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
