"""A strategy that keeps every promise, and for each check one that breaks the promise which the check is about."""

import copy
import inspect
import itertools
import math
import threading
from typing import NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.kernels import implements
from sidelight.strategies.base import UNANSWERED, KernelStrategy, Strategy, act, check_number, observe


class Honest(Strategy):
    """Now and then plays at random, else the action that least often showed anything but its first symbol."""

    def __init__(self, game, rate=0.3, seed=0):
        super().__init__(game, seed=seed)
        self.rate = rate
        self.check()

    def check(self):
        check_number("rate", self.rate, least=0)

    def _start(self):
        return {"regrets": np.zeros(self.game.n_actions)}

    def _act(self, context):
        if self.rng.random() < self.rate:
            return int(self.rng.random() * self.game.n_actions)
        return self.favorite(context)

    def favorite(self, context):
        return int(np.argmin(self.state["regrets"]))

    def _observe(self, action, symbol, context):
        self.state["regrets"][action] += 1.0 if symbol else 0.5


class Contextual(Honest):
    """The same, also swayed by contexts."""

    dimension = 3

    def favorite(self, context):
        return int(np.argmin(self.state["regrets"] * context[0]))

    def _observe(self, action, symbol, context):
        self.state["regrets"][action] += abs(context[1]) + symbol


class StoresSomethingElse(Honest):
    def __init__(self, game, rate=0.3, seed=0):
        super().__init__(game, seed=seed)
        self.rate = rate + 1e-9


class ForgetsAnArgument(Honest):
    def __init__(self, game, rate=0.3, seed=0):
        super().__init__(game, rate, seed=seed)
        del self.rate


class StartsAtOnce(Honest):
    def __init__(self, game, rate=0.3, seed=0):
        super().__init__(game, rate, seed=seed)
        self.reset()


class Mute(Honest):
    def __repr__(self):
        return "a strategy"


class Rambling(Honest):
    def explain(self):
        return f"I draw {self.rng.random()}"


class ClonesBadly(Honest):
    def clone(self):
        return copy.copy(self)


class HoldsALock(Honest):
    def __init__(self, game, rate=0.3, seed=0):
        super().__init__(game, rate, seed=seed)
        self._lock = threading.Lock()


class OpensOnce(Honest):
    """Can be pickled before it plays, but not afterwards."""

    def _act(self, context):
        self._lock = threading.Lock()
        return super()._act(context)


class IsItsOwnCopy(Honest):
    def __deepcopy__(self, memo):
        return self


class LeavesItsStateBehind(Honest):
    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_state", "_rng")}


class NeverForgets(Honest):
    def _start(self):
        self._kept = getattr(self, "_kept", None) or super()._start()
        return self._kept


class Unseeded(Honest):
    moods = itertools.count()

    def _start(self):
        return super()._start() | {"mood": next(self.moods) % 5}

    def favorite(self, context):
        return self.state["mood"] % self.game.n_actions


class DrawsFromTheGlobalGenerator(Honest):
    def favorite(self, context):
        return int(np.random.random() * 0)  # noqa: NPY002


class KeepsMemoryElsewhere(Honest):
    def _start(self):
        self._elsewhere = 0
        return super()._start()

    def favorite(self, context):
        self._elsewhere += 1
        return self._elsewhere % self.game.n_actions


class NeedsPickle(Honest):
    def _start(self):
        return super()._start() | {"odd": {1, 2}}


class SavesTheLiveState(Honest):
    def save(self, path=None):
        data = super().save(path)
        return data | {"state": self.state}


class Chronicler(Honest):
    def _start(self):
        return super()._start() | {"history": np.zeros(0)}

    def _observe(self, action, symbol, context):
        super()._observe(action, symbol, context)
        self.state["history"] = np.append(self.state["history"], action)


class SharesLists(Honest):
    """Goes wrong if whoever loads it hands over the list of the saved data itself."""

    def _start(self):
        return super()._start() | {"last": [0]}

    def _observe(self, action, symbol, context):
        super()._observe(action, symbol, context)
        self.state["last"][0] = action


class OutOfRange(Honest):
    def favorite(self, context):
        return -1 if self.state["regrets"].sum() > 8 else 0


class Impatient(Honest):
    def _start(self):
        return super()._start() | {"last": -1}

    def _act(self, context):
        self.state["last"] = super()._act(context)
        return self.state["last"]

    def _observe(self, action, symbol, context):
        if action != self.state["last"]:
            raise SidelightError("too late")


class Insistent(Honest):
    def _act(self, context):
        if sum(self._under_way) > 3:
            raise SidelightError("feedback first")
        return super()._act(context)


class Indulgent(Honest):
    def _addressee(self, action):
        try:
            return super()._addressee(action)
        except SidelightError:
            return 0


class NoisyRefusal(Honest):
    def _addressee(self, action):
        self.rng.random()
        return super()._addressee(action)


class Guesses(Honest):
    def _place(self, action, symbol):
        try:
            return super()._place(action, symbol)
        except SidelightError:
            return 0


class WrongError(Honest):
    def _place(self, action, symbol):
        return self._symbols[action][symbol]


class Gullible(Contextual):
    def _context(self, context):
        return np.zeros(3) if context is None else np.array(context, float).ravel()[:3]


class KeepsTheContext(Contextual):
    def _context(self, context):
        super()._context(context)
        return context


