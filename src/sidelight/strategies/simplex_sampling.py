"""Draws from the posterior over outcome laws, exactly where that is cheap and by a Markov chain elsewhere.

The prior density is proportional to exp(-(lambda / 2) |p|^2) on the simplex. With f_a the frequencies of the n_a
symbols that followed action a the two targets are

    F(p) = prior(p) prod_a exp(-n_a KL(f_a | S_a p)),             the exact posterior, and
    G(p) = prior(p) prod_a exp(-(kappa / 2) n_a |f_a - S_a p|^2), a Gaussian cut off at the simplex, kappa = 1.

Rejection draws from the Gaussian until it falls into the simplex; for F it accepts with probability F / G, kappa = 2.
By Pinsker's inequality KL >= |.|_1^2 / 2, and |.|_1^2 >= 2 |.|_2^2 for differences of laws, so F <= G and the draw is
exact. (The paper's envelope has kappa = 1 and accepts less often.) Where all informative actions show the outcome, F is
a Dirichlet density times the prior, which is drawn from directly.

With outcomes that are hardly told apart hardly any proposal falls into the simplex. When `tries` in a row have failed,
a chain takes over that leaves F (or G) invariant and goes on from the last law drawn. Since an accepted proposal does
not depend on how many failed before it, giving up biases nothing. Rejection is tried again ever more rarely.

A step of the chain picks a line through the current law, independent of it: a direction from N(0, H^-1), H being the
curvature of -log F (or -log G) at the observed frequencies plus that of the simplex, or the exchange of probability
between two outcomes. On the line it makes a slice sampling step (R. Neal, "Slice sampling", Annals of Statistics,
2003). Measured on bandits, pricing and Bartók's game, with 5 to 20 000 plays of each action, even and uneven, loss
differences in successive draws are almost uncorrelated: the integrated autocorrelation time is at most 1.5 draws.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_outer, cholesky, solve, solve_upper
from sidelight.strategies._gaussian import Channels, prior

# The chain's steps: of a draw, for each of the M - 1 dimensions; and before the first draw, as many draws as that.
_STEPS = 4
_WARMING = 50
# In units of the standard deviation along a line.
_WIDTH = 3.0
_IMPOSSIBLE = -1e300


class Target(NamedTuple):
    """What to draw from."""

    exact: int  # 1 for F, 0 for G
    kappa: float
    regularization: float  # lambda
    tries: int  # how many proposals may fail before the chain takes over
    dirichlet: int  # 1 if all informative actions show the outcome, so that F is nearly a Dirichlet law
    channel: Channels
    shown: Integers  # for an action that shows the outcome, the outcome of each symbol
    weight: Floats  # kappa for each symbol


def desk(channel: Channels, outcomes: int, regularization: float) -> dict[str, Any]:
    """Return what `draw_law` reads and writes, as fields of a state."""
    size, symbols = outcomes - 1, len(channel.owner)
    precision, information = prior(outcomes, regularization)
    return {
        "counts": np.zeros(symbols),
        "seen": np.zeros(len(channel.informative)),
        "precision": precision,
        "information": information,
        "law": np.full(outcomes, 1.0 / outcomes),
        "proposal": np.full(outcomes, 1.0 / outcomes),
        "root": np.zeros((size, size)),
        "mean": np.zeros(size),
        "metric": np.zeros((size, size)),
        "metric_root": np.zeros((size, size)),
        "direction": np.zeros(outcomes),
        "slide": np.zeros(symbols),
        "stale": np.ones(2, np.int64),
        "drawn": np.zeros(1, np.int64),
        "retry": np.zeros(1, np.int64),
    }


@kernel
def draw_law(target: Target, state: Any, t: int, rng: np.random.Generator) -> None:
    """Set state.law to a draw from the target; t is the round, by which rejection is tried again."""
    done = False
    if target.dirichlet == 1:
        draw_dirichlet(target, state, rng)
        done = True
    elif t >= state.retry[0] and target.tries > 0:
        if state.stale[0] == 1:
            state.stale[0] = 0
            cholesky(state.precision, state.root, state.mean.shape[0], 0.0, 0.0)
            solve(state.root, state.information, state.mean)
        for _ in range(target.tries):
            if propose(state, rng) and (target.exact == 0 or accept(target.channel, state, rng)):
                done = True
                break
        if done:
            for j in range(state.law.shape[0]):
                state.law[j] = state.proposal[j]
        else:
            state.retry[0] = t + 32 + t // 4
    if not done:
        walk(target, state, rng)
    state.drawn[0] = 1


@kernel
def draw_dirichlet(target: Target, state: Any, rng: np.random.Generator) -> None:
    """Draw from F: a Dirichlet law with the counts of each outcome, accepted by the factor exp(-(lambda / 2) |p|^2)."""
    watched, law = target.channel.watched, state.law
    size = law.shape[0]
    if state.stale[0] == 1:
        state.stale[0] = 0
        for j in range(size):
            state.proposal[j] = 1.0
        for n in range(watched.shape[0]):
            state.proposal[target.shown[watched[n]]] += state.counts[watched[n]]
    while True:
        total = 0.0
        for j in range(size):
            law[j] = rng.gamma(state.proposal[j], 1.0)
            total += law[j]
        square = 0.0
        for j in range(size):
            law[j] /= total
            square += law[j] * law[j]
        # The factor relative to its largest value, at the uniform law.
        if rng.exponential() >= 0.5 * target.regularization * (square - 1.0 / size):
            break


@kernel
def propose(state: Any, rng: np.random.Generator) -> bool:
    """Set a proposal from the Gaussian, last entry first; False as soon as it leaves the simplex."""
    size = state.mean.shape[0]
    left = 1.0
    for back in range(size):
        i = size - 1 - back
        z = rng.normal()
        for k in range(i + 1, size):
            z -= state.root[k, i] * state.direction[k]
        z /= state.root[i, i]
        value = state.mean[i] + z
        left -= value
        if value < 0.0 or left < 0.0:
            return False
        state.direction[i] = z
        state.proposal[i] = value
    state.proposal[size] = left
    return True


@kernel
def accept(channel: Channels, state: Any, rng: np.random.Generator) -> bool:
    """Accept a proposal with probability F / G, log(F / G) = sum_a n_a (-KL(f_a | S_a p) + |f_a - S_a p|^2)."""
    ratio = 0.0
    for n in range(channel.watched.shape[0]):
        k = channel.watched[n]
        plays = state.seen[channel.owner[k]]
        if plays > 0.0:
            chance = channel.offset[k]
            for i in range(channel.slope.shape[1]):
                chance += channel.slope[k, i] * state.proposal[i]
            gap = state.counts[k] / plays - chance
            ratio += plays * gap * gap
            if state.counts[k] > 0.0:
                if chance <= 0.0:
                    return False
                ratio += state.counts[k] * math.log(chance * plays / state.counts[k])
    return -rng.exponential() <= ratio


@kernel
def walk(target: Target, state: Any, rng: np.random.Generator) -> None:
    """Set state.law to the chain's next draw."""
    if state.stale[1] == 1:
        state.stale[1] = 0
        measure(target, state)
    size = state.mean.shape[0]
    steps = _STEPS * size
    if state.drawn[0] == 0:
        steps *= _WARMING
    for step in range(steps):
        unit = aim(state, rng) if step % 2 == 0 else exchange(state, rng)
        slide(target, state, _WIDTH * unit, rng)


