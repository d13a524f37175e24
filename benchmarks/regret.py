"""Measure the regret of every strategy and write docs/regret.md: `python benchmarks/regret.py`.

Three parts: the four cases of the paper at several horizons, many games with laws drawn in three ways, and worlds with
contexts. Each cell (a strategy in a case) is simulated once and kept in a JSON file as it is finished, so that an
interrupted measurement goes on where it stopped, and an old file makes the page without measuring. A slow strategy gets
as many runs as fit into `--seconds` of processor time (more for the cases of the paper and for contexts), and the page
says how many. `--short` tries everything with few short runs, and prints the page instead of writing it.

Constants of strategies are chosen with seeds from 100 to 199; reports have seeds from 1000 on.
"""

from __future__ import annotations

import argparse
import inspect
import json
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import context_worlds
import law_samplers
import numpy as np
import regret_page

import sidelight as sl
from sidelight.environments import IID, Environment
from sidelight.game_arrays import loss_matrix
from sidelight.kernels.arrays import Floats
from sidelight.strategies import Strategy

DOCS = Path(__file__).resolve().parent.parent / "docs"
ROUNDS = 20_000
PAPER_CASES = {
    f"{game}, {kind}": (game, kind)
    for game in ("apple-tasting", "label-efficient")
    for kind in ("imbalanced", "balanced")
}
# What is played with parameters of its own, the label in tables to (name, parameters); "T" stands for the horizon.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Prospect, T known": ("Prospect", {"horizon": "T"}),
    "Bayes-optimal": ("BayesOptimal", {"horizon": "T"}),
    "ProspectSide, T known": ("ProspectSide", {"horizon": "T"}),
    "RandCBPSide, logistic": ("RandCBPSide", {"model": "logistic"}),
    "RandCBPSide, least squares": ("RandCBPSide", {"standardize": False, "hinge": False}),
    "CESA, beta = 0.01": ("CESA", {"beta": 0.01}),
}
# Their cost grows with the square of the horizon; plain Python; known contexts; what learns nothing.
LEFT_OUT = ("PGTS", "PGIDS", "PGTSMulti", "ProspectModel", "IDSContexts", "CESA", "Uniform", "FixedAction")
# It knows the horizon and has a label of its own; for worlds whose law changes.
LEFT_OUT += ("BayesOptimal", "Restarting", "Discounted")
# These need so many microseconds a round that they get twice as much time, enough for ten runs or so.
SLOW = ("Mario", "VIDS", "ExpPM", "BOBWLocal", "AsymptoticIDS")

# A first run that takes so many times the time of a cell is broken off.
PATIENCE = 10


class TooSlowError(Exception):
    """A run takes too long."""


class Deadline:
    """Ends a simulation when so much processor time has passed."""

    def __init__(self, seconds: float) -> None:
        self.end = time.process_time() + seconds

    def advance(self, rounds: int) -> None:
        """Raise if it is too late."""
        if time.process_time() > self.end:
            raise TooSlowError


class Cell(NamedTuple):
    """One simulation: who plays where, how often, and at which rounds regret is looked at."""

    part: str
    case: str
    label: str
    horizons: tuple[int, ...]
    runs: int
    seconds: float

    @property
    def key(self) -> str:
        """What the cell is stored under."""
        return f"{self.part} | {self.case} | {self.label} | {self.horizons[-1]}"

    def strategy(self, game: sl.Game, dimension: int) -> Strategy:
        """Make the strategy."""
        name, given = VARIANTS.get(self.label, (self.label, {}))
        given = {key: self.horizons[-1] if value == "T" else value for key, value in given.items()}
        kind = getattr(sl.strategies, name)
        return kind(game, **given, **({"dimension": dimension} if dimension else {}))


class Case(NamedTuple):
    """A game, where outcomes come from, and the regret of the worst action that can be optimal, a round and run."""

    game: sl.Game
    environment: Environment
    worst: Floats


def labels(contextual: bool) -> list[str]:
    """Return everything that is played, with or without contexts."""
    found = []
    for name in sl.strategies.names():
        takes = inspect.signature(getattr(sl.strategies, name)).parameters
        if name not in LEFT_OUT and ("dimension" in takes) == contextual:
            found.append(name)
            found += [label for label, (of, _) in VARIANTS.items() if of == name]
    return found + (["CESA, beta = 0.01"] if contextual else [])


def cells(short: bool, runs: dict[str, int], seconds: float) -> Iterator[Cell]:
    """Yield every cell; strategies of our own come last, so that they can be measured when all else is done."""
    horizons = (50, 200) if short else (100, 1_000, ROUNDS)
    long = () if short else (10 * ROUNDS,)
    rounds = 200 if short else ROUNDS
    plain, contextual = (sorted(labels(flag), key=lambda label: label.startswith("Prospect")) for flag in (0, 1))
    for label in ["Bayes-optimal", *plain]:
        main = label in ("CBP", "RandCBP", "Bayes-optimal") or label.startswith("Prospect")
        for case in PAPER_CASES:
            limit = 20 * seconds if main else 2 * seconds
            known = VARIANTS.get(label, ("", {}))[1].get("horizon") == "T"
            for group in [(T,) for T in horizons] if known else [horizons]:
                yield Cell("paper", case, label, group, runs["paper"], limit)
            if main and label != "Bayes-optimal":
                for T in long:
                    yield Cell("paper", case, label, (T,), runs["long"], limit)
    for label in plain:
        limit = seconds * (2 if label in SLOW else 1)
        for kind in law_samplers.SAMPLERS:
            for name in list(law_samplers.GAMES)[: 2 if short else None]:
                yield Cell("games", f"{name}, {kind}", label, (rounds,), runs["games"], limit)
    worlds = [*context_worlds.main_cases(), *context_worlds.other_cases(rounds)]
    for label in contextual:
        for world in worlds[: 8 if short else None]:
            yield Cell("contexts", world, label, (rounds,), runs["contexts"], 3 * seconds)


