"""Why some numbers differ from the published ones: each reason put to the test.

With the defect, and nothing else, the published number comes out within chance; without it, it does not. "Within
chance" is |z| < 3 with z the difference of the means over its standard error, both sides taken as independent. What
other tests show already is not repeated: that BPM-Least gives the published digits with the authors' radius and stale
rounds (strategies/posterior/test_bpm.py), CBP and CBPside* theirs (simulation/test_golden.py,
strategies/confidence_bounds/test_cbpside.py), and that the published use case comes out in all its tables
(test_use_case.py).
"""

import json
import math
from collections import Counter
from functools import cache
from importlib.resources import files
from statistics import NormalDist

import numpy as np
import pytest
from authors import contexts_with_draws, play_cesa, play_dmed
from legacy import published_contexts, published_streams
from scipy import stats

import sidelight as sl
from sidelight.environments import LinearContexts, Replay
from sidelight.monitor.policies import RandCBPPolicy
from sidelight.reproduction.exhibit import RUNS
from sidelight.reproduction.published import printed_numbers_of_player
from sidelight.reproduction.use_case import simulate_use_case
from sidelight.results import Results, wins
from sidelight.strategies import (
    CBP,
    CESA,
    PGIDS,
    PGTS,
    PMDMED,
    STAP,
    TSPM,
    PublishedCBPSide,
    PublishedRandCBPSide,
    RandCBP,
)

APPLES = sl.games.load("apple-tasting")
LABELS = sl.games.load("label-efficient")
KINDS = ("imbalanced", "balanced")
LIMIT = 3.0


def z_of(values, published):
    """Return by how many standard errors our mean is above the published one."""
    return (np.mean(values) - published.mean) / math.sqrt(np.var(values, ddof=1) / len(values) + error(published) ** 2)


def error(published):
    return published.std / math.sqrt(RUNS)


@cache
def replayed(kind):
    outcomes, laws = published_streams(kind)
    return Replay(outcomes, law=laws)


def final(game, strategy, environment, **how):
    return sl.simulate(strategy, environment, **({"checkpoints": 1, "progress": False} | how)).final


@cache
def dmed(kind, **defects):
    outcomes, laws = published_streams(kind)
    return [play_dmed(o, law, **defects) for o, law in zip(outcomes.tolist(), laws.tolist(), strict=True)]


def regrets(played):
    return np.array([one.regret for one in played])


FROZEN = {kind: printed_numbers_of_player(f"label-efficient-{kind}", "PMDMED") for kind in KINDS}