@kernel
def measure(target: Target, state: Any) -> None:
    """Set H = (lambda + M^2) E'E + sum_k w_k slope_k slope_k', w_k = n_a / f_k (smoothed) for F, kappa n_a for G."""
    size = state.mean.shape[0]
    ground = target.regularization + (size + 1.0) * (size + 1.0)
    for i in range(size):
        for j in range(i + 1):
            state.metric[i, j] = 2.0 * ground if i == j else ground
    channel = target.channel
    for n in range(channel.watched.shape[0]):
        k = channel.watched[n]
        plays = state.seen[channel.owner[k]]
        if plays > 0.0:
            weight = target.kappa * plays
            if target.exact == 1:
                weight = plays * (plays + 1.0) / (state.counts[k] + 0.5)
            add_outer(state.metric, weight, channel.slope[k])
    cholesky(state.metric, state.metric_root, size, 0.0, 0.0)


@kernel
def aim(state: Any, rng: np.random.Generator) -> float:
    """Set a direction from N(0, H^-1), of length 1 in H, which is returned."""
    direction = state.direction
    size = state.mean.shape[0]
    length = 0.0
    for i in range(size):
        direction[i] = rng.normal()
        length += direction[i] * direction[i]
    length = math.sqrt(length)
    inner = direction[:size]
    solve_upper(state.metric_root, inner, inner)
    total = 0.0
    for i in range(size):
        direction[i] /= length
        total += direction[i]
    direction[size] = -total
    return 1.0


