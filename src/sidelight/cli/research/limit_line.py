"""The limit of how good a strategy can be, for the table and the figure of `sidelight simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from sidelight.cli.research.arguments import laws
from sidelight.errors import SidelightError
from sidelight.limits import lower_bound
from sidelight.report.figures.curves import FigureCurve
from sidelight.simulation import simulate
from sidelight.strategies import BayesOptimal

if TYPE_CHECKING:
    from sidelight.cli.research.simulate import Plan

_ASYMPTOTIC = "C*(p) log T (asymptotic)"


def find_limit_line(plan: Plan, rounds: Any, law: str | None, law_from: str | None) -> FigureCurve | None:
    """Return C*(p) log t for one law, or for drawn laws the mean regret of the best play for them, in the same runs."""
    try:
        if plan.environment.dimension:
            raise SidelightError("no limit is known for games with contexts")
        if law is not None:
            return _asymptotic_limit_line(plan, rounds, law)
        return _bayes_limit_line(plan, law_from or laws.DEFAULT)
    except SidelightError as error:
        click.echo(f"sidelight: note: no limit is drawn: {error}", err=True)
        return None


def limit_at_end(limit: FigureCurve | None) -> float | None:
    """Return the limit at the last round."""
    return None if limit is None else float(limit.mean[-1])


def caption_of_limit_line(limit: FigureCurve | None) -> str:
    """Explain what the limit bounds."""
    if limit is None:
        return ""
    what = "bounds how regret grows in the long run, not the regret at any one round, which may be lower"
    if limit.label != _ASYMPTOTIC:
        what = "is the mean in the same runs: no strategy has less on average at the last round"
        what += ", though it may have less before"
    return f" The limit is {limit.label}, {limit_at_end(limit):.4g} at the last round. It {what}."


def _asymptotic_limit_line(plan: Plan, rounds: Any, law: str) -> FigureCurve:
    bound = lower_bound(plan.game, laws.read_law_option(law, plan.game))
    if bound.status != "finite":
        raise SidelightError(f"C*(p) is {bound.status}: {bound.reason}")
    return FigureCurve(_ASYMPTOTIC, rounds, bound.low * np.log(np.maximum(rounds, 1)))


def _bayes_limit_line(plan: Plan, law_from: str) -> FigureCurve:
    player = BayesOptimal(plan.game, plan.horizon, law_from)
    found = simulate(player, plan.environment, plan.horizon, plan.runs, plan.seed, plan.checkpoints, plan.workers)
    label = f"Bayes-optimal play for T = {plan.horizon}, {player.assumes}"
    return FigureCurve(label, found.rounds, found.regret.mean(axis=0))
