"""Draws from the posterior over outcome laws, exactly where that is cheap and by a Markov chain elsewhere.

Rejection draws from the Gaussian G (see `law_posterior`) until it falls into the simplex; for the exact posterior F it
accepts with probability F / G, kappa = 2. By Pinsker's inequality KL >= |.|_1^2 / 2, and |.|_1^2 >= 2 |.|_2^2 for
differences of laws, so F <= G and the draw is exact. (The paper's envelope has kappa = 1 and accepts less often.) Where
all informative actions show the outcome, F is a Dirichlet density times the prior, which is drawn from directly.

If outcomes can hardly be told apart, hardly any proposal falls into the simplex. When `tries` in a row have failed, a
chain takes over (see `simplex_chain`) that leaves F (or G) invariant and goes on from the last law drawn. Since an
accepted proposal does not depend on how many failed before it, giving up causes no bias. Rejection is tried again, less
and less often.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import cholesky, copy, dot, fill, normalize, solve
from sidelight.strategies.posterior.law_posterior import Belief, Target
from sidelight.strategies.posterior.simplex_chain import Chain, set_posterior_chain_metric, walk_posterior_chain
from sidelight.strategies.shared.gaussian import Channels, absorb_gaussian_observation, begin_gaussian_belief

# The chain's steps: of a draw, for each of the M - 1 dimensions; and before the first draw, as many draws as that.
_STEPS = 4
_WARMING = 50


class SimplexSampler(NamedTuple):
    """The last law drawn and what the next draw needs; `stale` says which of rejection and chain must renew it."""

    law: Annotated[Floats, "outcomes"]
    drawn: Annotated[Integers, 1]  # 1 after the first draw
    retry: Annotated[Integers, 1]  # the round in which rejection is tried again
    stale: Annotated[Integers, 2]  # (2,)
    proposal: Annotated[Floats, "outcomes"]  # or, for a Dirichlet law, its parameters
    root: Annotated[Floats, "size", "size"]  # the Cholesky factor of the Gaussian's precision
    mean: Annotated[Floats, "size"]
    chain: Chain
    scratch: Annotated[Floats, "size"]  # a proposal's deviation from the mean


def begin_posterior_draws(belief: Belief, sampler: SimplexSampler, regularization: float) -> None:
    """Set the belief before the first symbol, and a sampler that has drawn nothing."""
    begin_gaussian_belief(belief.gaussian, regularization)
    sampler.law[:] = sampler.proposal[:] = 1.0 / len(sampler.law)
    sampler.stale[:] = 1


@kernel
def add_symbol_to_posterior(target: Target, belief: Belief, sampler: SimplexSampler, action: int, symbol: int) -> None:
    """Add a symbol, unless it says nothing."""
    if target.channel.informative[action] == 1:
        belief.counts[target.channel.place[action] + symbol] += 1.0
        belief.seen[action] += 1.0
        if target.dirichlet == 0:
            absorb_gaussian_observation(target.channel, target.weight, belief.gaussian, action, symbol)
        sampler.stale[0] = sampler.stale[1] = 1


@kernel
def draw_posterior_law(
    target: Target, belief: Belief, sampler: SimplexSampler, t: int, rng: np.random.Generator
) -> None:
    """Set sampler.law to a draw from the target; t is the round, by which rejection is tried again."""
    done = False
    if target.dirichlet == 1:
        draw_dirichlet_posterior(target, belief, sampler, rng)
        done = True
    elif t >= sampler.retry[0] and target.tries > 0:
        done = draw_posterior_by_rejection(target, belief, sampler, rng)
        if not done:
            sampler.retry[0] = t + 32 + t // 4
    if not done:
        if sampler.stale[1] == 1:
            sampler.stale[1] = 0
            set_posterior_chain_metric(target, belief, sampler.chain)
        steps = _STEPS * sampler.mean.shape[0]
        if sampler.drawn[0] == 0:
            steps *= _WARMING
        walk_posterior_chain(target, belief, sampler.law, sampler.chain, steps, rng)
    sampler.drawn[0] = 1


@kernel
def draw_dirichlet_posterior(target: Target, belief: Belief, sampler: SimplexSampler, rng: np.random.Generator) -> None:
    """Draw from F: a Dirichlet law with the counts of each outcome, accepted by the factor exp(-(lambda / 2) |p|^2)."""
    watched, law, shape = target.channel.watched, sampler.law, sampler.proposal
    size = law.shape[0]
    if sampler.stale[0] == 1:
        sampler.stale[0] = 0
        fill(shape, 1.0)
        for n in range(watched.shape[0]):
            shape[target.shown[watched[n]]] += belief.counts[watched[n]]
    while True:
        for j in range(size):
            law[j] = rng.gamma(shape[j], 1.0)
        normalize(law)
        # The factor relative to its largest value, at the uniform law.
        if rng.exponential() >= 0.5 * target.regularization * (dot(law, law) - 1.0 / size):
            break


@kernel
def draw_posterior_by_rejection(
    target: Target, belief: Belief, sampler: SimplexSampler, rng: np.random.Generator
) -> bool:
    """Set the law to the first proposal that is accepted; False if all tries fail."""
    if sampler.stale[0] == 1:
        sampler.stale[0] = 0
        cholesky(belief.gaussian.precision, sampler.root, sampler.mean.shape[0], 0.0, 0.0)
        solve(sampler.root, belief.gaussian.information, sampler.mean)
    for _ in range(target.tries):
        if propose_posterior_law(sampler, rng) and (
            target.exact == 0 or accept_posterior_law(target.channel, belief, sampler.proposal, rng)
        ):
            copy(sampler.proposal, sampler.law)
            return True
    return False


@kernel
def propose_posterior_law(sampler: SimplexSampler, rng: np.random.Generator) -> bool:
    """Set a proposal from the Gaussian, last entry first; False as soon as it leaves the simplex."""
    root, deviation = sampler.root, sampler.scratch
    size = sampler.mean.shape[0]
    left = 1.0
    for i in range(size - 1, -1, -1):
        z = rng.normal()
        for k in range(i + 1, size):
            z -= root[k, i] * deviation[k]
        z /= root[i, i]
        value = sampler.mean[i] + z
        left -= value
        if value < 0.0 or left < 0.0:
            return False
        deviation[i] = z
        sampler.proposal[i] = value
    sampler.proposal[size] = left
    return True


@kernel
def accept_posterior_law(channel: Channels, belief: Belief, proposal: Floats, rng: np.random.Generator) -> bool:
    """Accept a proposal with probability F / G, log(F / G) = sum_a n_a (-KL(f_a | S_a p) + |f_a - S_a p|^2)."""
    ratio = 0.0
    for n in range(channel.watched.shape[0]):
        k = channel.watched[n]
        plays = belief.seen[channel.owner[k]]
        if plays > 0.0:
            chance = channel.offset[k]
            for i in range(channel.slope.shape[1]):
                chance += channel.slope[k, i] * proposal[i]
            gap = belief.counts[k] / plays - chance
            ratio += plays * gap * gap
            if belief.counts[k] > 0.0:
                if chance <= 0.0:
                    return False
                ratio += belief.counts[k] * math.log(chance * plays / belief.counts[k])
    return -rng.exponential() <= ratio