def drawn(game: sl.Game, sampler: Callable[[np.random.Generator], Floats], runs: int, seed: int) -> Case:
    """Draw a law for each run."""
    laws = np.array([sampler(np.random.default_rng([seed, run])) for run in range(runs)])
    expected = laws @ loss_matrix(game)[list(sl.analyze(game).pareto)].T
    return Case(game, IID(laws), expected.max(axis=1) - expected.min(axis=1))


def case_of(cell: Cell, seed: int) -> Case:
    """Return where a cell is played: with the same laws, contexts and outcomes for all strategies."""
    if cell.part == "paper":
        name, kind = PAPER_CASES[cell.case]
        return drawn(sl.games.load(name), partial(law_samplers.of_paper, kind), cell.runs, seed)
    if cell.part == "games":
        name, kind = next((n, k) for n in law_samplers.GAMES for k in law_samplers.SAMPLERS if f"{n}, {k}" == cell.case)
        title, given = law_samplers.GAMES[name]
        game = sl.games.load(title, **given)
        return drawn(game, partial(law_samplers.SAMPLERS[kind], game), cell.runs, seed)
    found = (context_worlds.main_cases() | context_worlds.other_cases(cell.horizons[-1]))[cell.case]
    game = found.load()
    how = {"horizon": cell.horizons[-1], "runs": 2, "seed": seed, "checkpoints": 1, "workers": 1}
    fixed = [sl.simulate(sl.strategies.FixedAction(game, a), found.environment, **how) for a in sl.analyze(game).pareto]
    worst = max(one.final.mean() for one in fixed) / cell.horizons[-1]
    return Case(game, found.environment, np.full(cell.runs, worst))


def measure(cell: Cell, case: Case, seed: int) -> list[dict[str, Any]]:
    """Play; return a record for each horizon."""
    strategy = cell.strategy(case.game, case.environment.dimension)
    rounds = cell.horizons[-1]
    how: dict[str, Any] = {"horizon": rounds, "seed": seed, "checkpoints": list(cell.horizons), "workers": 1}
    sl.simulate(strategy, case.environment, runs=1, **how | {"horizon": 2, "checkpoints": 1})  # compiles
    parts: list[Floats] = []
    done, batch, spent = 0, 1, 0.0
    while batch:
        deadline = Deadline(PATIENCE * cell.seconds) if done == 0 else False
        start = time.process_time()
        played = sl.simulate(strategy, case.environment, runs=batch, first_run=done, progress=deadline, **how)
        each = max(time.process_time() - start, 1e-6) / batch
        parts.append(played.regret)
        done, spent = done + batch, spent + each * batch
        # A batch shares what every call costs, so that larger ones say better what a run costs.
        affordable = max(int((cell.seconds - spent) / each), 1 if done == 1 else 0)
        batch = min(8 * batch, affordable, cell.runs - done)
    regrets = np.concatenate(parts)
    return [record(cell, T, regrets[:, k], case.worst[:done], each / rounds * 1e9) for k, T in enumerate(cell.horizons)]


def record(cell: Cell, horizon: int, regret: Floats, worst: Floats, nanoseconds: float) -> dict[str, Any]:
    """Return what is kept of a cell at one horizon."""
    runs = len(regret)
    return {
        "part": cell.part,
        "case": cell.case,
        "strategy": cell.label,
        "horizon": horizon,
        "runs": runs,
        "mean": round(float(regret.mean()), 4),
        "error": round(float(regret.std(ddof=1) / np.sqrt(runs)), 4),
        "q99": round(float(np.quantile(regret, 0.99)), 2),
        "q999": round(float(np.quantile(regret, 0.999)), 2),
        "wrong": round(float((regret > 0.1 * horizon * worst).mean()), 5),
        "nanoseconds": round(nanoseconds, 1),
    }


def main() -> None:
    """Measure what is missing, then write the page."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--short", action="store_true", help="few short runs, to try everything; writes nothing")
    options.add_argument("--runs", type=int, help="at most so many runs of every cell")
    options.add_argument("--seconds", type=float, default=0.5, help="of processor time for a cell of the games")
    options.add_argument("--seed", type=int, default=1000)
    options.add_argument("--only", default="", help="measure only cells whose key holds this text; write no page")
    options.add_argument("--skip", default="\0", help="leave out cells whose key holds this text")
    options.add_argument("--cells", type=Path, default=DOCS / "regret.json", help="the file of finished cells")
    options.add_argument("--page", type=Path, default=DOCS / "regret.md")
    given = options.parse_args()
    runs = {"paper": 4_000, "long": 400, "games": 400, "contexts": 48}
    most = given.runs or (4 if given.short else 10**9)
    known: dict[str, Any] = {}
    if given.cells.exists() and not given.short:
        known = json.loads(given.cells.read_text(encoding="utf-8"))
    warnings.simplefilter("ignore")
    for cell in cells(given.short, {part: min(n, most) for part, n in runs.items()}, given.seconds):
        if cell.key in known or given.only not in cell.key or given.skip in cell.key:
            continue
        try:
            known[cell.key] = measure(cell, case_of(cell, given.seed), given.seed)
        except (sl.SidelightError, TooSlowError):  # the strategy refuses the game, or needs too long for it
            known[cell.key] = []
        if not given.short:
            given.cells.write_text(json.dumps(known, indent=0) + "\n", encoding="utf-8", newline="\n")
    if given.short:
        print(regret_page.text(known, given.seed, PATIENCE))
    elif not given.only:
        given.page.write_text(regret_page.text(known, given.seed, PATIENCE), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
