"""Check what an analysis claims from the definitions alone: exact sums, no solver, nothing of the package's own."""

from fractions import Fraction
from itertools import combinations, permutations

from naive import dot, minus, rank, signal


def check_certificates(analysis):
    """Check every certificate that the analysis can be asked for; together they prove its class."""
    game = analysis.game
    for i in range(game.n_actions):
        check_action(game, i, analysis.action_certificate(i), analysis.status(i))
    for i, j in permutations(analysis.pareto, 2):
        if game.loss[i] != game.loss[j]:
            certificate = analysis.neighbor_certificate(i, j)
            check_neighbors(game, i, j, certificate)
            represented = tuple(sorted((game.loss.index(game.loss[i]), game.loss.index(game.loss[j]))))
            assert certificate.neighbors is (represented in analysis.neighbors)
    for i, j in analysis.neighbors:
        for pair in ((i, j), (j, i)):
            certificate = analysis.observability_certificate(*pair, scope="local")
            check_observability(game, *pair, certificate, analysis.neighborhood(i, j))
            assert certificate.observable is analysis.locally_observable(*pair)
    for i, j in combinations(range(game.n_actions), 2):
        certificate = analysis.observability_certificate(i, j, scope="global")
        check_observability(game, i, j, certificate, range(game.n_actions))
        assert certificate.observable is analysis.globally_observable(i, j)


def check_action(game, i, certificate, status):
    """A law at which i is best, strictly or not; a mixture of other actions that is never worse than i, or better."""
    others = [k for k in range(game.n_actions) if game.loss[k] != game.loss[i]]
    assert certificate.status == status
    if status == "dominated":
        assert certificate.point is None
    else:
        check_law(game, certificate.point)
        gaps = [dot(minus(game.loss[k], game.loss[i]), certificate.point) for k in others]
        assert all(gap > 0 for gap in gaps) if status == "pareto" else all(gap >= 0 for gap in gaps)
    if status == "pareto":
        assert certificate.mixture is None
    else:
        weights = certificate.mixture
        assert exact(weights.values())
        assert set(weights) <= set(others)
        assert all(weight > 0 for weight in weights.values())
        assert sum(weights.values()) == 1
        mixed = [sum(w * game.loss[k][m] for k, w in weights.items()) for m in range(game.n_outcomes)]
        strict = status == "dominated"
        assert all(a < b if strict else a <= b for a, b in zip(mixed, game.loss[i], strict=True))


def check_neighbors(game, i, j, certificate):
    """A law inside the common border, or multipliers that rule every such law out."""
    loss, outcomes = game.loss, range(game.n_outcomes)
    difference = minus(loss[i], loss[j])
    off_line = [k for k in range(game.n_actions) if rank([difference, minus(loss[k], loss[i])]) == 2]
    if certificate.neighbors:
        check_law(game, certificate.point)
        assert all(p > 0 for p in certificate.point)
        assert dot(difference, certificate.point) == 0
        assert all(dot(minus(loss[k], loss[i]), certificate.point) > 0 for k in off_line)
        return
    assert certificate.point is None
    y, z, mu = certificate.actions, certificate.outcomes, certificate.difference
    assert exact([*y.values(), *z.values(), mu])
    assert set(y) <= set(off_line)
    assert set(z) <= set(outcomes)
    assert all(weight >= 0 for weight in [*y.values(), *z.values()])
    assert sum(y.values()) + sum(z.values()) == 1
    for m in outcomes:
        assert sum(w * (loss[k][m] - loss[i][m]) for k, w in y.items()) + z.get(m, 0) + mu * difference[m] <= 0


def check_observability(game, i, j, certificate, actions):
    """Vectors that add up to the difference of the losses, or two worlds that look alike and differ in it."""
    difference = minus(game.loss[i], game.loss[j])
    if certificate.observable:
        assert set(certificate.vectors) <= set(actions)
        assert combined(game, certificate.vectors) == difference
        return
    assert len(certificate.null) == game.n_outcomes
    assert exact(certificate.null)
    assert all(dot(row, certificate.null) == 0 for a in actions for row in signal(game.feedback[a]))
    assert dot(difference, certificate.null) == 1


def check_law(game, point):
    assert len(point) == game.n_outcomes
    assert exact(point)
    assert all(p >= 0 for p in point)
    assert sum(point) == 1


def combined(game, vectors):
    """Return the sum of S_a^T v_a over the actions a of `vectors`."""
    total = [Fraction(0)] * game.n_outcomes
    for a, vector in vectors.items():
        assert exact(vector)
        for row, value in zip(signal(game.feedback[a]), vector, strict=True):
            total = [sofar + entry * value for sofar, entry in zip(total, row, strict=True)]
    return tuple(total)


def exact(numbers):
    return all(type(number) is Fraction for number in numbers)
