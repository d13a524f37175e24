"""Verdicts, on numbers made for the purpose."""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.reproduction.exhibit import Exhibit, Profile, exhibit_study_of_game, slow_player_of_exhibit
from sidelight.reproduction.paper import CBP, LIMIT
from sidelight.reproduction.published import printed_numbers_of_player
from sidelight.reproduction.use_case import use_case_studies
from sidelight.reproduction.verdicts import judge_reproduced_numbers, needs_second_look
from sidelight.results import Labels, Results, ResultSet
from sidelight.studies import PlayerEntry

from .making import table_of

PRINTED = printed_numbers_of_player("apple-tasting-imbalanced", "CBP")
GAME = sl.games.load("apple-tasting")


def sample(mean, std, runs, seed=0):
    """Return numbers with exactly this mean and standard deviation."""
    z = np.random.default_rng(seed).normal(size=runs)
    z = (z - z.mean()) / z.std(ddof=1) if runs > 1 else np.zeros(runs)
    return mean + std * z


def played(label, values, horizon=20_000, strategy="", limit=False):
    """Return labels and results with these final regrets."""
    values = np.asarray(values)
    results = Results(
        game=GAME,
        strategy={"name": label, "parameters": {}},
        environment={"name": "test"},
        rounds=[horizon],
        regret=values[:, None],
        plays=np.tile([horizon, 0], (values.size, 1)),
        seed=0,
        regret_kind="pseudo-regret",
        label=label,
    )
    return Labels("apple-tasting", "imbalanced, published", label, horizon, strategy, limit), lambda: results


def judged(values, *, runs=96, others=None, reasons=None):
    """Return the number of CBP, whose regrets are given; it stands behind RandCBP."""
    first = sample(5.0, 4.0, runs, seed=1) if others is None else others
    table = table_of(PlayerEntry("RandCBP"), CBP, reasons=reasons)
    (study,) = table.studies(Profile(runs=runs))
    return judge_reproduced_numbers(
        table, study, "published", ResultSet([played("RandCBP", first), played("CBP", values)])
    )[1]


def test_the_same_digits():
    number = judged(sample(PRINTED.mean, PRINTED.std, 96))
    assert number.verdict == "digit"
    assert not needs_second_look(number)
    assert judged(sample(PRINTED.mean + 0.0004, PRINTED.std, 96)).verdict == "digit"
    assert judged(sample(PRINTED.mean + 0.0006, PRINTED.std, 96)).verdict == "chance"
    assert judged(sample(PRINTED.mean, PRINTED.std + 0.002, 96)).verdict == "chance"


@pytest.mark.parametrize(
    ("z", "kind", "again"), [(1.9, "chance", False), (2.1, "chance", True), (-3.1, "differs", True)]
)
def test_chance_and_difference(z, kind, again):
    error = math.hypot(6.0, PRINTED.std) / math.sqrt(96)
    number = judged(sample(PRINTED.mean + z * error, 6.0, 96))
    assert number.z == pytest.approx(z)
    assert (number.verdict, needs_second_look(number)) == (kind, again)


def test_a_second_look_decides():
    error = math.hypot(6.0, PRINTED.std) / math.sqrt(96)
    far = sample(PRINTED.mean + 4 * error, 6.0, 96)
    back = np.concatenate([far, sample(PRINTED.mean - 0.4 * error, 6.0, 864)])
    number = judged(back)
    assert (number.ours.runs, number.again.runs, number.verdict) == (96, 960, "chance")
    assert number.z == pytest.approx(4)
    assert number.again.mean == pytest.approx(back.mean())
    assert not needs_second_look(number)
    away = judged(np.concatenate([far, sample(PRINTED.mean + 4 * error, 6.0, 864)]))
    assert (away.verdict, away.reason) == ("differs", None)
    known = judged(far, reasons={("CBP", "published"): "bpm-radius"})
    assert (known.verdict, known.reason) == ("differs", "bpm-radius")


