"""How good is possible, for the table and the figure of `sidelight simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from sidelight.cli import _laws
from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.cli.simulate import Plan
    from sidelight.report.regret_figure import Limit


def find(plan: Plan, rounds: Any, p: str | None) -> Limit | None:
    """Return C*(p) log t for one law, else the mean regret of Bayes-optimal play in the same runs."""
    try:
        if plan.environment.dimension:
            raise SidelightError("no limit is known with contexts")
        return _asymptotic(plan, rounds, p) if p is not None else _bayes(plan)
    except SidelightError as error:
        click.echo(f"sidelight: note: no limit is drawn: {error}", err=True)
        return None


def final(limit: Limit | None) -> float | None:
    """Return the limit at the last round."""
    return None if limit is None else float(limit.values[-1])


def caption(limit: Limit | None) -> str:
    """Say what the limit is."""
    return "" if limit is None else f" The limit is {limit.label}: {final(limit):.4g} at the last round."


def _asymptotic(plan: Plan, rounds: Any, p: str) -> Limit:
    from sidelight.limits import lower_bound
    from sidelight.report.regret_figure import Limit

    bound = lower_bound(plan.game, _laws.law(p, plan.game))
    if bound.status != "finite":
        raise SidelightError(f"C*(p) is {bound.status}: {bound.reason}")
    return Limit(rounds, bound.low * np.log(np.maximum(rounds, 1)), "C*(p) log T, asymptotically")


def _bayes(plan: Plan) -> Limit:
    from sidelight.limits import BayesOptimal
    from sidelight.report.regret_figure import Limit
    from sidelight.simulation import simulate

    player = BayesOptimal(plan.game, plan.horizon)
    found = simulate(
        plan.game, player, plan.environment, plan.horizon, plan.runs, plan.seed, plan.checkpoints, plan.workers
    )
    return Limit(found.rounds, found.regret.mean(axis=0), "Bayes-optimal play, uniform prior, in the same runs")
