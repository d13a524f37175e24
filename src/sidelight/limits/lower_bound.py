"""The least regret that any consistent strategy has in the long run, for a given outcome law.

References
----------
J. Komiyama, J. Honda, H. Nakagawa, "Regret lower bound and optimal algorithm in finite stochastic partial monitoring",
NeurIPS 2015.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from sidelight.analysis import Analysis, analyze
from sidelight.errors import SidelightError
from sidelight.game import Game, check_float_range_of_losses, read_exact_loss
from sidelight.kernels.arrays import Floats
from sidelight.optimization.certainty import find_indistinguishable_law, minimize_cost_of_certainty
from sidelight.optimization.geometry import scale_losses_to_optimize
from sidelight.strategies.base import check_number, check_parameter

# Expected losses that differ by less than this, on the scale of the largest loss difference, count as equal: otherwise
# the constant would be far beyond what floats can resolve.
_EQUAL = Fraction(1, 10**12)

_LEAST = Fraction(1, 10**300)


@dataclass(frozen=True, eq=False)
class LowerBound:
    """C*(p): regret that grows slower than every power of T under all laws is at least C*(p) log T under p.

    Attributes
    ----------
    status
        "finite"; "zero" if playing the optimal action shows everything there is to know; "infinite" if some law that
        makes another action better looks the same to every action; "undefined" if the optimum is not unique.
    reason
        The same in a sentence.
    low, high
        Proven bounds of C*(p); equal for "zero" and "infinite", nan for "undefined".
    allocation
        Plays of each action per log T that attain `high` (nearly: any larger share will do). 0 for the optimal action
        and its duplicates, which cost nothing and may be played at will; nan where undefined.
    optimal
        The optimal action, the first of its duplicates.
    """

    status: Literal["finite", "zero", "infinite", "undefined"]
    reason: str
    low: float
    high: float
    allocation: Floats
    optimal: int

    @property
    def value(self) -> float:
        """The middle of the proven interval; its lower bound if floats cannot give an upper one."""
        return self.low if self.low == self.high or self.high == math.inf else 0.5 * (self.low + self.high)

    def __str__(self) -> str:
        if self.status != "finite":
            return f"C* is {self.status}: {self.reason}"
        return f"C* = {self.value:.6g} (proven: {self.low:.9g} to {self.high:.9g})"


def lower_bound(game: Game, law: Any, tolerance: float = 1e-8) -> LowerBound:
    """Return C*(p) of the asymptotic lower bound E[regret] >= C*(p) log T - o(log T), between proven bounds.

    With j the optimal action and Delta its rivals' gaps, C*(p) = min sum_a Delta_a r_a over allocations r >= 0 with
    sum_a r_a KL(S_a p | S_a q) >= 1 for every law q that j cannot tell from p and for which j is not the only optimum.

    Parameters
    ----------
    game
        The game.
    law
        The outcome law p, read as it was meant: 0.1 is one tenth, 1 / 3 is one third (a float that is nearest to a
        fraction with a denominator of at most 1000 stands for that fraction, any other for its decimal text).
    tolerance
        The relative distance of the bounds at which the search stops.

    Examples
    --------
    >>> import sidelight as sl
    >>> print(lower_bound(sl.games.load("apple-tasting"), [0.2, 0.8]))
    C* = 3.11293 (proven: 3.11292514 to 3.11292514)
    """
    analysis = analyze(game)
    check_float_range_of_losses(game)
    law = read_exact_law(law, game.n_outcomes)
    if any(0 < value < _LEAST for value in law):
        raise SidelightError(
            f"the law holds a probability below {float(_LEAST):g}: give 0, or one that is not so small"
        )
    check_number("tolerance", tolerance, above=0)
    check_parameter("tolerance", tolerance, tolerance < 1, "a number below 1")
    if analysis.kind == "trivial":
        j = analysis.pareto[0]
        return _lower_bound_without_optimization(
            game, "zero", f"{_bound_action(game, j)} is optimal whatever the outcomes", j
        )
    losses = [sum((a * b for a, b in zip(row, law, strict=True)), Fraction(0)) for row in game.loss]
    optimal = _optimal_actions_under_law(analysis, losses)
    if len(optimal) > 1:
        reason = (
            f"{' and '.join(_bound_action(game, i) for i in optimal)} are optimal, and the bound needs a unique optimum"
        )
        return _lower_bound_without_optimization(game, "undefined", reason, optimal[0])
    gaps = np.array([float(loss - min(losses)) for loss in losses])
    return _solve_lower_bound(analysis, optimal[0], law, gaps, tolerance)


def _optimal_actions_under_law(analysis: Analysis, losses: list[Fraction]) -> list[int]:
    """Return the optimal actions, the first of each class of duplicates."""
    scale = scale_losses_to_optimize(analysis)[1]
    near = [i for i, loss in enumerate(losses) if loss - min(losses) <= _EQUAL * scale]
    return sorted({analysis.cells.representative[i] for i in near})


def _solve_lower_bound(analysis: Analysis, j: int, law: list[Fraction], gaps: Floats, tolerance: float) -> LowerBound:
    game = analysis.game
    hidden = find_indistinguishable_law(analysis, j, law)
    if hidden is not None:
        shown = ", ".join(str(value) for value in hidden.law)
        rival, best = _bound_action(game, hidden.rival), _bound_action(game, j)
        reason = f"under the law ({shown}) {rival} is no worse than {best}, and every action"
        return _lower_bound_without_optimization(game, "infinite", f"{reason} shows the same", j)
    found = minimize_cost_of_certainty(analysis, j, law, gaps, tolerance)
    if found is None:
        reason = f"playing {_bound_action(game, j)}, at no cost, shows that it is optimal"
        return _lower_bound_without_optimization(game, "zero", reason, j)
    reason = f"{_bound_action(game, j)} is optimal, but playing it does not reveal that"
    return LowerBound("finite", reason, found.low, found.high, found.allocation, j)


def _lower_bound_without_optimization(
    game: Game, status: Literal["zero", "infinite", "undefined"], reason: str, j: int
) -> LowerBound:
    """Return the answer where C*(p) is 0, infinite or undefined without any optimization."""
    value = {"zero": 0.0, "infinite": math.inf, "undefined": math.nan}[status]
    allocation = np.full(game.n_actions, 0.0 if status == "zero" else math.nan)
    return LowerBound(status, reason, value, value, allocation, j)


def read_exact_law(given: Any, outcomes: int) -> list[Fraction]:
    """Read a law exactly; if rounding keeps it from summing to one, that is corrected."""
    values = list(given) if hasattr(given, "__iter__") and not isinstance(given, str) else [given]
    if len(values) != outcomes:
        raise SidelightError(f"the law has {len(values)} entries: give {outcomes} probabilities, one per outcome")
    law = [read_exact_loss(value, f"law[{m}]") for m, value in enumerate(values)]
    law = [near if float(near := value.limit_denominator(1000)) == float(value) else value for value in law]
    if min(law) < 0:
        raise SidelightError(f"the law is {[float(value) for value in law]}: probabilities are not negative")
    total = sum(law, Fraction(0))
    if abs(total - 1) > Fraction(1, 10**9):
        raise SidelightError(
            f"the law is {[float(value) for value in law]}, which sums to {float(total):.12g} and not to 1"
        )
    return [value / total for value in law]


def _bound_action(game: Game, action: int) -> str:
    label = game.actions[action]
    return f"action {action}" if label == str(action) else f"action {action} ({label})"
