"""Small results to test with."""

from sidelight.game import Game
from sidelight.results import Results

APPLES = Game([[1, 0], [0, 1]], [["?", "?"], ["rotten", "good"]], name="apples", actions=["sell", "taste"])


def make(final=(1.0, 2.0, 4.0), name="A", **changes):
    """Return results whose runs end with the given regrets, half of them at the first of two checkpoints."""
    final = [float(value) for value in final]
    arguments = {
        "game": APPLES,
        "strategy": {"name": name, "parameters": {}},
        "environment": {"name": "IID", "law": [0.3, 0.7]},
        "rounds": [5, 10],
        "regret": [[value / 2, value] for value in final],
        "plays": [[10 - k % 11, k % 11] for k in range(len(final))],
        "seed": 0,
        "regret_kind": "pseudo-regret",
    }
    return Results(**arguments | changes)
