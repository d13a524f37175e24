"""Checks of a strategy apart from its play: how it is made, printed, copied and saved."""

from __future__ import annotations

import copy
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sidelight.checks.report import (
    checks_in,
    ensure,
    ensure_plain_data,
    is_importable_class,
    is_same_checked_data,
    size_of_data,
)
from sidelight.checks.stage import HORIZON, ROUNDS, Stage
from sidelight.strategies.base import Strategy
from sidelight.strategies.saved import plain_parameter

_HALF = ROUNDS // 2


def is_a_strategy(stage: Stage) -> None:
    """Check type, game and dimension of the strategy."""
    made = stage.make()
    ensure(isinstance(made, Strategy), f"the factory returned a {type(made).__name__}, which is not a Strategy")
    ensure(made.game == stage.game, "the strategy holds another game than the one it was made for")
    ensure(isinstance(made.dimension, int) and made.dimension >= 0, f"dimension is {made.dimension!r}")


def constructor_only_stores(stage: Stage) -> None:
    """Check that arguments are kept as they were given, and that play has not begun."""
    before = str(np.random.get_state())  # noqa: NPY002
    made = stage.make()
    ensure(str(np.random.get_state()) == before, "the constructor draws from NumPy's global generator")  # noqa: NPY002
    ensure("_state" not in vars(made), "the constructor starts to play: build the state in _start")
    for name in made._signature():
        ensure(hasattr(made, name), f"the constructor's argument {name!r} is not stored under its own name")
    given = made.parameters()
    again = type(made)(made.game, **given, seed=made.seed)
    for name, value in given.items():
        ensure(getattr(again, name) is value, f"the constructor changes its argument {name!r} instead of storing it")
    ensure(again.game is made.game, "the constructor changes the game instead of storing it")


def prints_its_parameters(stage: Stage) -> None:
    """Check repr, parameters, describe."""
    made = stage.make()
    text = repr(made)
    for word in (type(made).__name__, *made.parameters()):
        ensure(word in text, f"repr lacks {word!r}: {text}")
    described = made.describe()
    ensure_plain_data(described, "describe()")
    ensure(described.get("name") == made.name, "describe() lacks the strategy's name")
    ensure(described.get("parameters", {}).keys() == made.parameters().keys(), "describe() lacks parameters")


def explains_without_playing(stage: Stage) -> None:
    """Check that `explain` is text and changes nothing."""
    made = stage.make()
    for t in range(ROUNDS):
        action = made.act(stage.context(t))
        before = made.save()
        ensure(isinstance(made.explain(), str), "explain() does not return text")
        ensure(is_same_checked_data(made.save(), before), "explain() changes the strategy")
        made.observe(stage.symbol(action, t))


def clone_is_independent(stage: Stage) -> None:
    """Check that a copy continues as the original would, and that neither affects the other."""
    made = stage.make()
    stage.play(made, 0, _HALF)
    twin, idle = made.clone(), made.clone()
    ensure(type(twin) is type(made), "clone returns another class")
    before = made.save()
    after = stage.play(twin, _HALF)
    ensure(is_same_checked_data(made.save(), before), "playing a clone changes the original")
    ensure(stage.play(made, _HALF) == after, "a clone plays on differently from the original")
    _ensure_same_generator(twin, made, "a clone ends with another state of the random generator")
    ensure(is_same_checked_data(idle.save(), before), "playing the original changes a clone")
    ensure(
        stage.play(stage.make().clone()) == stage.play(stage.make()), "a clone of a fresh strategy plays differently"
    )


def survives_pickle_and_deepcopy(stage: Stage) -> str | None:
    """Check that pickles and deep copies, of a fresh strategy and in the middle of play, continue like the original."""
    ways: dict[str, Callable[[Strategy], Strategy]] = {"copy.deepcopy": copy.deepcopy}
    if is_importable_class(type(stage.strategy)):
        ways["pickle"] = lambda strategy: pickle.loads(pickle.dumps(strategy))
    for way, duplicate in ways.items():
        for rounds in (0, _HALF):
            made = stage.make()
            stage.play(made, 0, rounds)
            twin = duplicate(made)
            ensure(type(twin) is type(made), f"{way} gives another class")
            played = stage.play(made, rounds), stage.play(twin, rounds)
            ensure(played[0] == played[1], f"after {rounds} rounds, a copy made with {way} plays on differently")
            _ensure_same_generator(twin, made, f"a copy made with {way} uses its generator differently")
    return None if "pickle" in ways else "the class cannot be imported by its name, so that nothing can pickle it"


