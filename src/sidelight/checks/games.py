"""`check_game`: what every game must pass."""

from __future__ import annotations

import copy
import pickle
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from sidelight.analysis import analyze
from sidelight.checks.report import Report, checks_in, ensure, ensure_plain_data
from sidelight.errors import GameError
from sidelight.game import Game


def check_game(game: Game) -> Report:
    """Check that a game is sound, can be saved, and has a consistent analysis; return what was checked.

    Raises
    ------
    AssertionError
        With a sentence that says what is wrong.
    """
    ensure(isinstance(game, Game), f"a {type(game).__name__} is not a Game: make one with Game(loss, feedback)")
    report = Report("the game")
    report.run(CHECKS, game, game.name or repr(game))
    return report


def matrices_agree(game: Game) -> None:
    """Check sizes, exactness, symbols and signals."""
    for what, matrix in (("loss", game.loss), ("feedback", game.feedback)):
        ensure(len(matrix) == game.n_actions, f"{what} has {len(matrix)} rows for {game.n_actions} actions")
        ensure({len(row) for row in matrix} == {game.n_outcomes}, f"{what} has a row of the wrong length")
    ensure(all(type(value) is Fraction for row in game.loss for value in row), "a loss is not an exact fraction")
    ensure(len(set(game.actions)) == game.n_actions, "the actions' names are not distinct, one for each")
    ensure(len(set(game.outcomes)) == game.n_outcomes, "the outcomes' names are not distinct, one for each")
    for a, row in enumerate(game.feedback):
        ensure(game.symbols(a) == tuple(dict.fromkeys(row)), f"symbols({a}) are not those of its row in their order")
        wanted = tuple(tuple(int(shown == symbol) for shown in row) for symbol in game.symbols(a))
        ensure(game.signal(a) == wanted, f"signal({a}) does not say where its symbols are shown")
        ensure(game.informative(a) == (len(set(row)) > 1), f"informative({a}) is wrong")


def survives_copies(game: Game) -> str | None:
    """Check that plain data, files and copies give back an equal game."""
    try:
        data = game.to_dict()
    except GameError as error:
        return str(error)  # symbols may be anything that can be hashed, and not all of that can be written down
    ensure_plain_data(data, "to_dict()")
    again: dict[str, Callable[[], Game]] = {
        "plain data": lambda: Game.from_dict(data),
        "copy.deepcopy": lambda: copy.deepcopy(game),
        "pickle": lambda: pickle.loads(pickle.dumps(game)),
    }
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".json", ".toml"):
            path = Path(folder) / f"game{suffix}"
            game.save(path)
            again[f"a {suffix} file"] = lambda path=path: Game.load(path)  # type: ignore[misc]
        for way, make in again.items():
            other = make()
            ensure(other == game and hash(other) == hash(game), f"{way} gives another game")
            labels = (other.name, other.actions, other.outcomes)
            ensure(labels == (game.name, game.actions, game.outcomes), f"{way} loses a name")
    return None


def analysis_hangs_together(game: Game) -> None:
    """Check that every action has one status, neighbors are optimal somewhere, and the class follows from them."""
    analysis = analyze(game)
    found = sorted(analysis.pareto + analysis.degenerate + analysis.dominated)
    ensure(found == list(range(game.n_actions)), "Pareto-optimal, degenerate and dominated actions are not all actions")
    ensure(analysis.pareto, "no action is Pareto-optimal")
    least = [min(column) for column in zip(*game.loss, strict=True)]
    trivial = any(list(row) == least for row in game.loss)
    ensure(trivial == (analysis.kind == "trivial"), f"the game is called {analysis.kind}")
    for i, j in analysis.neighbors:
        ensure(i < j and {i, j} <= set(analysis.pareto), f"{(i, j)} cannot be a pair of neighbors")
        ensure({i, j} <= set(analysis.neighborhood(i, j)), f"the neighborhood of {(i, j)} lacks one of them")
    local = all(analysis.locally_observable(i, j) for i, j in analysis.neighbors)
    ensure(trivial or local == (analysis.kind == "easy"), f"the game is called {analysis.kind}")


def observers_observe(game: Game) -> str | None:
    """Check that observer vectors add up to the loss differences, exactly."""
    analysis = analyze(game)
    pairs = [pair for pair in analysis.neighbors if analysis.globally_observable(*pair)]
    if not pairs:
        return "there is no pair of neighbors to be told apart"
    for i, j in pairs:
        total = [Fraction(0)] * game.n_outcomes
        for a, vector in analysis.observer_vectors(i, j).items():
            for weight, row in zip(vector, game.signal(a), strict=True):
                total = [t + weight * s for t, s in zip(total, row, strict=True)]
        wanted = [x - y for x, y in zip(game.loss[i], game.loss[j], strict=True)]
        ensure(total == wanted, f"the observer vectors of {(i, j)} do not add up to the loss difference")
    return None


def explains_itself(game: Game) -> None:
    """Check that the analysis can be read by people and by programs."""
    analysis = analyze(game)
    ensure(analysis.kind in analysis.explain(), "explain() does not name the kind of game")
    ensure_plain_data(analysis.to_dict(), "the analysis as data")
    ensure(str(game) and repr(game), "the game cannot be printed")


CHECKS = checks_in(globals())
