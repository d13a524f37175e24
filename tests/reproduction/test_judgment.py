"""Verdicts, on numbers made for the purpose."""

import math

import numpy as np
import pytest

from sidelight.reproduction import judgment, published
from sidelight.reproduction.experiment import Experiment, Player, Section, UseCase
from sidelight.reproduction.paper.table1 import CBP, LIMIT, RAND_CBP
from sidelight.reproduction.plan import Profile, lines

from .making import APPLES

PRINTED = published.pair("table1", "imbalanced", "CBP")


def sample(mean, std, runs, seed=0):
    """Return numbers with exactly this mean and standard deviation."""
    z = np.random.default_rng(seed).normal(size=runs)
    z = (z - z.mean()) / z.std(ddof=1) if runs > 1 else np.zeros(runs)
    return mean + std * z


def judged(values, *, runs=96, player=CBP, others=None):
    """Return the number of a player whose regrets are given; it stands behind RandCBP."""
    table = Experiment("table1", "", "", (Section("imbalanced", APPLES, (RAND_CBP, player)),))
    first = sample(5.0, 4.0, runs, seed=1) if others is None else others
    found = lines(table, "published", Profile(runs=runs))
    regrets = dict(zip([line.condition for line in found], (first, np.asarray(values)), strict=True))

    def arrived(condition):
        return {"rounds": np.array([20_000]), "regret": regrets[condition][:, None]}

    return judgment.judge(table, "published", Profile(runs=runs), arrived)[1]


def test_the_same_digits():
    number = judged(sample(PRINTED.mean, PRINTED.std, 96))
    assert number.verdict == "digit"
    assert not judgment.needs_rerun(number)
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
    assert (number.verdict, judgment.needs_rerun(number)) == (kind, again)


def test_a_second_look_decides():
    error = math.hypot(6.0, PRINTED.std) / math.sqrt(96)
    far = sample(PRINTED.mean + 4 * error, 6.0, 96)
    back = np.concatenate([far, sample(PRINTED.mean - 0.4 * error, 6.0, 864)])
    number = judged(back)
    assert (number.ours.runs, number.again.runs, number.verdict) == (96, 960, "chance")
    assert number.z == pytest.approx(4)
    assert number.again.mean == pytest.approx(back.mean())
    assert not judgment.needs_rerun(number)
    away = judged(np.concatenate([far, sample(PRINTED.mean + 4 * error, 6.0, 864)]))
    assert (away.verdict, away.reason) == ("differs", None)
    explained = Player("CBP", paper="CBP", reasons={"published": "bpm-radius"})
    known = judged(far, player=explained)
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
    assert not judgment.needs_rerun(one)  # or one run would cost as much as 960
    # The spread of three runs may be small by luck: the printed one stands for it.
    three = judged([10.0, 10.001, 10.002], runs=3)
    assert abs(three.z) < 1


def test_slow_strategies_need_more_than_three_standard_errors():
    slow = Player("CBP", paper="CBP", slow=True)
    table = Experiment("table1", "", "", (Section("imbalanced", APPLES, (slow,)),))
    error = PRINTED.std * math.sqrt(1 / 4 + 1 / 96)
    for z, kind in ((2, "chance"), (5, "open"), (20, "differs")):
        arrays = {"rounds": np.array([7_500]), "regret": sample(PRINTED.mean + z * error, 1.0, 4)[:, None]}
        (number,) = judgment.judge(table, "published", Profile(), lambda condition, a=arrays: a)
        assert (number.verdict, number.ours.runs, number.ours.round) == (kind, 4, 7_500)


def test_numbers_that_never_vary():
    """Verifications of Explore-fully: 105 120 in every run."""
    player = Player("explore", paper="Explore-fully")
    table = Experiment("table4", "", "", (Section("0.025", UseCase(1, 0.025, "t"), (player,)),))

    def number(count):
        arrays = {"f1": np.ones(96), "verifications": np.full(96, count)}
        return judgment.judge(table, "published", Profile(), lambda condition: arrays)[1]

    assert number(105_120).verdict == "digit"
    assert (number(105_121).verdict, number(105_121).z) == ("differs", math.inf)


def test_wins_and_tests():
    rivals = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    number = judged([1.0, 3.0, 3.5, 9.0, 4.0], runs=5, others=rivals)
    assert (number.ours.strict_wins, number.ours.tied_wins) == (1, 1)
    from scipy.stats import ttest_ind

    other = np.array([1.0, 3.0, 3.5, 9.0, 4.0])
    assert number.ours.p_value == pytest.approx(ttest_ind(other, rivals, equal_var=False).pvalue)
    greater = ttest_ind(other, rivals, equal_var=False, alternative="greater").pvalue
    assert number.p_one_sided == pytest.approx(greater)  # small where the first player is better


def test_the_limit_is_not_a_contestant():
    table = Experiment("table1", "", "", (Section("imbalanced", APPLES, (CBP, LIMIT)),))
    found = lines(table, "published", Profile())
    regrets = {found[0].condition: sample(9.0, 1.0, 96), found[1].condition: sample(4.5, 1.0, 96, seed=2)}
    first, limit = judgment.judge(
        table, "published", Profile(), lambda e: {"rounds": np.array([20_000]), "regret": regrets[e][:, None]}
    )
    assert first.limit_ratio == pytest.approx(2)
    assert first.ours.strict_wins == 96
    assert (limit.is_limit, limit.ours.strict_wins, limit.ours.test, limit.verdict) == (True, None, None, "ours")
