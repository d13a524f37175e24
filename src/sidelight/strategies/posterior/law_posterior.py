"""The posterior over outcome laws given the symbols seen, exact or replaced by a Gaussian; as a whole and along a line.

The prior density is proportional to exp(-(lambda / 2) |p|^2) on the simplex. With f_a the frequencies of the n_a
symbols that followed action a the two posteriors are

    F(p) = prior(p) prod_a exp(-n_a KL(f_a | S_a p)),             the exact one, and
    G(p) = prior(p) prod_a exp(-(kappa / 2) n_a |f_a - S_a p|^2), a Gaussian cut off at the simplex, kappa = 1.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.shared.gaussian import Channels, GaussianBelief, gaussian_channels

_IMPOSSIBLE = -1e300
# Up to this lambda at least exp(-1/2) of the Dirichlet draws are accepted.
_FLAT = 1.0


class Target(NamedTuple):
    """The posterior to draw from, and how."""

    exact: int  # 1 for F, 0 for G
    kappa: float
    regularization: float  # lambda
    tries: int  # how many proposals may fail before the chain takes over
    dirichlet: int  # 1 if all informative actions show the outcome, so that F is nearly a Dirichlet law
    channel: Channels
    shown: Integers  # for an action that shows the outcome, the outcome of each symbol
    weight: Floats  # kappa for each symbol


class Belief(NamedTuple):
    """What was seen: counts of all symbols and of each action's, and the Gaussian that they make."""

    counts: Annotated[Floats, "symbols"]
    seen: Annotated[Floats, "actions"]
    gaussian: GaussianBelief


def new_posterior_target(game: Game, exact: bool, regularization: float, tries: int) -> Target:
    """Return the target of the draws."""
    channel, kappa = gaussian_channels(game), 2.0 if exact else 1.0
    informative = [a for a in range(game.n_actions) if game.informative(a)]
    revealing = all(len(game.symbols(a)) == game.n_outcomes for a in informative)
    rows = [row for a in range(game.n_actions) for row in game.signal(a)]
    return Target(
        exact=int(exact),
        kappa=kappa,
        regularization=regularization,
        tries=tries,
        dirichlet=int(exact and revealing and regularization <= _FLAT and tries > 0),
        channel=channel,
        shown=np.array([list(row).index(1) for row in rows], np.int64),  # the first outcome that shows the symbol
        weight=np.full(len(channel.owner), kappa),
    )


@kernel
def log_posterior_along_line(
    target: Target, belief: Belief, law: Floats, direction: Floats, change: Floats
) -> tuple[float, float]:
    """Prepare log F (or log G) at law + s direction: return curvature and slope of the part that is quadratic in s.

    That is -curvature s^2 / 2 + slope s. For F the rest is sum_k nu_k log(1 + s change_k), where change_k, which is
    set, is the relative change of symbol k's probability.
    """
    channel = target.channel
    curvature, slope = 0.0, 0.0
    for j in range(law.shape[0]):
        curvature += direction[j] * direction[j]
        slope -= law[j] * direction[j]
    curvature *= target.regularization
    slope *= target.regularization
    for n in range(channel.watched.shape[0]):
        k = channel.watched[n]
        plays = belief.seen[channel.owner[k]]
        if plays > 0.0:
            chance, step = channel.offset[k], 0.0
            for i in range(channel.slope.shape[1]):
                chance += channel.slope[k, i] * law[i]
                step += channel.slope[k, i] * direction[i]
            if target.exact == 0:
                curvature += target.kappa * plays * step * step
                slope += target.kappa * step * (belief.counts[k] - plays * chance)
            else:
                change[k] = step / max(chance, 1e-300)
    return curvature, slope


@kernel
def posterior_log_ratio(
    target: Target, belief: Belief, change: Floats, curvature: float, slope: float, s: float
) -> float:
    """Return by how much log F (or log G) is larger at law + s direction than at the law."""
    value = s * (slope - 0.5 * curvature * s)
    if target.exact == 1:
        watched = target.channel.watched
        for n in range(watched.shape[0]):
            k = watched[n]
            if belief.counts[k] > 0.0:
                part = s * change[k]
                if part <= -1.0:
                    return _IMPOSSIBLE
                value += belief.counts[k] * math.log1p(part)
    return value
