"""Results as text."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.results._checks import canonical_json
from sidelight.table import Column, Table
from sidelight.text import count, one_line

if TYPE_CHECKING:
    from sidelight.results.results import Results

_LONGEST_VALUE = 30
_CHECKPOINTS = 5
_ACTIONS = 6


def label(strategy: dict[str, Any]) -> str:
    """Return the strategy's name, its parameters that are not at their defaults, and its package if it is not ours.

    A strategy of another package is marked with that package and its version: "Mine(rate=2) [tiny-pm 0.3]".
    """
    defaults = strategy.get("defaults", {})
    shown = [
        f"{key}={_short(value)}"
        for key, value in strategy.get("parameters", {}).items()
        if key not in defaults or canonical_json(value) != canonical_json(defaults[key])
    ]
    name = one_line(strategy["name"])
    external = strategy.get("external")
    mark = " " + one_line(f"[{external['package']} {external['version']}]") if external else ""
    return (f"{name}({', '.join(shown)})" if shown else name) + mark


def line(results: Results) -> str:
    """Return the results in one line."""
    if not results.has_game:
        names = ", ".join(results.measures)
        return f"<Results {results.label}, {results.environment['name']}: {count(results.n_runs, 'run')}, {names}>"
    final = results.summary()
    error = "" if math.isnan(final.standard_error) else f" (standard error {final.standard_error:.3g})"
    return (
        f"<Results {results.label} on {game_words(results)}: {count(final.runs, 'run')} to round {final.round}, "
        f"mean {regret_words(results)} {final.mean:.6g}{error}>"
    )


def table(results: Results) -> str:
    """Return a few checkpoints and the shares of the actions as a small table."""
    if not results.has_game:
        return line(results)
    final = results.summary()
    environment = one_line(results.environment["name"])
    title = (
        f"{results.label} on {game_words(results)}, {environment}: {count(final.runs, 'run')} to round {final.round}"
    )
    last = results.rounds.size - 1
    picked = sorted({round(k * last / (_CHECKPOINTS - 1)) for k in range(_CHECKPOINTS)})
    rows = []
    for number in results.rounds[picked].tolist():
        s = results.summary(number)
        rows.append((number, s.mean, s.standard_error, *(s.quantiles[percent] for percent in (5, 50, 95, 99)), s.max))
    titles = ("mean", "std. error", "5 %", "median", "95 %", "99 %", "max")
    numbers = Table([Column("round", left=False), *(Column(title, "{:.5g}".format) for title in titles)], rows)
    body = textwrap.indent(numbers.to_text(None), "  ")
    return "\n".join([title, regret_words(results), body, _shares(results)])


def _shares(results: Results) -> str:
    """Return the actions that were played most, with their shares of all plays."""
    plays = results.mean_plays
    shares = 100 * plays / max(float(plays.sum()), 1.0)
    order = np.argsort(-shares, kind="stable")
    shown = [f"{one_line(results.game.actions[action])} {shares[action]:.1f} %" for action in order[:_ACTIONS]]
    rest = "" if len(order) <= _ACTIONS else f", {len(order) - _ACTIONS} more {shares[order[_ACTIONS:]].sum():.1f} %"
    return f"plays  {', '.join(shown)}{rest}"


def regret_words(results: Results) -> str:
    """Return the kind of regret in words."""
    return "pseudo-regret" if results.regret_kind == "pseudo-regret" else "regret in hindsight"


def game_words(results: Results) -> str:
    """Name the game."""
    game = results.game
    return one_line(game.name or f"a game of {count(game.n_actions, 'action')}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."
