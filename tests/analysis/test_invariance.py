"""What a game is does not depend on how it is written down."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from random_games import games, modest

from sidelight.analysis import analyze
from sidelight.game import Game


def structure(game, name=None, scale=1):
    """Return all that analysis says, in terms of `name[i]`, the name of action i elsewhere, and of loss / scale."""
    analysis = analyze(game)
    name = list(range(game.n_actions)) if name is None else name
    alike = {
        i: frozenset(name[k] for k in range(game.n_actions) if game.loss[k] == game.loss[i]) for i in range(len(name))
    }
    return {
        "kind": analysis.kind,
        "statuses": {name[i]: analysis.status(i) for i in range(game.n_actions)},
        "duplicates": {frozenset(name[i] for i in group) for group in analysis.duplicates},
        "pairs": dict(
            pair_of(analysis, *sorted(pair, key=lambda i: min(alike[i])), name, scale) for pair in analysis.neighbors
        ),
        "global": {
            frozenset([name[i], name[j]])
            for i in range(game.n_actions)
            for j in range(i)
            if analysis.globally_observable(i, j)
        },
    }


def pair_of(analysis, i, j, name, scale):
    """Return the neighborhood and what is said about it; of each observer vector the values, since symbols may move."""
    key = frozenset(name[k] for k in analysis.neighborhood(i, j))
    if not analysis.globally_observable(i, j):
        return key, None
    vectors = analysis.observer_vectors(i, j)
    values = {name[a]: sorted(value / scale for value in vector) for a, vector in vectors.items()}
    return key, (analysis.locally_observable(i, j), values)


@modest(60)
@given(games(), st.permutations([None, (0, 1), "", -5, "a", "b", "c", "x", 0, 1]))
def test_relabeling_symbols(game, labels):
    new = {}
    for a, row in enumerate(game.feedback):
        for symbol in row:
            mine = [label for (action, _), label in new.items() if action == a]
            new.setdefault((a, symbol), next(label for label in labels if label not in mine))
    relabeled = Game(game.loss, [[new[a, symbol] for symbol in row] for a, row in enumerate(game.feedback)])
    assert structure(relabeled) == structure(game)
    vectors = [[analyze(g).observer_vectors(*pair) for pair in observable(g)] for g in (game, relabeled)]
    assert vectors[0] == vectors[1]


def observable(game):
    analysis = analyze(game)
    return [pair for pair in analysis.neighbors if analysis.globally_observable(*pair)]


@modest(60)
@given(games(), st.sampled_from([Fraction(1, 7), Fraction(10**15 + 1, 3), Fraction(1, 10**30)]))
def test_scaling_losses(game, scale):
    scaled = Game([[scale * value for value in row] for row in game.loss], game.feedback)
    assert structure(scaled, scale=scale) == structure(game)
