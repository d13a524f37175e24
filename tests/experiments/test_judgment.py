"""Verdicts, on numbers made for the purpose."""

import math

import numpy as np
import pytest

from sidelight import _published
from sidelight.experiments import judgment
from sidelight.experiments.experiment import Experiment, Player, Section, UseCase
from sidelight.experiments.plan import Profile, lines
from sidelight.experiments.table1 import CBP, LIMIT, RAND_CBP

from .making import APPLES

PRINTED = _published.pair("table1", "imbalanced", "CBP")


def sample(mean, std, runs, seed=0):
    """Return numbers with exactly this mean and standard deviation."""
    z = np.random.default_rng(seed).normal(size=runs)
    z = (z - z.mean()) / z.std(ddof=1) if runs > 1 else np.zeros(runs)
    return mean + std * z


def judged(values, *, runs=96, player=CBP, others=None):
    """Return the cell of a player whose regrets are given; it stands behind RandCBP."""
    table = Experiment("table1", "", "", (Section("imbalanced", APPLES, (RAND_CBP, player)),))
    first = sample(5.0, 4.0, runs, seed=1) if others is None else others
    found = lines(table, "published", Profile(runs=runs))
    regrets = dict(zip([line.condition for line in found], (first, np.asarray(values)), strict=True))

    def arrived(condition):
        return {"rounds": np.array([20_000]), "regret": regrets[condition][:, None]}

    account = judgment.table_account(table, "published", Profile(runs=runs), arrived)
    return account.blocks[0].cells[1]


def test_the_same_digits():
    cell = judged(sample(PRINTED.mean, PRINTED.std, 96))
    assert cell.verdict.kind == "digit"
    assert not judgment.needs_rerun(cell)
    assert judged(sample(PRINTED.mean + 0.0004, PRINTED.std, 96)).verdict.kind == "digit"
    assert judged(sample(PRINTED.mean + 0.0006, PRINTED.std, 96)).verdict.kind == "chance"
    assert judged(sample(PRINTED.mean, PRINTED.std + 0.002, 96)).verdict.kind == "chance"


@pytest.mark.parametrize(
    ("z", "kind", "again"), [(1.9, "chance", False), (2.1, "chance", True), (-3.1, "differs", True)]
)
def test_chance_and_difference(z, kind, again):
    error = math.hypot(6.0, PRINTED.std) / math.sqrt(96)
    cell = judged(sample(PRINTED.mean + z * error, 6.0, 96))
    assert cell.z == pytest.approx(z)
    assert (cell.verdict.kind, judgment.needs_rerun(cell)) == (kind, again)


def test_a_second_look_decides():
    error = math.hypot(6.0, PRINTED.std) / math.sqrt(96)
    far = sample(PRINTED.mean + 4 * error, 6.0, 96)
    back = np.concatenate([far, sample(PRINTED.mean - 0.4 * error, 6.0, 864)])
    cell = judged(back)
    assert (cell.runs, cell.rerun.runs, cell.verdict.kind) == (96, 960, "chance")
    assert cell.z == pytest.approx(4)
    assert cell.rerun.mean == pytest.approx(back.mean())
    assert not judgment.needs_rerun(cell)
    away = judged(np.concatenate([far, sample(PRINTED.mean + 4 * error, 6.0, 864)]))
    assert away.verdict == ("differs", None)
    explained = Player("CBP", paper="CBP", reasons={"published": "bpm-radius"})
    assert judged(far, player=explained).verdict == ("differs", "bpm-radius")


def test_what_looks_right_gets_no_second_look():
    values = np.concatenate([sample(PRINTED.mean, 6.0, 96), sample(50.0, 6.0, 864)])
    assert judged(values).rerun is None


def test_more_runs_than_the_paper_has():
    """Where the first 96 runs are the paper's to the digit, 4 000 runs do not change that."""
    paper = sample(PRINTED.mean, PRINTED.std, 96)
    cell = judged(np.concatenate([paper, sample(7.1, 7.0, 904, seed=3)]), runs=1_000)
    assert (cell.runs, cell.verdict.kind, cell.rerun.runs) == (1_000, "digit", 96)
    assert cell.rerun.mean == pytest.approx(PRINTED.mean)
    other = judged(sample(PRINTED.mean, PRINTED.std, 1_000), runs=1_000)
    assert (other.verdict.kind, other.rerun) == ("digit", None)


def test_few_runs():
    one = judged([3.0], runs=1)
    assert (one.verdict.kind, one.z, one.std) == ("open", None, None)
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
        cell = judgment.table_account(table, "published", Profile(), lambda condition, a=arrays: a).blocks[0].cells[0]
        assert (cell.verdict.kind, cell.runs, cell.round) == (kind, 4, 7_500)


def test_numbers_that_never_vary():
    """Verifications of Explore-fully: 105 120 in every run."""
    player = Player("explore", paper="Explore-fully")
    table = Experiment("table4", "", "", (Section("0.025", UseCase(1, 0.025, "t"), (player,)),))

    def cell(count):
        arrays = {"f1": np.ones(96), "verifications": np.full(96, count)}
        return judgment.table_account(table, "published", Profile(), lambda condition: arrays).blocks[1].cells[0]

    assert cell(105_120).verdict.kind == "digit"
    assert (cell(105_121).verdict.kind, cell(105_121).z) == ("differs", math.inf)


def test_wins_and_tests():
    rivals = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    cell = judged([1.0, 3.0, 3.5, 9.0, 4.0], runs=5, others=rivals)
    assert (cell.strict_wins, cell.tied_wins) == (1, 1)
    from scipy.stats import ttest_ind

    other = np.array([1.0, 3.0, 3.5, 9.0, 4.0])
    assert cell.p_two_sided == pytest.approx(ttest_ind(other, rivals, equal_var=False).pvalue)
    greater = ttest_ind(other, rivals, equal_var=False, alternative="greater").pvalue
    assert cell.p_one_sided == pytest.approx(greater)  # small where the first player is better


def test_the_limit_is_no_contestant():
    table = Experiment("table1", "", "", (Section("imbalanced", APPLES, (CBP, LIMIT)),))
    found = lines(table, "published", Profile())
    regrets = {found[0].condition: sample(9.0, 1.0, 96), found[1].condition: sample(4.5, 1.0, 96, seed=2)}
    block = judgment.table_account(
        table, "published", Profile(), lambda e: {"rounds": np.array([20_000]), "regret": regrets[e][:, None]}
    ).blocks[0]
    assert block.cells[0].limit_ratio == pytest.approx(2)
    assert block.cells[0].strict_wins == 96
    limit = block.cells[1]
    assert (limit.is_limit, limit.strict_wins, limit.p_two_sided, limit.verdict.kind) == (True, None, None, "ours")