def test_what_looks_right_gets_no_second_look():
    values = np.concatenate([sample(PRINTED.mean, 6.0, 96), sample(50.0, 6.0, 864)])
    assert judged(values).again is None


def test_more_runs_than_the_paper_has():
    """Where the first 96 runs are the paper's to the digit, 4 000 runs do not change that."""
    paper = sample(PRINTED.mean, PRINTED.std, 96)
    number = judged(np.concatenate([paper, sample(7.1, 7.0, 904, seed=3)]), runs=1_000)
    assert (number.ours.runs, number.verdict, number.again.runs) == (1_000, "digit", 96)
    assert number.again.mean == pytest.approx(PRINTED.mean)
    other = judged(sample(PRINTED.mean, PRINTED.std, 1_000), runs=1_000)
    assert (other.verdict, other.again) == ("digit", None)


def test_few_runs():
    one = judged([3.0], runs=1)
    assert (one.verdict, one.z) == ("open", None)
    assert math.isnan(one.ours.std)
    assert not needs_second_look(one)  # or one run would cost as much as 960
    # The spread of three runs may be small by luck: the printed one stands for it.
    three = judged([10.0, 10.001, 10.002], runs=3)
    assert abs(three.z) < 1


def test_slow_strategies_need_more_than_three_standard_errors():
    profile = Profile(protocol="described")
    study = exhibit_study_of_game(
        "apple-tasting", "contexts", (slow_player_of_exhibit("PGTS", {"dimension": 10}, profile),), profile
    )
    printed = printed_numbers_of_player("apple-tasting-contexts", "PGTS")
    error = printed.std * math.sqrt(1 / 2 + 1 / 96)
    table = Exhibit("table3", "", "", lambda profile: (study,))
    for z, kind in ((2, "chance"), (5, "open"), (20, "differs")):
        results = ResultSet([played("PGTS", sample(printed.mean + z * error, 1.0, 2), 7_500, "PGTS")])
        (number,) = judge_reproduced_numbers(table, study, "described", results)
        assert (number.verdict, number.ours.runs, number.ours.round) == (kind, 2, 7_500)


def test_numbers_that_never_vary():
    """Verifications of Explore-fully: 105 120 in every run."""
    study = use_case_studies(1, Profile(policies=("explore",)))[0]
    labels = Labels("", "case 1", "Explore-fully", 0)

    def number(count):
        measures = {"f1": np.ones(96), "verifications": np.full(96, count)}
        named = {"strategy": {"name": "explore", "parameters": {}}, "environment": {"name": "classifiers"}}
        results = Results(game=None, **named, seed=0, measures=measures)
        return judge_reproduced_numbers(table_of(), study, "published", ResultSet([(labels, lambda: results)]))[1]

    assert number(105_120).verdict == "digit"
    assert (number(105_121).verdict, number(105_121).z) == ("differs", math.inf)


def test_wins_and_tests():
    rivals = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    other = np.array([1.0, 3.0, 3.5, 9.0, 4.0])
    number = judged(other, runs=5, others=rivals)
    assert (number.ours.strict_wins, number.ours.tied_wins) == (1, 1)
    from scipy.stats import ttest_ind

    assert number.ours.p_value == pytest.approx(ttest_ind(other, rivals, equal_var=False).pvalue)
    greater = ttest_ind(other, rivals, equal_var=False, alternative="greater").pvalue
    assert number.p_one_sided == pytest.approx(greater)  # small where the first player is better


def test_the_limit_is_not_a_contestant():
    table = table_of(CBP, LIMIT)
    (study,) = table.studies(Profile())
    best = played(LIMIT.label, sample(4.5, 1.0, 96, seed=2), limit=True)
    first, limit = judge_reproduced_numbers(
        table, study, "published", ResultSet([played("CBP", sample(9.0, 1.0, 96)), best])
    )
    assert first.ours.limit_ratio == pytest.approx(2)
    assert first.ours.strict_wins == 96
    assert (limit.is_limit, limit.ours.strict_wins, limit.ours.test, limit.verdict) == (True, None, None, "ours")
