"""Random problems for the searches."""

import numpy as np
from random_games import spell

from sidelight.analysis import analyze
from sidelight.kernels.arrays import new_arrays
from sidelight.optimization.allocation import Allocation, start_border_search
from sidelight.optimization.geometry import lay_out_search_geometry
from sidelight.optimization.likelihood import project


def room(game):
    """Return a game as the searches need it, and an empty problem."""
    shape = lay_out_search_geometry(analyze(game))
    return shape, new_arrays(Allocation, **sizes(shape))


def sizes(shape, silent=0):
    """Return the sizes of a problem's arrays, with so many silent actions besides those of the game."""
    (actions, outcomes), symbols = shape.loss.shape, int(shape.signals.first[-1])
    borders = len(shape.difference)
    return {"actions": actions + silent, "outcomes": outcomes, "symbols": symbols, "borders": borders, "equations": 1}


def random_game(rng, outcomes=5):
    """A game with observable feedback and random losses."""
    actions = int(rng.integers(3, 6))
    words = ["".join(rng.choice(list("abc"), outcomes)) for _ in range(actions - 1)]
    return spell(rng.integers(0, 6, (actions, outcomes)).tolist(), [*words, "abcdefgh"[:outcomes]])


def border_problems(rng, count):
    """Yield games, laws, weights and a border that is not empty, ready to be searched."""
    while count:
        game = random_game(rng)
        shape, problem = room(game)
        law = rng.dirichlet(np.ones(game.n_outcomes))
        if rng.random() < 0.3:
            law[rng.integers(game.n_outcomes)] = 0.0
            law /= law.sum()
        candidates = np.where(shape.candidate == 1, shape.loss @ law, np.inf)
        j = int(np.argmin(candidates))
        project(shape.signals, law, problem.search.base)
        problem.master.cost[:] = np.maximum(shape.loss @ law - candidates[j], 1e-7)
        problem.search.weight[:] = [
            rng.exponential(10) * (a != j and game.informative(a)) for a in range(game.n_actions)
        ]
        for e in range(shape.start[j], shape.start[j + 1]):
            if start_border_search(problem, shape, j, e):
                count -= 1
                yield game, shape, problem, law, j, e
                break
