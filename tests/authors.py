"""Twins of strategies with the defects that the published runs had, each of which can be left out.

Written from descriptions of what the authors' code does, to show that a published number is due to a defect: with it
the number comes out, without it it does not. All of them play label efficient prediction with a loss of 1 for asking:
action 0 asks, action 1 is right when the second outcome comes, action 2 when the first one does.
"""

import math
from typing import NamedTuple

import numpy as np


class Played(NamedTuple):
    """How a run of PM-DMED ended."""

    regret: float
    frozen: int | None
    """How often each outcome had been seen when the run froze, None if it did not."""


def divergence_from_even(share):
    """Return KL((share, 1 - share) | (1/2, 1/2))."""
    return math.log(2) + sum(q * math.log(q) for q in (share, 1 - share) if q > 0)


def play_dmed(outcomes, law, *, phantoms=True, frozen_ties=True):
    """Play PM-DMED with c = 1 on the given outcomes of the given law.

    phantoms
        Before the first round every action counts as having shown every symbol of the game once, also those that it
        never shows. So there are three plays of each action that never happened, and "played less than sqrt(log t)
        times" (at most 3.15 in 20 000 rounds) is never true: nothing is ever explored by force.
    frozen_ties
        When two actions are optimal for the estimated law, no plays of the others are asked for. With as many of
        either symbol the two predictions are: they take turns and, as they show nothing, do so forever. Without this
        defect everybody is played in such a case.
    """
    horizon = len(outcomes)
    seen = [1, 1] if phantoms else [0, 0]
    plays = [3, 3, 3] if phantoms else [0, 0, 0]
    gap = [1 - min(law), law[0] - min(law), law[1] - min(law)]
    loop, following = [0, 1, 2], set()
    regret, t = 0.0, 0
    while t < horizon:
        action = loop.pop(0)
        plays[action] += 1
        regret += gap[action]
        if action == 0:
            seen[outcomes[t]] += 1
        t += 1
        level = math.log(t)
        tied = seen[0] == seen[1]
        best = {1, 2} if tied else {1} if seen[0] < seen[1] else {2}
        wanted = best | {a for a in range(3) if plays[a] < math.sqrt(level)}
        enough = 0.0 if tied else 1 / divergence_from_even(seen[0] / sum(seen))  # observations that log t = 1 asks for
        if tied and not frozen_ties:
            wanted.add(0)
        if enough * level > plays[0]:
            wanted.add(0)
        following |= wanted - set(loop)
        if not loop:
            loop, following = sorted(following), set()
            if set(loop) == best:
                # Only what shows nothing is played, again and again, until log t is so large that others are wanted.
                level = min(plays[a] ** 2 for a in range(3) if a not in best)
                level = min(level, plays[0] / enough) if enough else level
                times = max(0, min(horizon, int(math.exp(min(level, 30.0))) - 1) - t) // len(loop)
                for a in loop:
                    plays[a] += times
                    regret += gap[a] * times
                t += times * len(loop)
    return Played(regret, min(seen) - phantoms if tied and frozen_ties else None)


def contexts_with_draws(runs=96, horizon=20_000, dimension=10):
    """Yield for each run the contexts, the outcomes and what the strategy drew, one number per round.

    As `legacy.published_contexts`, but with the strategy's number drawn from the same stream after each context.
    """
    draws = np.random.RandomState(1)
    direction = draws.uniform(0.0, 0.1, dimension)
    direction /= direction.sum()
    for run in range(runs):
        sample = draws.uniform(0.0, 1.0, (10_000, dimension))
        stream = np.random.RandomState(run).random_sample((horizon, dimension + 1))
        raw = stream[:, :dimension]
        contexts = (raw - sample.mean(axis=0)) / sample.std(axis=0)
        yield contexts, (raw @ direction >= 0.5).astype(int), stream[:, dimension]


def play_cesa(contexts, outcomes, draws, *, ridge=True, squashed=True, inverted=True, exploding=True, first=True):
    """Play the selective sampler with beta = 1; return the regret and how often it asked.

    ridge
        The classifier is a ridge regression (penalty 20) on all labels seen, not a perceptron.
    squashed
        The margin is 1 / (1 + exp(-w.x)), which is large where the classifier is sure of the first outcome and small
        where it is sure of the second, not |w.x|.
    inverted
        It asks where it should not and the other way round, that is with probability margin / (b + margin) in place of
        b / (b + margin).
    exploding
        The greatest norm of a context is remembered squared, and squared again for b = norm^2 sqrt(1 + mistakes): after
        two or three mistakes b is in the millions.
    first
        The first round asks, whatever was drawn, and is never counted as a mistake. No description says so, but with it
        the published digits come out.
    """
    horizon, dimension = contexts.shape
    labels = np.where(outcomes == 0, 1, -1)
    norms = np.linalg.norm(contexts, axis=1)
    gram, total, w = 20.0 * np.eye(dimension), np.zeros(dimension), np.zeros(dimension)
    mistakes, greatest, regret, asked = 0, 0.0, 0, 0
    t, block = 0, 1
    while t < horizon:
        # Nothing is learned until it asks: look at a block of rounds at once, at a longer one if it asks in none.
        rounds = slice(t, t + block)
        scores = contexts[rounds] @ w
        margins = 1 / (1 + np.exp(-scores)) if squashed else np.abs(scores)
        norm = np.maximum(greatest, norms[rounds])
        b = norm**2 * math.sqrt(1 + mistakes)
        asks = (draws[rounds] > 1 - margins / (b + margins)) == inverted
        if t == 0 and first:
            asks[0] = True
        says = np.where(scores > 0, 1, -1)
        quiet = int(np.argmax(asks)) if asks.any() else len(asks)
        regret += int((says[:quiet] != labels[rounds][:quiet]).sum())
        t += quiet
        block *= 2
        if quiet < len(asks):
            x, y = contexts[t], labels[t]
            mistake = says[quiet] != y and not (t == 0 and first)
            if ridge:
                gram += np.outer(x, x)
                total += y * x
                w = np.linalg.solve(gram, total)
            elif says[quiet] != y:
                w = w + y * x
            if mistake:
                mistakes += 1
                greatest = min(norm[quiet] ** 2, 1e100) if exploding else norm[quiet]
            regret, asked, t, block = regret + 1, asked + 1, t + 1, 1
    return regret, asked
