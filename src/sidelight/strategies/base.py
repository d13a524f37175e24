"""What a strategy is: it acts, it is shown a symbol, and it never sees an outcome or a loss.

There are two ways to write one.

- In plain Python: subclass `Strategy` and write `_start`, `_act` and `_observe`.
- For speed: subclass `KernelStrategy` and write two pure functions over named tuples, registered with
  `@implements(act, Parameters)` and `@implements(observe, Parameters)`, plus `_compile` and `_start`, which make those
  named tuples. The object runs the functions in the interpreter; `simulate` runs the same text compiled.

Either way the constructor only stores its arguments under their own names; copying, printing, saving and resetting
follow from that.
"""

from __future__ import annotations

import copy
import inspect
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sidelight.analysis import Analysis, analyze
from sidelight.errors import ParameterError, SidelightError, WrongTypeError
from sidelight.game import Game, Symbol, check_float_range_of_losses
from sidelight.kernels import generic
from sidelight.kernels.arrays import new_arrays
from sidelight.strategies import saved
from sidelight.strategies.plugins import plugin_of_strategy_class

T = TypeVar("T")
Seed = int | Sequence[int] | np.random.SeedSequence | None
Context = npt.NDArray[np.float64]

act = generic("act", ("parameters", "state", "context", "rng"))
"""Choose an action; UNANSWERED if Python has to answer a question first, after which it is called again."""
observe = generic("observe", ("parameters", "state", "action", "symbol", "context"))
"""Take in the symbol (its place among the action's symbols) that followed an action."""

UNANSWERED = -1
_NO_CONTEXT: Context = np.zeros(0)


class OrderError(SidelightError):
    """Feedback that belongs to no action that waits for it."""