class TestFrozenPMDMED:
    """Table 2: a run freezes when both symbols were seen equally often, and it never asks again."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_without_defects_the_twin_is_the_library(self, kind):
        ours = final(LABELS, PMDMED(LABELS), replayed(kind))
        assert regrets(dmed(kind, phantoms=False, frozen_ties=False)) == pytest.approx(ours, rel=1e-9)

    def test_imbalanced(self):
        played = dmed("imbalanced", phantoms=True, frozen_ties=True)
        frozen = [one for one in played if one.frozen is not None]
        # What was counted in the authors' own trajectories: 15 runs froze at 1:1, 2 at 2:2, 3 at 3:3.
        assert Counter(one.frozen for one in frozen) == {1: 15, 2: 2, 3: 3}
        assert [round(f(regrets(frozen))) for f in (min, max)] == [6142, 9209]
        assert max(one.regret for one in played if one.frozen is None) < 100
        assert abs(z_of(regrets(played), FROZEN["imbalanced"])) < 0.1
        assert regrets(played).std(ddof=1) == pytest.approx(FROZEN["imbalanced"].std, rel=0.001)
        faithful = regrets(dmed("imbalanced", phantoms=False, frozen_ties=False))
        assert faithful.mean() == pytest.approx(29.839, abs=0.001)
        assert z_of(faithful, FROZEN["imbalanced"]) < -LIMIT

    def test_balanced(self):
        """Here 87 runs freeze: half of the rounds are wrong, which costs less than to go on asking near p = 1/2."""
        played = dmed("balanced", phantoms=True, frozen_ties=True)
        faithful = regrets(dmed("balanced", phantoms=False, frozen_ties=False))
        assert sum(one.frozen is not None for one in played) == 87
        assert regrets(played).mean() == pytest.approx(1110.4, abs=0.1)
        assert abs(z_of(regrets(played), FROZEN["balanced"])) < 1.1
        assert faithful.mean() == pytest.approx(1911.76, abs=0.01)
        # Just within the limit of 3, as few runs with a regret of thousands decide about the mean. But the published
        # runs have the same outcomes, and run by run the difference is clear ...
        assert 2.9 < z_of(faithful, FROZEN["balanced"]) < LIMIT
        difference = faithful - regrets(played)
        assert difference.mean() / (difference.std(ddof=1) / math.sqrt(RUNS)) > LIMIT

    def test_balanced_wins(self):
        """... and so it is in how many runs PM-DMED was best: the published runs won 18 of 96."""
        others = [final(LABELS, s, replayed("balanced")) for s in (CBP(LABELS), RandCBP(LABELS, tail=1e-6))]
        won = {
            defects: int((regrets(dmed("balanced", phantoms=defects, frozen_ties=defects)) <= np.min(others, 0)).sum())
            for defects in (True, False)
        }
        assert won == {True: 19, False: 3}
        published = FROZEN["balanced"].wins
        table = [[published, RUNS - published], [won[False], RUNS - won[False]]]
        assert stats.fisher_exact(table).pvalue < 0.001

    def test_each_defect_alone(self):
        """Phantom counts alone change nothing; with ties alone, forced exploration frees the runs that froze at 1:1."""
        phantoms, ties = (
            {kind: dmed(kind, phantoms=phantoms, frozen_ties=not phantoms) for kind in KINDS}
            for phantoms in (True, False)
        )
        assert [regrets(phantoms[kind]).mean() for kind in KINDS] == [
            pytest.approx(29.02, abs=0.01),
            pytest.approx(1935.8, abs=0.1),
        ]
        assert [sum(one.frozen is not None for one in ties[kind]) for kind in KINDS] == [6, 84]
        assert min(one.frozen for kind in KINDS for one in ties[kind] if one.frozen is not None) == 2
        assert regrets(ties["imbalanced"]).mean() == pytest.approx(450.06, abs=0.01)
        for alone in (phantoms, ties):
            assert z_of(regrets(alone["imbalanced"]), FROZEN["imbalanced"]) < -LIMIT


class TestInvertedCESA:
    """Table 3: it asks about eight times in 20 000 rounds, because it asks where it should not."""

    PUBLISHED = printed_numbers_of_player("label-efficient-contexts", "CESA")

    @staticmethod
    def played(runs=RUNS, **defects):
        # The published figure is that of the last round but one.
        return np.array([play_cesa(x[:-1], y[:-1], u[:-1], **defects) for x, y, u in contexts_with_draws(runs)]).T

    def test_the_published_digits(self):
        regret, asked = self.played()
        assert f"{regret.mean():.3f}" == f"{self.PUBLISHED.mean:.3f}"
        assert f"{regret.std(ddof=1):.3f}" == f"{self.PUBLISHED.std:.3f}"
        assert list(asked[:2]) == [6, 11]  # as in two runs of the authors' code
        assert asked.max() < 25

    def test_the_original_rule(self):
        contexts, outcomes = published_contexts(12)
        regret = final(LABELS, CESA(LABELS, 10), Replay(outcomes, contexts=contexts, law="outcome"), runs=12)
        assert regret.mean() == pytest.approx(18_309, rel=0.01)
        assert z_of(regret, self.PUBLISHED) > 50
        defects = ("ridge", "squashed", "inverted", "exploding", "first")
        twin, asked = self.played(3, **dict.fromkeys(defects, False))
        assert twin.mean() == pytest.approx(18_290, rel=0.01)
        assert asked.mean() > 18_000

    @pytest.mark.parametrize(
        ("without", "runs", "mean", "decides"),
        [
            ("inverted", 2, 19_999, True),  # asks in every round
            ("exploding", 24, 1_779, True),  # asks now and then, and learns
            ("ridge", 96, 6_942, True),
            ("squashed", 96, 6_128, False),
            ("first", 96, 6_280, False),
        ],
    )
    def test_without_one_of_the_defects(self, without, runs, mean, decides):
        """Inversion and explosion make the number; the squashed margin and the first round hardly matter."""
        regret, _ = self.played(runs, **{without: False})
        assert regret.mean() == pytest.approx(mean, rel=0.01)
        assert (abs(z_of(regret, self.PUBLISHED)) > LIMIT) == decides


@pytest.fixture(scope="module")
def half_spaces():
    contexts, outcomes = published_contexts(24)
    return Replay(outcomes, contexts=contexts, law="outcome")


LINEAR = LinearContexts(np.full((1, 10), 0.1))


def contextual(game, strategy, environment):
    return final(game, strategy, environment, runs=24, horizon=20_000, checkpoints=[19_999])


class TestSTAP:
    """Table 3: the code counts all mistakes of the classifier, the original only those that sampling uncovers."""

    PUBLISHED = printed_numbers_of_player("apple-tasting-contexts", "STAP")

    @pytest.mark.parametrize("regularization", [20.0, 0.05])
    @pytest.mark.parametrize(("count", "mean"), [("all", 1605), ("false-rejections", 775)])
    def test_it_is_the_count(self, half_spaces, count, mean, regularization):
        """The regularization, 20 in the code and 0.05 in the text, does not matter."""
        strategy = STAP(APPLES, 10, count=count, regularization=regularization)
        regret = contextual(APPLES, strategy, half_spaces)
        assert regret.mean() == pytest.approx(mean, rel=0.02)
        z = z_of(regret, self.PUBLISHED)
        assert abs(z) < 2 if count == "all" else z < -20

    def test_in_the_described_world(self):
        for how in ({}, {"count": "all", "regularization": 20.0}):
            assert abs(z_of(contextual(APPLES, STAP(APPLES, 10, **how), LINEAR), self.PUBLISHED)) > LIMIT


@pytest.mark.parametrize(("kind", "name", "rounds"), [(PGTS, "PGTS", 3_000), (PGIDS, "PGIDS", 2_500)])
def test_pg_in_the_described_world(kind, name, rounds):
    """Regret only grows, and in two runs there it is already larger than the published one of 7 500 rounds."""
    published = printed_numbers_of_player("apple-tasting-contexts", name)
    regret = final(APPLES, kind(APPLES, 10), LINEAR, runs=2, horizon=rounds)
    assert regret.mean() > published.mean + LIMIT * published.std / math.sqrt(2)


SIDE = {"CBPSide": (PublishedCBPSide, {}), "RandCBPSide": (PublishedRandCBPSide, {"tail": 1e-6})}


@pytest.mark.parametrize(
    ("game", "setting", "described"),
    [(APPLES, "apple-tasting", 1_468), (LABELS, "label-efficient", 9_432)],
    ids=["AT", "LE"],
)
class TestHalfSpace:
    """Table 3: neither the world of the text nor its widths lead to the published numbers, but both of the code do."""

    @pytest.mark.parametrize("name", SIDE)
    @pytest.mark.parametrize("bounds", ["printed", "published"])
    @pytest.mark.parametrize("world", ["described", "published"])
    def test_world_and_width(self, half_spaces, game, setting, described, world, bounds, name):
        kind, how = SIDE[name]
        environment = half_spaces if world == "published" else LINEAR
        regret = contextual(game, kind(game, 10, bounds=bounds, **how), environment)
        z = z_of(regret, printed_numbers_of_player(f"{setting}-contexts", name))
        assert abs(z) < 2 if (world, bounds) == ("published", "published") else abs(z) > 40
        if (world, bounds) == ("described", "printed"):
            assert regret.mean() == pytest.approx(described, rel=0.01)

    def test_the_printed_widths_rule_nothing_out(self, game, setting, described):
        for kind in (PublishedCBPSide, PublishedRandCBPSide):
            plays = sl.simulate(kind(game, 10, bounds="printed"), LINEAR, 20_000, 24, progress=False).mean_plays
            if game is APPLES:  # all but the opening round reveals the outcome
                assert plays == pytest.approx([1, 19_999])
            else:
                assert plays[0] > 16_000


VERIFICATIONS = {
    ("both", 10): (269, 429),  # as published: 272 and 447
    ("once", 5): (404, 568),  # as described
    ("once", 10): (466, 638),
    ("both", 5): (238, 382),
}


@pytest.mark.parametrize("case", [1, 2])
class TestTwoDraws:
    """Tables 4 and 5: the one pair of neighbors is listed twice, and the smaller of two draws decides."""

    @pytest.mark.parametrize(("pairs", "bins"), VERIFICATIONS)
    def test_pairs_and_bins(self, case, pairs, bins):
        """With a single draw there are more verifications; five bins instead of ten make fewer, and hide a part."""
        policy = RandCBPPolicy(bins=bins, tail=1e-6, pairs=pairs, observers="verify")
        found = simulate_use_case(case, 0.2, policy, RUNS).verifications
        z = z_of(found, printed_numbers_of_player(f"case{case}-0.2", "C-RandCBP", "verifications"))
        assert found.mean() == pytest.approx(VERIFICATIONS[pairs, bins][case - 1], rel=0.005)
        assert z > 10 if pairs == "once" else z < -LIMIT if bins == 5 else abs(z) < 2

    @pytest.mark.parametrize("tolerance", ["0.025", "0.05", "0.1"])
    def test_at_smaller_tolerances(self, case, tolerance):
        """The smaller the tolerance, the less the second draw matters beside what the classifiers differ in."""
        z = {}
        for protocol in ("published", "described"):
            found = simulate_use_case(case, float(tolerance), "randcbp", RUNS, protocol=protocol).verifications
            z[protocol] = z_of(
                found, printed_numbers_of_player(f"case{case}-{tolerance}", "C-RandCBP", "verifications")
            )
        assert abs(z["published"]) < 1
        assert (z["described"] > LIMIT) == ((case, tolerance) in {(1, "0.1"), (2, "0.1"), (2, "0.05")})


PRINTED = json.loads((files("sidelight.reproduction") / "published.json").read_text(encoding="utf-8"))["studies"]
GAMES = {name: rows for name, rows in PRINTED.items() if not name.startswith("case")}


class TestStatistics:
    """What the paper says beside the means."""

    def p_values(self, side):
        """Yield printed and recomputed p-values of Welch's test against the first row of each setting."""
        for rows in GAMES.values():
            (mean, std, *_), *others = rows.values()
            for row in others:
                test = stats.ttest_ind_from_stats(mean, std, RUNS, *row[:2], RUNS, equal_var=False, alternative=side)
                yield f"{row[2]:.3f}", f"{test.pvalue:.3f}"

    def test_p_values_are_two_sided(self):
        """All 20 printed p-values, from printed means and deviations; four of them are not 0.000."""
        two_sided = list(self.p_values("two-sided"))
        assert all(printed == found for printed, found in two_sided)
        assert len(two_sided) == 20
        told = [k for k, (printed, _) in enumerate(two_sided) if printed != "0.000"]
        assert [two_sided[k][0] for k in told] == ["0.055", "0.854", "0.008", "0.009"]
        for side, expected in (("less", ["0.028", "0.427", "0.004", "0.005"]), ("greater", ["0.972"])):
            one_sided = list(self.p_values(side))
            assert [one_sided[k][1] for k in told][: len(expected)] == expected
            assert all(one_sided[k][0] != one_sided[k][1] for k in told)

    def test_ties_count_as_wins(self):
        """More wins than runs are printed for apple tasting; CBP and RandCBP often have the very same regret there."""
        total = {study: sum(row[3] for row in rows.values()) for study, rows in GAMES.items()}
        assert [total.pop(f"apple-tasting-{kind}") for kind in KINDS] == [163, 107]
        assert set(total.values()) == {RUNS}
        for kind, ties in zip(KINDS, (40, 11), strict=True):
            ours = wins([sl.simulate(s, replayed(kind)) for s in (RandCBP(APPLES, tail=1e-6), CBP(APPLES))])
            assert [one.tied for one in ours] == [ties] * 2
            assert sum(one.strict for one in ours) + ties == RUNS
            assert sum(one.strict + one.tied for one in ours) == RUNS + ties

    def test_bands_divided_by_the_number_of_runs(self):
        """2.575 std / n, as in the published figures, is sqrt(96) times too narrow: it covers 21 %, not 99 %."""
        rng = np.random.default_rng(0)
        hits, draws = np.zeros(2), 2_000
        for _ in range(draws):
            regret = rng.normal(size=(RUNS, 1))
            mean, low, high = some_results(regret).band()
            ours, printed = float(high[0] - mean[0]), 2.575 * regret.std(ddof=1) / RUNS
            assert ours / printed == pytest.approx(math.sqrt(RUNS), rel=1e-3)
            assert low[0] - mean[0] == pytest.approx(-ours)
            hits += abs(mean[0]) <= np.array([ours, printed])
        expected = [0.99, 2 * NormalDist().cdf(2.575 / math.sqrt(RUNS)) - 1]
        assert expected[1] == pytest.approx(0.207, abs=0.001)
        assert hits / draws == pytest.approx(expected, abs=0.03)


