"""Every strategy meets every check, and every check can fail."""

import contextlib

import pytest

import sidelight as sl
from common.broken import BROKEN, Chronicler, Contextual, Honest, ReadsLosses
from common.players import make
from sidelight.checks import Report, check_strategy, default_games, strategy_checks
from sidelight.checks.stage import Stage
from sidelight.kernels import compiled_available

CHECKS = {check.__name__: check for check in strategy_checks()}
NEEDS_COMPILER = {"workers_do_not_matter", "compiled_as_interpreted"}
# Strategies that need long for a round meet fewer games.
FEW = dict.fromkeys(
    (
        "BPMLeast",
        "CBPSide",
        "Discounted",
        "EpsilonGreedySide",
        "ExpPM",
        "GreedySide",
        "Restarting",
        "SquareCB",
        "TSPM",
        "TSPMGaussian",
    ),
    4,
)
FEW |= dict.fromkeys(("BOBWLocal", "IDS", "IDSContexts", "Mario", "PMDMED", "PMDMEDHinge", "VIDS"), 2)
FEW |= {"Prospect": 4} | dict.fromkeys(("PGIDS", "PGTS", "PGTSMulti", "ProspectModel", "ProspectSide"), 1)
# Clones of a classifier, each of which is fitted alike.
FEWER = {"ProspectModel": {"members": 3}}
# What each strategy leaves out, beyond what follows from its being contextual, compiled or refused a game.
OPTED_OUT = {"shift_invariant": "common_losses_do_not_matter", "bounded_memory": "memory_is_bounded"}


def accepted(name):
    """Return a strategy for the first game that it does not refuse."""
    for game in default_games():
        with contextlib.suppress(sl.SidelightError):
            return make(name, game)
    raise AssertionError(f"{name} refuses every game")


@pytest.mark.parametrize("name", sl.strategies.names())
@pytest.mark.filterwarnings("ignore:.* no guarantee:UserWarning")
def test_strategy(name):
    games = default_games()[: FEW.get(name)]
    report = check_strategy(lambda game: make(name, game, **FEWER.get(name, {})), games=games)
    assert sorted([*report.passed, *report.skipped]) == sorted(game.name for game in games)
    assert report.passed
    sample = accepted(name)
    left_out = {check for attribute, check in OPTED_OUT.items() if not getattr(sample, attribute, True)}
    left_out |= set() if sample.dimension or sample.any_context else {"refuses_wrong_contexts"}
    if not any(isinstance(value, int | float) and value is not True for value in sample.parameters().values()):
        left_out.add("takes_numbers_of_numpy")
    left_out |= {"refuses_wrong_arguments"} if name in ("Uniform", "BetaThompson") else set()
    if not isinstance(sample, sl.strategies.KernelStrategy) or not compiled_available():
        left_out |= NEEDS_COMPILER
    for game in report.passed:
        omitted = {check for place, check in report.omitted if place == game}
        assert omitted - {"hidden_outcomes_do_not_matter"} == left_out
    assert report.count == len(report.passed) * len(CHECKS) - len(report.omitted)


@pytest.mark.parametrize("kind", [Honest, Contextual])
def test_an_honest_strategy_passes(kind):
    report = check_strategy(kind)
    assert len(report.passed) == len(default_games())
    left_out = 2 + (kind is Honest)
    assert len(CHECKS) - left_out - 1 <= report.count / len(default_games()) <= len(CHECKS) - left_out
    assert "checks passed on 11 games" in str(report)
    assert "left out, the strategy is plain Python" in str(report)


def test_a_report_counts_in_words():
    assert str(Report("Mine", {"a": ["x"]})) == "Mine: 1 check passed on 1 game"
    assert str(Report("Mine", {"a": ["x", "y"], "b": []})) == "Mine: 2 checks passed on 2 games"


def test_every_check_has_its_counterexample():
    assert list(CHECKS) == list(BROKEN)


@pytest.mark.parametrize(("name", "factory"), [(name, broken) for name, all_ in BROKEN.items() for broken in all_])
def test_a_check_can_fail(name, factory):
    if name in NEEDS_COMPILER and not compiled_available():
        pytest.skip("Numba is missing or switched off")
    game = sl.games.load("dynamic-pricing", prices=3)
    with pytest.raises(AssertionError, match=f"^the subject on a game, {name.replace('_', ' ')}: .{{15}}"):
        Report("the subject").run([CHECKS[name]], Stage(game, factory), "a game")


def test_a_failure_names_the_strategy_and_the_game():
    with pytest.raises(AssertionError, match="Chronicler on apple-tasting, memory is bounded: the state grows by 1"):
        check_strategy(Chronicler)


def test_classes_may_opt_out():
    class Historian(Chronicler):
        bounded_memory = False

    class Accountant(ReadsLosses):
        shift_invariant = False

    games = [sl.games.load("apple-tasting")]
    for kind, check in ((Historian, "memory_is_bounded"), (Accountant, "common_losses_do_not_matter")):
        report = check_strategy(kind, games=games)
        assert check in {name for _, name in report.omitted}
        assert "the class says" in str(report)


def test_a_game_may_be_refused_but_not_every_game():
    class Choosy(Honest):
        def __init__(self, game, rate=0.3, seed=0):
            super().__init__(game, rate, seed=seed)
            if game.n_outcomes > 2:
                raise sl.SidelightError("two outcomes only")

    report = check_strategy(Choosy, games=[sl.games.load("apple-tasting"), sl.games.load("bartok")])
    assert report.skipped == {"bartok": "two outcomes only"}
    assert list(report.passed) == ["apple-tasting"]
    with pytest.raises(AssertionError, match="refuses every game: bartok: two outcomes only"):
        check_strategy(Choosy, games=[sl.games.load("bartok")])