class Strategy(ABC):
    """A way to play a game. Subclasses list their parameters in the constructor and store them under the same names.

    A subclass writes `_start()`, which returns a fresh state, `_act(context)`, which returns an action, and
    `_observe(action, symbol, context)`, which changes the state. They may use `self.state` and `self.rng`.

    Parameters
    ----------
    game
        The game to play.
    seed
        Where the strategy's own randomness starts: an integer, a sequence of integers or a `SeedSequence`.
    """

    dimension: int = 0
    """How many numbers a context has; 0 for a strategy that ignores contexts."""
    any_context: ClassVar[bool] = False
    """Whether it takes contexts of any kind, in which case it checks them itself and `dimension` is 0."""
    guarantee: ClassVar[str] = ""
    """In words, where a regret bound is known."""

    def __init__(self, game: Game, seed: Seed = 0) -> None:
        if not isinstance(game, Game):
            raise WrongTypeError(f"{type(self).__name__} needs a Game, not {type(game).__name__}")
        check_float_range_of_losses(game)
        try:
            check_parameter("seed", seed, not isinstance(seed, bool | np.bool_), "a whole number of at least 0")
            np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise ParameterError(f"seed is {seed!r}: give a whole number of at least 0, or several", "seed") from None
        self.game = game
        self.seed = seed
        self._symbols = [{symbol: u for u, symbol in enumerate(game.symbols(a))} for a in range(game.n_actions)]

    @cached_property
    def analysis(self) -> Analysis:
        """What kind of problem the game is."""
        return analyze(self.game)

    # What an author writes.

    @abstractmethod
    def _start(self) -> Any:
        """Return a fresh state: a dictionary (or named tuple) of arrays and plain values that play changes.

        A named tuple may hold further ones; what lies under the name `scratch` is not saved.
        """

    @abstractmethod
    def _act(self, context: Context) -> int:
        """Choose an action; it may use `self.state` and `self.rng`."""

    @abstractmethod
    def _observe(self, action: int, symbol: int, context: Context) -> None:
        """Learn from a symbol, given as its index in `game.symbols(action)`."""

    # What a user calls.

    @property
    def state(self) -> Any:
        """All that play changes, apart from the random generator."""
        if "_state" not in self.__dict__:
            self.reset()
        return self._state

    @property
    def rng(self) -> np.random.Generator:
        """The strategy's own randomness."""
        if "_rng" not in self.__dict__:
            self.reset()
        return self._rng

    def act(self, context: Any = None) -> int:
        """Choose an action. The feedback may come before the next call, later, or never."""
        seen = self._context(context)
        if not self._started:
            self.reset()
        chosen = self._act(seen)
        if not isinstance(chosen, int | np.integer):
            raise SidelightError(f"{self.name} chose {chosen!r}, which is not the index of an action")
        action = int(chosen)
        if not 0 <= action < self.game.n_actions:
            raise SidelightError(f"{self.name} chose action {action}: there are actions 0 to {self.game.n_actions - 1}")
        self._last_context = seen
        self._under_way[action] += 1
        return action

    def observe(self, symbol: Symbol, action: int | None = None, context: Any = None) -> None:
        """Learn from the symbol that followed an action.

        Feedback may be late and out of order: if several actions wait for feedback, say which `action` it belongs to
        (and for a contextual strategy which `context`). A symbol that the action cannot show changes nothing.
        """
        which = self._addressee(action)
        place = self._place(which, symbol)
        if context is None and (self.dimension or self.any_context) and sum(self._under_way) > 1:
            raise OrderError("several actions wait for feedback: name the context with observe(symbol, context=...)")
        seen = self._last_context if context is None else self._context(context)
        self._observe(which, place, seen)
        self._under_way[which] -= 1

    def reset(self, seed: Seed | None = None) -> Self:
        """Forget everything; start again from `seed`, or from the seed given at construction."""
        self._rng = np.random.default_rng(self.seed if seed is None else seed)
        self._under_way = [0] * self.game.n_actions
        self._last_context = _NO_CONTEXT
        self._state = self._start()
        return self

    def clone(self) -> Self:
        """Return an independent copy that would continue exactly like this one."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        if self._started:
            twin._rng = copy.deepcopy(self._rng)
            twin._state = copy.deepcopy(self._state)
            twin._under_way = list(self._under_way)
        return twin

    @property
    def name(self) -> str:
        """The strategy's name in code and tables."""
        return type(self).__name__

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments, but for the game and the seed."""
        return {name: getattr(self, name) for name in self._signature() if name not in ("game", "seed")}

    def describe(self) -> dict[str, Any]:
        """Return name, parameters and defaults as plain data, and the package if it is not sidelight."""
        defaults = {
            name: saved.plain_parameter(parameter.default)
            for name, parameter in self._signature().items()
            if parameter.default is not inspect.Parameter.empty and name != "seed"
        }
        description = {"name": self.name, "parameters": saved.plain_parameter(self.parameters()), "defaults": defaults}
        if (plugin := plugin_of_strategy_class(type(self))) is not None:
            description["external"] = {"package": plugin.package, "version": plugin.version}
        return description

    def explain(self) -> str:
        """Say, after `act`, what the strategy knew and why it chose its action; empty if it gives no reasons."""
        return ""

    def save(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Return everything needed to continue later as plain data and arrays; with a `path`, also write it (.npz)."""
        data = {
            "format": saved.FORMAT,
            "strategy": self.name,
            "parameters": saved.plain_parameter(self.parameters()),
            "game": self.game.to_dict(),
            "seed": saved.plain_seed(self.seed),
            "random": self.rng.bit_generator.state,
            "under_way": list(self._under_way),
            "context": saved.plain_parameter(self._last_context),
            "state": saved.strategy_state_to_plain(self.state),
        }
        if path is not None:
            saved.write(Path(path), data)
        return data

    @classmethod
    def load(cls, source: Mapping[str, Any] | str | os.PathLike[str]) -> Self:
        """Make a strategy from what `save` returned, or from its file."""
        data = source if isinstance(source, Mapping) else saved.read(Path(source))
        if data.get("format") != saved.FORMAT:
            raise SidelightError(f"this is not a saved strategy of the format {saved.FORMAT}: {data.get('format')!r}")
        if lacking := [key for key in saved.KEYS if key not in data]:
            raise SidelightError(f"this is not a complete saved strategy: it lacks {', '.join(map(repr, lacking))}")
        kind = cls._named(data["strategy"])
        seed = data["seed"] if not isinstance(data["seed"], Mapping) else np.random.SeedSequence(**data["seed"])
        strategy = kind(Game.from_dict(data["game"]), **data["parameters"], seed=seed)
        strategy.reset()
        strategy._rng.bit_generator.state = data["random"]
        strategy._under_way = list(data["under_way"])
        strategy._last_context = np.array(data["context"], float)
        strategy._state = saved.restore_strategy_state(strategy.state, data["state"])
        return strategy

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{self.name}({self.game.name or 'game'}{', ' if given else ''}{given})"

    # What follows from the above.

    @classmethod
    def _signature(cls) -> dict[str, inspect.Parameter]:
        return {name: value for name, value in inspect.signature(cls.__init__).parameters.items() if name != "self"}

    @classmethod
    def _named(cls, name: str) -> type[Self]:
        from sidelight import strategies

        getattr(strategies, name, None)  # imports it, and so makes it a descendant
        family = [cls, *_descendants_of_strategy_class(cls)]
        for kind in family:
            if kind.__name__ == name and not inspect.isabstract(kind):
                return kind
        raise SidelightError(
            f"the saved strategy is a {name}, which is not a {cls.__name__}: load it with its own class"
        )

    def _context(self, context: Any) -> Context:
        """Check a context."""
        if not self.dimension:
            return _NO_CONTEXT
        if context is None:
            raise SidelightError(f"{self.name} needs a context of {self.dimension} numbers")
        try:
            seen = np.array(context, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise SidelightError(f"the context does not hold finite numbers alone: {context!r}") from None
        if seen.shape != (self.dimension,):
            raise SidelightError(f"the context has shape {seen.shape}, but {self.name} wants ({self.dimension},)")
        if not np.isfinite(seen).all():
            place = int(np.argmin(np.isfinite(seen)))
            raise SidelightError(f"the context holds {seen[place]} at place {place}; {self.name} wants finite numbers")
        return seen

    def _addressee(self, action: int | None) -> int:
        """Return the action that feedback belongs to."""
        counts = self._under_way if self._started else []
        under_way = [a for a, count in enumerate(counts) if count]
        if not under_way:
            raise OrderError("no action waits for feedback: call act before observe")
        if action is None:
            if sum(counts) > 1:
                raise OrderError("several actions wait for feedback: name one with observe(symbol, action=...)")
            return under_way[0]
        if not isinstance(action, int | np.integer) or not 0 <= action < self.game.n_actions:
            raise SidelightError(f"there is no action {action!r}: actions are numbered 0 to {self.game.n_actions - 1}")
        if action not in under_way:
            raise OrderError(f"action {action} does not wait for feedback; {under_way} do")
        return int(action)

    @property
    def _started(self) -> bool:
        return "_state" in self.__dict__

    def _place(self, action: int, symbol: Symbol) -> int:
        known = self._symbols[action]
        try:
            place = known.get(symbol)
        except TypeError:
            place = None
        if place is None:
            shown = ", ".join(repr(s) for s in known)
            raise SidelightError(f"action {action} cannot show the symbol {symbol!r}; it shows {shown}")
        return place


class KernelStrategy(Strategy):
    """A strategy written as two pure functions over named tuples, which `simulate` compiles; CONTRIBUTING shows how."""

    @abstractmethod
    def _compile(self) -> Any:
        """Return the parameters: a named tuple of numbers and arrays that play does not change."""

    def _resume(self, parameters: Any, state: Any) -> tuple[Any, Any]:
        """Return the parameters and the state with which `act`, which returned UNANSWERED, can be called again.

        The parameters may then hold the answer to a question, and the state a larger array in place of a full one.
        """
        raise NotImplementedError(f"{self.name} returned UNANSWERED without a _resume that says how to go on")

    def _zeros(self, kind: type[T], **sizes: int) -> T:
        """Return a named tuple of zeros, in the shapes that its fields declare; those of the game are known."""
        game = self.game
        symbols = sum(len(game.symbols(a)) for a in range(game.n_actions))
        return new_arrays(kind, actions=game.n_actions, outcomes=game.n_outcomes, symbols=symbols, **sizes)

    @property
    def compiled_parameters(self) -> Any:
        """The parameters that the pure functions take."""
        if "_compiled" not in self.__dict__:
            self._compiled = self._compile()
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but the compiled parameters, which can be large and are rebuilt."""
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    def _act(self, context: Context) -> int:
        while (action := act(self.compiled_parameters, self.state, context, self.rng)) == UNANSWERED:
            self._compiled, self._state = self._resume(self.compiled_parameters, self.state)
        return int(action)

    def _observe(self, action: int, symbol: int, context: Context) -> None:
        observe(self.compiled_parameters, self.state, action, symbol, context)


def check_number(
    name: str, value: T, least: float | None = None, above: float | None = None, most: float | None = None
) -> T:
    """Return a parameter if it is a finite number, at least `least`, more than `above` and at most `most`."""
    bounds = {"of at least": least, "above": above, "of at most": most}
    words = [f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None]
    try:
        good = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer or a fraction beyond all floats
        good = False
    if good:
        number: Any = value
        good = (least is None or number >= least) and (above is None or number > above)
        good = good and (most is None or number <= most)
    check_parameter(name, value, good, " ".join(["a finite number", " and ".join(words)]).rstrip())
    return value


def check_whole(name: str, value: T, least: int, most: int = 2**31 - 1) -> T:
    """Return a parameter if it is a whole number of at least `least`, and of a size that arrays can have."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    wanted = f"a whole number of at least {least}"
    check_parameter(name, value, whole and int(cast(int, value)) >= least, wanted)
    check_parameter(name, value, int(cast(int, value)) <= most, f"{wanted} and at most {most}")
    return value


def check_flag(name: str, value: T) -> T:
    """Return a parameter if it is True or False, or stands for it as 1 or 0."""
    good = isinstance(value, bool | np.bool_ | Integral) and int(value) in (0, 1)
    check_parameter(name, value, good, "True or False")
    return value


def check_choice(name: str, value: T, choices: Sequence[str]) -> T:
    """Return a parameter if it is one of some words."""
    check_parameter(name, value, isinstance(value, str) and value in choices, " or ".join(map(repr, choices)))
    return value


def check_parameter(name: str, value: Any, good: bool, wanted: str) -> None:
    """Raise an error unless a parameter is valid."""
    if not good:
        raise ParameterError(f"{name} is {value!r}: give {wanted}", name)


def _descendants_of_strategy_class(kind: type[Any]) -> list[type[Any]]:
    return [one for child in kind.__subclasses__() for one in (child, *_descendants_of_strategy_class(child))]
