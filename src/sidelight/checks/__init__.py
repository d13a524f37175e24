"""Checks that every game, environment and strategy must pass, ours and yours.

>>> import sidelight as sl
>>> from sidelight.checks import check_strategy
>>> report = check_strategy(lambda game: sl.strategies.CBP(game), games=[sl.games.load("apple-tasting")])
>>> report.count > 15
True

A check that fails raises an AssertionError whose text says what is wrong and in which game.
"""

from sidelight.checks.environments import check_environment
from sidelight.checks.games import check_game
from sidelight.checks.report import Report
from sidelight.checks.strategies import check_strategy, default_games, strategy_checks

__all__ = ["Report", "check_environment", "check_game", "check_strategy", "default_games", "strategy_checks"]
