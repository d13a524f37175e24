"""Results as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sidelight.results._checks import canonical_json_of_results
from sidelight.text import count, one_line, shortened

if TYPE_CHECKING:
    from sidelight.results.results import Results

_LONGEST_VALUE = 30


def label_of_results(strategy: dict[str, Any]) -> str:
    """Return the strategy's name, its parameters that are not at their defaults, and its package if it is not ours.

    A strategy of another package is marked with that package and its version: "Mine(rate=2) [tiny-pm 0.3]".
    """
    defaults = strategy.get("defaults", {})
    shown = [
        f"{key}={shortened(repr(value), _LONGEST_VALUE)}"
        for key, value in strategy.get("parameters", {}).items()
        if key not in defaults or canonical_json_of_results(value) != canonical_json_of_results(defaults[key])
    ]
    name = one_line(strategy["name"])
    external = strategy.get("external")
    mark = " " + one_line(f"[{external['package']} {external['version']}]") if external else ""
    return (f"{name}({', '.join(shown)})" if shown else name) + mark


def line_about_results(results: Results) -> str:
    """Return the results in one line."""
    if not results.has_game:
        names = ", ".join(results.measures)
        return f"<Results {results.label}, {results.environment['name']}: {count(results.n_runs, 'run')}, {names}>"
    final = results.summary()
    error = "" if math.isnan(final.standard_error) else f" (standard error {final.standard_error:.3g})"
    return (
        f"<Results {results.label} on {results_game_words(results)}: {count(final.runs, 'run')} to round "
        f"{final.round}, mean {results_regret_words(results)} {final.mean:.6g}{error}>"
    )


def results_regret_words(results: Results) -> str:
    """Return the kind of regret in words."""
    return "pseudo-regret" if results.regret_kind == "pseudo-regret" else "regret in hindsight"


def results_game_words(results: Results) -> str:
    """Name the game."""
    game = results.game
    return one_line(game.name or f"a game of {count(game.n_actions, 'action')}")
