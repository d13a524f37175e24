"""Results as people read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.results._checks import canonical

if TYPE_CHECKING:
    from sidelight.results.results import Results

_LONGEST_VALUE = 30
_CHECKPOINTS = 5
_ACTIONS = 6


def label(strategy: dict[str, Any]) -> str:
    """Return the strategy's name and those of its parameters that are not at their defaults."""
    defaults = strategy.get("defaults", {})
    shown = [
        f"{key}={_short(value)}"
        for key, value in strategy.get("parameters", {}).items()
        if key not in defaults or canonical(value) != canonical(defaults[key])
    ]
    name = _one_line(strategy["name"])
    return f"{name}({', '.join(shown)})" if shown else name


def line(results: Results) -> str:
    """Return the results in one line."""
    final = results.summary()
    error = "" if math.isnan(final.standard_error) else f" (standard error {final.standard_error:.3g})"
    return (
        f"<Results {results.label} on {_game(results)}: {_count(final.runs, 'run')} to round {final.round}, "
        f"mean {_regret(results)} {final.mean:.6g}{error}>"
    )


def table(results: Results) -> str:
    """Return a few checkpoints and the shares of the actions as a small table."""
    final = results.summary()
    environment = _one_line(results.environment["name"])
    title = f"{results.label} on {_game(results)}, {environment}: {_count(final.runs, 'run')} to round {final.round}"
    rows: list[tuple[str, ...]] = [("round", "mean", "std. error", "5 %", "median", "95 %", "99 %", "max")]
    count = results.rounds.size
    picked = sorted({round(k * (count - 1) / (_CHECKPOINTS - 1)) for k in range(_CHECKPOINTS)})
    for number in results.rounds[picked].tolist():
        s = results.summary(number)
        values = (s.mean, s.standard_error, *(s.quantiles[percent] for percent in (5, 50, 95, 99)), s.max)
        rows.append((str(number), *("-" if math.isnan(value) else f"{value:.5g}" for value in values)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    body = ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([title, _regret(results), *body, _shares(results)])


def _shares(results: Results) -> str:
    """Return the actions that were played most, with their shares of all plays."""
    plays = results.mean_plays
    shares = 100 * plays / max(float(plays.sum()), 1.0)
    order = np.argsort(-shares, kind="stable")
    shown = [f"{_one_line(results.game.actions[action])} {shares[action]:.1f} %" for action in order[:_ACTIONS]]
    rest = "" if len(order) <= _ACTIONS else f", {len(order) - _ACTIONS} more {shares[order[_ACTIONS:]].sum():.1f} %"
    return f"plays  {', '.join(shown)}{rest}"


def _regret(results: Results) -> str:
    return "pseudo-regret" if results.regret_kind == "pseudo-regret" else "regret in hindsight"


def _game(results: Results) -> str:
    game = results.game
    return _one_line(game.name or f"a game of {_count(game.n_actions, 'action')}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
