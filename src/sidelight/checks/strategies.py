"""`check_strategy`: what every strategy must pass."""

from __future__ import annotations

from collections.abc import Iterable

from sidelight import games as catalogue
from sidelight.checks import arguments, contract, feedback, invariance, simulation
from sidelight.checks.report import Check, Report, ensure
from sidelight.checks.stage import Factory, Stage
from sidelight.errors import SidelightError
from sidelight.game import Game


def check_strategy(factory: Factory, games: Iterable[Game] | None = None) -> Report:
    """Check a strategy on several games and return what was checked.

    Parameters
    ----------
    factory
        Makes the strategy for a game, with the same seed each time. It may refuse a game with a `SidelightError`: that
        game is skipped, but at least one must be accepted.
    games
        The games to play; by default some of every kind.

    Notes
    -----
    A class may declare `shift_invariant = False` if constants in a loss column matter to it, and `bounded_memory =
    False` if its state grows with the horizon. Contextual strategies (`dimension` > 0) are shown random contexts.

    Raises
    ------
    AssertionError
        With a sentence that says what is wrong, and in which game.
    """
    subject, skipped, stages = "the strategy", {}, []
    for game in default_games() if games is None else games:
        try:
            made = factory(game)
        except SidelightError as error:
            skipped[_name_of_checked_game(game)] = str(error)
        else:
            subject = type(made).__name__
            stages.append(Stage(game, factory))
    ensure(stages, f"{subject} refuses every game: " + "; ".join(f"{name}: {why}" for name, why in skipped.items()))
    report = Report(subject, skipped=skipped)
    for stage in stages:
        report.run(strategy_checks(), stage, _name_of_checked_game(stage.game))
    return report


def strategy_checks() -> tuple[Check, ...]:
    """Return all checks of strategies; each takes a `Stage`."""
    return contract.CHECKS + arguments.CHECKS + feedback.CHECKS + invariance.CHECKS + simulation.CHECKS


def default_games() -> tuple[Game, ...]:
    """Return games of every kind: easy, hard, hopeless and trivial, with two outcomes and more, with duplicates."""
    return (
        catalogue.load("apple-tasting"),
        catalogue.load("label-efficient"),
        catalogue.load("tau-detection"),
        catalogue.load("degenerate-informative", kind="duplicate"),
        catalogue.load("bernoulli-bandit"),
        catalogue.load("bartok"),
        catalogue.load("dynamic-pricing", prices=4),
        catalogue.load("trivial"),
        Game([[0, 0, 0], [1, 2, 1]], [["x", "x", "x"], ["a", "b", "b"]], name="trivial, three outcomes"),
        Game([[1, 0, 2]], [["a", "b", "b"]], name="one action"),
        catalogue.load("hopeless"),
    )


def _name_of_checked_game(game: Game) -> str:
    return game.name or repr(game)