@kernel
def exchange(state: Any, rng: np.random.Generator) -> float:
    """Set the direction from one outcome to another, both drawn; return what has length 1 in H along it."""
    direction, metric = state.direction, state.metric
    outcomes = direction.shape[0]
    first = int(rng.random() * outcomes)
    second = int(rng.random() * (outcomes - 1))
    if second >= first:
        second += 1
    for j in range(outcomes):
        direction[j] = 0.0
    direction[first] = 1.0
    direction[second] = -1.0
    low, high = min(first, second), max(first, second)
    square = metric[low, low]
    if high < outcomes - 1:
        square += metric[high, high] - 2.0 * metric[high, low]
    return 1.0 / math.sqrt(square)


@kernel
def slide(target: Target, state: Any, width: float, rng: np.random.Generator) -> None:
    """Move the law along the direction by a slice sampling step, stepping out by `width`, within the simplex."""
    law, direction = state.law, state.direction
    lowest, highest = -math.inf, math.inf
    for j in range(law.shape[0]):
        if direction[j] > 0.0:
            lowest = max(lowest, -law[j] / direction[j])
        elif direction[j] < 0.0:
            highest = min(highest, -law[j] / direction[j])
    bend, slope = along(target, state)
    level = -rng.exponential()
    left = -width * rng.random()
    right = left + width
    while left > lowest and rise(target, state, bend, slope, left) >= level:
        left -= width
    while right < highest and rise(target, state, bend, slope, right) >= level:
        right += width
    left, right = max(left, lowest), min(right, highest)
    move = left + (right - left) * rng.random()
    while rise(target, state, bend, slope, move) < level:
        if move < 0.0:
            left = move
        else:
            right = move
        move = left + (right - left) * rng.random()
    rest = 1.0
    last = law.shape[0] - 1
    for j in range(last):
        law[j] = max(0.0, law[j] + move * direction[j])
        rest -= law[j]
    law[last] = max(0.0, rest)


@kernel
def along(target: Target, state: Any) -> tuple[float, float]:
    """Prepare log F (or log G) at law + s direction: what is quadratic in s, -bend s^2 / 2 + slope s, and the rest.

    For F that is sum_k nu_k log(1 + s slide_k), slide_k the relative change of symbol k's probability.
    """
    channel, law, direction = target.channel, state.law, state.direction
    bend, slope = 0.0, 0.0
    for j in range(law.shape[0]):
        bend += direction[j] * direction[j]
        slope -= law[j] * direction[j]
    bend *= target.regularization
    slope *= target.regularization
    for n in range(channel.watched.shape[0]):
        k = channel.watched[n]
        plays = state.seen[channel.owner[k]]
        if plays > 0.0:
            chance, change = channel.offset[k], 0.0
            for i in range(channel.slope.shape[1]):
                chance += channel.slope[k, i] * law[i]
                change += channel.slope[k, i] * direction[i]
            if target.exact == 0:
                bend += target.kappa * plays * change * change
                slope += target.kappa * change * (state.counts[k] - plays * chance)
            else:
                state.slide[k] = change / max(chance, 1e-300)
    return bend, slope


@kernel
def rise(target: Target, state: Any, bend: float, slope: float, s: float) -> float:
    """Return by how much log F (or log G) is larger at law + s direction than at the law."""
    value = s * (slope - 0.5 * bend * s)
    if target.exact == 1:
        watched = target.channel.watched
        for n in range(watched.shape[0]):
            k = watched[n]
            if state.counts[k] > 0.0:
                change = s * state.slide[k]
                if change <= -1.0:
                    return _IMPOSSIBLE
                value += state.counts[k] * math.log1p(change)
    return value
