"""How a strategy's constructor treats wrong numbers, and right ones in another form."""

from __future__ import annotations

import inspect
import math
import tempfile
from collections.abc import Iterator
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.checks.report import checks_in, ensure, is_same_checked_data
from sidelight.checks.stage import Stage
from sidelight.errors import SidelightError
from sidelight.strategies.base import Strategy
from sidelight.strategies.saved import plain_parameter

_ROUNDS = 5
_HOW = "check_number and check_whole of sidelight.strategies.base refuse what is not a number"


def refuses_wrong_arguments(stage: Stage) -> str | None:
    """Check that values that are not numbers are refused, and that all accepted ones can be played."""
    made, tried = stage.make(), 0
    for name, value in _numeric_parameters(made):
        for wrong in _wrong_values(made._signature()[name], value):
            tried += 1
            ensure(_is_parameter_refused(made, name, wrong), f"the constructor accepts {name}={wrong!r}: {_HOW}")
        for doubtful in (-1, 0, 10**30, 10**400):
            tried += 1
            if not _is_parameter_refused(made, name, doubtful):
                _check_play(
                    stage, _make_with_parameter(made, name, doubtful), f"{name}={doubtful!r} is accepted, but then"
                )
    return None if tried else "the constructor takes no number"


def takes_numbers_of_numpy(stage: Stage) -> str | None:
    """Check that NumPy's numbers work like Python's, also in a file."""
    made, tried = stage.make(), 0
    for name, value in _numeric_parameters(made):
        if value is None:
            continue
        tried += 1
        number = np.int64(value) if isinstance(value, Integral) else np.float64(value)
        other = _make_with_parameter(made, name, number)
        played = stage.play(stage.make(), 0, _ROUNDS)
        ensure(stage.play(other, 0, _ROUNDS) == played, f"{name}={number!r} plays differently from {value!r}")
        with tempfile.TemporaryDirectory() as folder:
            other.save(Path(folder) / "strategy.npz")
            loaded = type(other).load(Path(folder) / "strategy.npz")
        alike = is_same_checked_data(plain_parameter(loaded.parameters()), plain_parameter(other.parameters()))
        ensure(alike, f"with {name}={number!r}, a strategy loaded from its file has other parameters")
    return None if tried else "the constructor takes no number"


def _numeric_parameters(strategy: Strategy) -> Iterator[tuple[str, Any]]:
    """Yield the parameters that hold numbers, or None instead of one."""
    for name, value in strategy.parameters().items():
        annotation = str(strategy._signature()[name].annotation)
        missing = value is None and any(word in annotation.split(" | ") for word in ("int", "float"))
        if missing or (isinstance(value, Real) and not isinstance(value, bool)):
            yield name, value


def _wrong_values(parameter: inspect.Parameter, value: Any) -> Iterator[Any]:
    """Yield values that cannot be meant as a number."""
    yield from (math.nan, True, [1.0])
    if not (isinstance(value, float) and math.isinf(value)):
        yield from (math.inf, -math.inf)
    if "str" not in str(parameter.annotation):
        yield "1"
    if value is not None and parameter.default is not None and "None" not in str(parameter.annotation):
        yield None


def _make_with_parameter(strategy: Strategy, name: str, value: Any) -> Strategy:
    return type(strategy)(strategy.game, **strategy.parameters() | {name: value}, seed=strategy.seed)


def _is_parameter_refused(strategy: Strategy, name: str, value: Any) -> bool:
    """Say whether the constructor refuses a value, with an error that is ours and names the parameter."""
    try:
        _make_with_parameter(strategy, name, value)
    except SidelightError as error:
        ensure(name in str(error), f"{name}={value!r} is refused with an error that does not name it: {error}")
        return True
    except Exception as error:
        what = f"raises {type(error).__name__} ({error}) and not a SidelightError"
        raise AssertionError(f"{name}={value!r} {what}") from error
    return False


def _check_play(stage: Stage, strategy: Strategy, where: str) -> None:
    for t in range(_ROUNDS):
        context = np.resize(stage.context(t), strategy.dimension) if strategy.dimension else stage.context(t)
        try:
            strategy.observe(stage.symbol(strategy.act(context), t))
        except Exception as error:
            raise AssertionError(f"{where} play raises {type(error).__name__}: {error}") from error


CHECKS = checks_in(globals())