def some_results(regret):
    runs = len(regret)
    return Results(
        game=APPLES,
        strategy={"name": "A", "parameters": {}},
        environment={"name": "B"},
        rounds=[1],
        regret=regret,
        plays=np.zeros((runs, 2), int),
        seed=0,
        regret_kind="pseudo-regret",
    )


class TestPriorOfTSPM:
    """Table 1: lambda is 0.01 in the text and 0.001 in the code, and that makes no difference."""

    def test_chances_hardly_depend_on_it(self):
        """The prior varies by a factor of exp(lambda / 4) at most, and no chance can change by more."""
        p = (np.arange(20_000) + 0.5) / 20_000
        for n in (1, 10, 100):
            for k in range(n + 1):
                likelihood = stats.beta.pdf(p, 1 + k, 1 + n - k)
                chances = []
                for regularization in (0.01, 0.001):
                    weight = likelihood * np.exp(-0.5 * regularization * (p**2 + (1 - p) ** 2))
                    chances.append(weight[p > 0.5].sum() / weight.sum())
                assert abs(math.log(chances[0] / chances[1])) <= 0.01 / 4

    @pytest.mark.parametrize("kind", KINDS)
    def test_both_agree_with_the_published_number(self, kind):
        found = {
            regularization: [
                final(APPLES, TSPM(APPLES, regularization=regularization), replayed(kind), seed=seed)
                for seed in range(4)
            ]
            for regularization in (0.01, 0.001)
        }
        for batches in found.values():
            assert all(
                abs(z_of(batch, printed_numbers_of_player(f"apple-tasting-{kind}", "TSPM"))) < 2 for batch in batches
            )
        difference = np.ravel(found[0.01]) - np.ravel(found[0.001])
        assert abs(difference.mean()) < 2 * difference.std(ddof=1) / math.sqrt(difference.size)
