"""Every environment meets every check, and every check can fail."""

import inspect
import itertools
import threading
from typing import NamedTuple

import numpy as np
import pytest

import sidelight as sl
from sidelight.checks import Report, check_environment
from sidelight.checks.environments import CHECKS, CheckSite
from sidelight.environments import laws
from sidelight.environments.base import Environment, baseline, cost, draw
from sidelight.kernels import compiled_available, implements

APPLES = sl.games.load("apple-tasting")
BARTOK = sl.games.load("bartok")
TWO_LAWS = [[0.2, 0.8], [0.9, 0.1]]
RECORDED = np.random.default_rng(0).integers(2, size=(3, 60))
# Examples of every kind of environment, with a game that each serves.
EXAMPLES = {
    "IID": [
        (sl.environments.IID([0.3, 0.7]), APPLES),
        (sl.environments.IID([0.0, 1.0, 0.0]), BARTOK),
        (sl.environments.IID([[0.3, 0.7], [1.0, 0.0]]), APPLES),
        (sl.environments.IID(laws.load("dirichlet", 3)), BARTOK),
    ],
    "Replay": [
        (sl.environments.Replay(RECORDED), APPLES),
        (sl.environments.Replay(RECORDED[0], law=[0.4, 0.6]), APPLES),
        (sl.environments.Replay(RECORDED[0], laws=np.random.default_rng(2).dirichlet([1, 1], 60)), APPLES),
        (sl.environments.Replay(RECORDED, contexts=np.random.default_rng(1).normal(size=(60, 2))), BARTOK),
    ],
    "Adversarial": [
        (sl.environments.Adversarial(RECORDED), APPLES),
        (sl.environments.Adversarial(sl.environments.hard_sequences(BARTOK, 60)), BARTOK),
    ],
    "Corrupted": [(sl.environments.Corrupted([0.3, 0.7], budget=20, every=2), APPLES)],
    "Markov": [(sl.environments.Markov([[0.3, 0.7], [0.9, 0.1]], [[0.9, 0.1], [0.2, 0.8]]), APPLES)],
    "Switching": [
        (sl.environments.Switching([[0.3, 0.7], [0.9, 0.1]], times=[20]), APPLES),
        (sl.environments.Switching([[0.3, 0.7], [0.9, 0.1]], rate=0.1, against="fixed"), APPLES),
        (sl.environments.Switching(laws.load("dirichlet", 3), times=[20, 30]), BARTOK),
    ],
    "FiniteContexts": [(("laws", [[0.2, 0.8], [0.9, 0.1]]), APPLES)],
    "HalfspaceContexts": [(("dimension", 4), APPLES)],
    "LinearContexts": [(("theta", [[0.2, 0.5]]), APPLES)],
    "RegionContexts": [
        (("laws", TWO_LAWS), APPLES),
        (sl.environments.RegionContexts(TWO_LAWS, 3, "ring"), APPLES),
        (sl.environments.RegionContexts(TWO_LAWS, 5, "plane", relevant=2, tails=2.5), APPLES),
    ],
    "SwitchingContexts": [
        (
            sl.environments.SwitchingContexts(
                sl.environments.RegionContexts(TWO_LAWS, 2), sl.environments.LinearContexts([[0.2, 0.5]]), 20
            ),
            APPLES,
        )
    ],
    "LogisticContexts": [(("theta", [[0.2, 0.5], [-1.0, 1.0], [0.0, 0.3]]), BARTOK)],
}


def kinds():
    found = {name: getattr(sl.environments, name) for name in sl.environments.__all__}
    return [name for name, kind in found.items() if inspect.isclass(kind) and not inspect.isabstract(kind)]


@pytest.mark.parametrize("name", kinds())
def test_environment(name):
    assert name in EXAMPLES, "give an example of this environment"
    for environment, game in EXAMPLES[name]:
        if isinstance(environment, tuple):
            argument, value = environment
            environment = getattr(sl.environments, name)(**{argument: value})
        report = check_environment(environment, game)
        assert report.count == len(CHECKS) - (not compiled_available())


class World(NamedTuple):
    case: int
    position: np.ndarray


@implements(draw, World)
def _draw(world, context, rng):
    world.position[0] += 1
    if world.case == 1:
        return 2
    if world.case == 2:
        context[0] = np.nan
    return 1 if rng.random() < 0.5 else 0


@implements(cost, World)
def _cost(world, action, outcome):
    if world.case == 3:
        return -1.0 * action
    if world.case == 4:
        return 1.0
    if world.case == 5:
        return np.inf * action
    if world.case == 6:
        return 1.0 * (world.position[0] % 7) * action
    if world.case == 7:  # a byte in the interpreter, an integer when compiled
        return 1.0 * action if np.uint8(200) << world.case > 300 else 0.0
    return 1.0 * action


@implements(baseline, World)
def _baseline(world):
    return 0.0


class Scripted(Environment):
    """A sound environment, or one with a certain fault."""

    name = "Scripted"

    def __init__(self, case=0, shared=False, described=None):
        self.case, self.shared, self.described = case, shared, described
        self.dimension = int(case == 2)
        self.position = np.zeros(1, np.int64)

    def check(self, game, runs, horizon):
        pass

    def start(self, game, run, rng):
        return World(self.case, self.position if self.shared else np.zeros(1, np.int64))

    def describe(self):
        return self.described or {"name": "Scripted"}


class Global(Scripted):
    def start(self, game, run, rng):
        np.random.random()  # noqa: NPY002
        return super().start(game, run, rng)


class Fickle(Scripted):
    moods = itertools.count()

    def describe(self):
        return {"name": "Scripted", "mood": next(self.moods)}


class Locked(Scripted):
    """Cannot be copied."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


class Forgetful(Scripted):
    """A copy of it charges other costs."""

    def __reduce__(self):
        return Forgetful, (0,)


class Odd(Scripted):
    regret_kind = "regret"


BROKEN = {
    "describes_itself": [Scripted(described={"name": "?"}), Scripted(described={"name": {1}}), Odd()],
    "draws_valid_outcomes": [Scripted(1), Scripted(2)],
    "charges_regret": [Scripted(3), Scripted(4), Scripted(5)],
    "runs_can_be_repeated": [Scripted(6, shared=True), Fickle()],
    "survives_pickle_and_deepcopy": [Locked(), sl.environments.IID(lambda rng: [0.5, 0.5]), Forgetful(3)],
    "draws_from_its_generator_only": [Global()],
    "compiled_as_interpreted": [Scripted(7)],
}


def test_every_check_has_its_counterexample():
    assert [check.__name__ for check in CHECKS] == list(BROKEN)
    assert Report("sound").run(CHECKS[:-1], CheckSite(Scripted(), APPLES), "a game") is None


@pytest.mark.parametrize(("name", "broken"), [(name, one) for name, all_ in BROKEN.items() for one in all_])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_check_can_fail(name, broken):
    if name == "compiled_as_interpreted" and not compiled_available():
        pytest.skip("Numba is missing or switched off")
    check = next(one for one in CHECKS if one.__name__ == name)
    with pytest.raises(AssertionError, match=f"^the subject on a game, {name.replace('_', ' ')}: .{{15}}"):
        Report("the subject").run([check], CheckSite(broken, APPLES), "a game")


def test_an_environment_that_refuses_the_game_says_so():
    with pytest.raises(sl.SidelightError, match="probabilities"):
        check_environment(sl.environments.IID([0.5, 0.5]), BARTOK)
    with pytest.raises(AssertionError, match="a list is not an Environment"):
        check_environment([0.5, 0.5], BARTOK)
