"""Mario sampling: a water transport of Thompson's probabilities to where they inform.

P*_a is the posterior probability that action a is best, and the root the action of least posterior mean loss. The
parent of every other action is its neighbor of least posterior mean loss. With depth(b) the number of actions on the
way from b to the root, both included, it plays from

    r_a = sum of P*_b / depth(b) over all b whose way to the root passes a, a itself included.

Thompson sampling (P* itself) may leave out an action between two likely ones that tells them apart; r never does, and
its posterior mean loss is no larger. P* and the means come from a pool of draws (see `law_pool`).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import multiply
from sidelight.strategies.base import Context, Seed, act, observe
from sidelight.strategies.posterior.law_pool import Summary
from sidelight.strategies.posterior.law_posterior import Target
from sidelight.strategies.posterior.pooled import PooledPosterior, Posterior, ask_posterior_pool, observe_posterior_pool
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, least_played_candidate
from sidelight.strategies.shared.requirements import refuse_all_but_easy, settled_action, unobserved_neighbor_pair
from sidelight.strategies.shared.transport import (
    draw_by_shares,
    neighbor_adjacency_for_transport,
    place_of_least_value_for_transport,
    transport_shares,
)


class Parameters(NamedTuple):
    """What Mario sampling knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    choice: BestActions  # the classes of equal losses that are Pareto-optimal
    adjacent: Integers  # (classes, classes): whether they are neighbors
    target: Target


class Scratch(NamedTuple):
    """What every round works out anew."""

    summary: Summary
    expected: Annotated[Floats, "classes"]  # the posterior mean loss
    parent: Annotated[Integers, "classes"]
    share: Annotated[Floats, "classes"]  # r


class State(NamedTuple):
    """What play changes."""

    plays: Annotated[Integers, "actions"]
    posterior: Posterior
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    room, choice = state.scratch, parameters.choice
    ask_posterior_pool(parameters.target, choice, state.posterior, room.summary, rng)
    multiply(choice.loss, room.summary.mean, room.expected)
    root = place_of_least_value_for_transport(room.expected)
    transport_shares(parameters.adjacent, root, room.summary.chance, room.expected, room.parent, room.share)
    chosen = least_played_candidate(choice, draw_by_shares(room.share, rng.random()), state.plays)
    state.plays[chosen] += 1
    return chosen


implements(observe, Parameters)(observe_posterior_pool)


class Mario(PooledPosterior):
    """Mario sampling: Bayesian play that always informs, for easy games.

    Parameters
    ----------
    game
        The game: an easy one whose Pareto-optimal neighbors tell each other apart; a trivial one is played optimally,
        others are refused: in a hard game nobody on the way informs, and regret would be linear.
    draws
        How many laws the pool holds.
    regularization
        The precision of the prior, as for `TSPM`.
    seed
        Where the draws start.

    References
    ----------
    T. Lattimore, Cs. Szepesvári, "An information-theoretic approach to minimax regret in partial monitoring", COLT
    2019.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.Mario(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("nothing"), s.act()
    (0, None, 1)
    """

    guarantee: ClassVar[str] = "easy games without degenerate actions: Bayes regret of order sqrt(T)"

    def __init__(self, game: Game, draws: int = 256, regularization: float = 0.001, seed: Seed = 0) -> None:
        super().__init__(game, draws, regularization, seed)
        refuse_all_but_easy(self.analysis, self.name, "VIDS or TSPM")
        if (pair := unobserved_neighbor_pair(self.analysis)) is not None:
            raise SidelightError(
                f"Mario does not play degenerate actions, and only those tell actions {pair[0]} and {pair[1]} apart"
            )

    def _compile(self) -> Parameters:
        return Parameters(
            settled=settled_action(self.analysis),
            choice=best_action_candidates(self.analysis, relative=True, pareto=True),
            adjacent=neighbor_adjacency_for_transport(self.analysis),
            target=self._target(),
        )

    def _start(self) -> State:
        return self._begin(State, len(self.analysis.cells.pareto))