def reset_reproduces(stage: Stage) -> None:
    """Check that `reset` forgets everything and starts from the seed."""
    made = stage.make()
    first = stage.play(made)
    ensure(made.reset() is made, "reset does not return the strategy")
    ensure(stage.play(made) == first, "after reset the strategy plays differently: something was not forgotten")
    runs = [(stage.play(made.reset(seed)), repr(made.rng.bit_generator.state)) for seed in (11, 12, 11)]
    ensure(runs[0] == runs[2], "the same seed given to reset leads to different play")
    made.reset().act(stage.context(0))
    made.reset()
    ensure(stage.play(made) == first, "after reset in the middle of a round the strategy plays differently")


def same_seed_same_play(stage: Stage) -> None:
    """Check that two strategies made in the same way play in the same way, and use no global generator."""
    before = str(np.random.get_state())  # noqa: NPY002
    one, other = stage.make(), stage.make()
    ensure(stage.play(one) == stage.play(other), "two strategies with the same seed play differently")
    _ensure_same_generator(one, other, "two strategies with the same seed use their generators differently")
    ensure(str(np.random.get_state()) == before, "play draws from NumPy's global generator")  # noqa: NPY002


def saves_and_loads(stage: Stage) -> None:
    """Check that play continues after loading as if nothing had happened, from data and from a file."""
    made = stage.make()
    stage.play(made, 0, _HALF)
    waiting = made.act(stage.context(_HALF))  # feedback under way is saved too
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "strategy.npz"
        data = made.save(path)
        ensure_plain_data(data, "save()")
        loaded = {"its data": type(made).load(copy.deepcopy(data)), "its file": type(made).load(path)}
    made.observe(stage.symbol(waiting, _HALF))
    after = stage.play(made, _HALF + 1)
    for source, other in loaded.items():
        ensure(is_same_checked_data(other.save(), data), f"a strategy loaded from {source} is saved differently")
        same = is_same_checked_data(plain_parameter(other.parameters()), plain_parameter(made.parameters()))
        ensure(same, f"a strategy loaded from {source} has other parameters")
        other.observe(stage.symbol(waiting, _HALF))
        ensure(stage.play(other, _HALF + 1) == after, f"a strategy loaded from {source} plays on differently")
        _ensure_same_generator(other, made, f"a strategy loaded from {source} uses its generator differently")


def saved_data_is_a_copy(stage: Stage) -> None:
    """Check that saved data does not change while play continues."""
    made = stage.make()
    stage.play(made, 0, _HALF)
    data = made.save()
    kept = copy.deepcopy(data)
    stage.play(made, _HALF)
    ensure(is_same_checked_data(data, kept), "play changes data that was saved before: save a copy of the state")
    loaded = type(made).load(data)
    stage.play(loaded, _HALF)
    ensure(is_same_checked_data(data, kept), "a loaded strategy changes the data it was loaded from")


def memory_is_bounded(stage: Stage) -> str | None:
    """Check that the state does not grow with the number of rounds."""
    made = stage.make()
    if not getattr(made, "bounded_memory", True):
        return "the class says that its memory grows with the horizon (bounded_memory = False)"
    early = HORIZON // 4
    stage.play(made, 0, early)
    before = size_of_data(made.save())
    stage.play(made, early, HORIZON)
    growth = (size_of_data(made.save()) - before) / (HORIZON - early)
    ensure(growth < 0.5, f"the state grows by {growth:.1f} values per round; set bounded_memory = False if it must")
    return None


def _ensure_same_generator(one: Strategy, other: Strategy, sentence: str) -> None:
    ensure(repr(one.rng.bit_generator.state) == repr(other.rng.bit_generator.state), sentence)


CHECKS = checks_in(globals())
