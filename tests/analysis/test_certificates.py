"""Certificates prove the answers; a forged one must be caught, or the other tests here would prove nothing."""

from fractions import Fraction

import pytest
from hypothesis import given
from random_games import HAIR, games, modest, seeded_game, spell

from analysis.certificates import (
    check_action,
    check_certificates,
    check_neighbors,
    check_observability,
)
from sidelight.analysis import ActionCertificate, NeighborCertificate, ObservabilityCertificate, analyze

half = Fraction(1, 2)
PENNIES = spell([[0, 1], [1, 0], [half, half]], ["xx", "xx", "ht"])


@modest(150)
@given(games())
def test_certificates_of_random_games(game):
    check_certificates(analyze(game))


@pytest.mark.parametrize("seed", range(12))
def test_certificates_of_larger_games(seed):
    check_certificates(analyze(seeded_game(seed, 8, 6)))


@pytest.mark.parametrize(
    "forged",
    [
        ActionCertificate("degenerate", (half, half), {0: Fraction(1)}),
        ActionCertificate("degenerate", (half, half), {0: Fraction(1, 3), 1: Fraction(1, 3)}),
        ActionCertificate("degenerate", (half + HAIR, half - HAIR), {0: half, 1: half}),
        ActionCertificate("degenerate", (half, half, Fraction(0)), {0: half, 1: half}),
        ActionCertificate("degenerate", (0.5, 0.5), {0: half, 1: half}),
        ActionCertificate("degenerate", None, {0: half, 1: half}),
        ActionCertificate("degenerate", (half, half), {0: half, 1: half, 2: Fraction(0)}),
        ActionCertificate("pareto", (half, half), None),
        ActionCertificate("dominated", None, {0: half, 1: half}),
    ],
)
def test_forged_action_certificates_are_caught(forged):
    check_action(PENNIES, 2, ActionCertificate("degenerate", (half, half), {0: half, 1: half}), "degenerate")
    with pytest.raises((AssertionError, TypeError)):
        check_action(PENNIES, 2, forged, forged.status)


def test_forged_neighbor_certificates_are_caught():
    third = Fraction(1, 3)
    cheap = spell([[0, 1], [1, 0], [third, third]], ["xx", "xx", "ht"])
    refused = {"neighbors": False, "point": None}
    # y (L_2 - L_0) + z + mu (L_0 - L_1) <= 0: y (1/3, -2/3) + z + mu (-1, 1) is (-y/6, -y/6) + z at mu = y/2.
    y = Fraction(3, 4)
    good = NeighborCertificate(
        **refused, actions={2: y}, outcomes={0: Fraction(1, 8), 1: Fraction(1, 8)}, difference=y / 2
    )
    check_neighbors(cheap, 0, 1, good)
    for bad in (
        good._replace(difference=y / 2 + half),
        good._replace(actions={2: half}, outcomes={0: half}),
        good._replace(outcomes={}),
        good._replace(neighbors=True, point=(half, half)),
    ):
        with pytest.raises(AssertionError):
            check_neighbors(cheap, 0, 1, bad)
    with pytest.raises(AssertionError):
        check_neighbors(PENNIES, 0, 1, good)


def test_forged_observability_certificates_are_caught():
    one = Fraction(1)
    seen = ObservabilityCertificate(True, {2: (-one, one)}, None)
    check_observability(PENNIES, 0, 1, seen, [0, 1, 2])
    unseen = ObservabilityCertificate(False, None, (-half, half))
    check_observability(PENNIES, 0, 1, unseen, [0, 1])
    for bad, actions in (
        (seen, [0, 1]),
        (seen._replace(vectors={2: (one, -one)}), [0, 1, 2]),
        (unseen, [0, 1, 2]),
        (unseen._replace(null=(half, -half)), [0, 1]),
        (unseen._replace(null=(-one, one)), [0, 1]),
    ):
        with pytest.raises(AssertionError):
            check_observability(PENNIES, 0, 1, bad, actions)