class ChangesTheContext(Contextual):
    def _context(self, context):
        super()._context(context)
        context *= 2.0
        return np.array(context)


class ReadsNames(Honest):
    def _observe(self, action, symbol, context):
        self.state["regrets"][action] += len(str(self.game.symbols(action)[symbol]))


class ReadsLosses(Honest):
    def favorite(self, context):
        return int(self.game.loss[0][0] + self.state["regrets"].sum()) % self.game.n_actions


class Peeps(Honest):
    """Looks for the outcome in the loop that runs it."""

    def _observe(self, action, symbol, context):
        frame = inspect.currentframe()
        while frame is not None and "outcome" not in frame.f_locals:
            frame = frame.f_back
        secret = 0 if frame is None else frame.f_locals["outcome"]
        self.state["regrets"][action] += 1.0 + (secret if isinstance(secret, int | np.integer) else 0)


class KnowsItIsSimulated(Honest):
    def act(self, context=None):
        self._simulated = context is not None
        return super().act(context)

    def favorite(self, context):
        return 0 if self._simulated else super().favorite(context)


class RemembersOtherRuns(Honest):
    def __init__(self, game, rate=0.3, seed=0):
        super().__init__(game, rate, seed=seed)
        self._runs = []

    def favorite(self, context):
        return len(self._runs) % self.game.n_actions

    def _start(self):
        self._runs.append(1)
        return super()._start()


class Levels(NamedTuple):
    threads: int
    shift: int


class Level(NamedTuple):
    asked: np.ndarray
    level: np.ndarray


@implements(act, Levels)
def _act(parameters, state, context, rng):
    if state.asked[0] == 0:
        state.asked[0] = 1
        return UNANSWERED
    if parameters.threads == 1:
        return 1
    # The interpreter keeps a byte (200 << 1 is 144), compiled code makes it an integer (400).
    return 1 if state.level[0] << parameters.shift > 300 else 0


@implements(observe, Levels)
def _observe(parameters, state, action, symbol, context):
    state.level[0] = 200


class DiffersCompiled(KernelStrategy):
    shift = 1

    def _compile(self):
        return Levels(0, self.shift)

    def _start(self):
        return Level(np.zeros(1, np.int64), np.zeros(1, np.uint8))

    def _resume(self, parameters, state):
        return parameters, state


class DiffersByThread(DiffersCompiled):
    shift = 0

    def _resume(self, parameters, state):
        in_a_thread = threading.current_thread() is not threading.main_thread()
        return parameters._replace(threads=int(in_a_thread)), state


class Credulous(Honest):
    def check(self):
        pass


class Grumbles(Honest):
    """Refuses with whatever error comes up."""

    def check(self):
        if not math.isfinite(self.rate) or self.rate is True:
            raise SidelightError(f"rate is {self.rate!r}")


class Nameless(Honest):
    def check(self):
        try:
            super().check()
        except SidelightError:
            raise SidelightError("no") from None


class Brittle(Honest):
    """Accepts what it cannot play with."""

    def check(self):
        check_number("rate", self.rate)

    def _act(self, context):
        return super()._act(context) if math.sqrt(self.rate) < 1e6 else 0


class PythonOnly(Honest):
    def check(self):
        if type(self.rate) not in (int, float):
            raise SidelightError(f"rate is {self.rate!r}: give a number of Python")
        super().check()


class TakesNumPyForSomethingElse(Honest):
    def _act(self, context):
        return 0 if type(self.rate) is float else 1


# For each check, strategies that it must not let pass.
BROKEN = {
    "is_a_strategy": [lambda game: object(), lambda game: Honest(type(game)([[1]], [["x"]]))],
    "constructor_only_stores": [StoresSomethingElse, ForgetsAnArgument, StartsAtOnce],
    "prints_its_parameters": [Mute],
    "explains_without_playing": [Rambling],
    "clone_is_independent": [ClonesBadly],
    "survives_pickle_and_deepcopy": [HoldsALock, OpensOnce, IsItsOwnCopy, LeavesItsStateBehind],
    "reset_reproduces": [NeverForgets],
    "same_seed_same_play": [Unseeded, DrawsFromTheGlobalGenerator],
    "saves_and_loads": [KeepsMemoryElsewhere, NeedsPickle],
    "saved_data_is_a_copy": [SavesTheLiveState],
    "memory_is_bounded": [Chronicler],
    "refuses_wrong_arguments": [Credulous, Grumbles, Nameless, Brittle],
    "takes_numbers_of_numpy": [PythonOnly, TakesNumPyForSomethingElse],
    "plays_valid_actions": [OutOfRange],
    "takes_late_feedback": [Impatient],
    "needs_no_feedback": [Insistent],
    "refuses_wrong_order": [Indulgent, NoisyRefusal],
    "refuses_unknown_symbols": [Guesses, WrongError],
    "refuses_wrong_contexts": [Gullible],
    "changes_no_input": [KeepsTheContext, ChangesTheContext],
    "names_do_not_matter": [ReadsNames],
    "common_losses_do_not_matter": [ReadsLosses],
    "hidden_outcomes_do_not_matter": [Peeps],
    "simulated_as_by_hand": [KnowsItIsSimulated],
    "runs_are_independent": [RemembersOtherRuns],
    "workers_do_not_matter": [DiffersByThread],
    "compiled_as_interpreted": [DiffersCompiled],
}
