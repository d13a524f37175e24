"""What may be given to ProspectModel as its model, and the beliefs that are made of it."""

from __future__ import annotations

import copy
import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from sidelight.errors import ParameterError
from sidelight.strategies.any_model.beliefs.belief import Belief
from sidelight.strategies.any_model.beliefs.by_symbol import BySymbol
from sidelight.strategies.any_model.beliefs.clones import Clones
from sidelight.strategies.any_model.beliefs.regression import Regression
from sidelight.strategies.any_model.beliefs.trees import Trees
from sidelight.strategies.any_model.stakes import Stakes

BUILT_IN = {"linear": Regression, "kernel": Regression, "trees": Trees}
AUTO = "auto"
_WANTED = (
    "'linear', 'kernel', 'trees', 'auto', a classifier with fit and predict_proba, a function that makes one, a belief "
    "with fit and predict, or a list of these"
)


def models_to_weigh(model: Any) -> tuple[Any, ...]:
    """Return the models that are weighed against each other, or refuse what is none."""
    if isinstance(model, str) and model == AUTO:
        return tuple(BUILT_IN)
    parts = tuple(model) if isinstance(model, list | tuple) else (model,)
    for part in parts:
        if isinstance(part, str) and part in BUILT_IN:
            continue
        if _is_classifier(part) and not isinstance(part, type) and not hasattr(part, "predict_proba"):
            kind = type(part).__name__
            raise ParameterError(f"model is a {kind} without predict_proba: wrap it in CalibratedClassifierCV", "model")
        if not (_is_factory(part) or hasattr(part, "predict_proba") or _is_belief(part)):
            raise ParameterError(f"model is {part!r}: give {_WANTED}", "model")
    if not parts:
        raise ParameterError(f"model is {model!r}: give {_WANTED}", "model")
    return parts


def beliefs_of(parts: Sequence[Any], stakes: Stakes, members: int, rng: np.random.Generator) -> dict[str, Belief]:
    """Make a belief of each model; where actions do not reveal the outcome, one about symbols.

    There "linear" is also tried on outcomes, because an action's number may say nothing about what it shows.
    """
    beliefs: dict[str, Belief] = {}
    for place, part in enumerate(parts):
        seed, name = int(rng.integers(2**31)), name_of(part)
        name = name if name not in beliefs else f"{name}, the {place + 1}."
        if _is_belief(part):
            beliefs[name] = copy.deepcopy(part)
            continue
        kind: Any = BUILT_IN[part] if isinstance(part, str) else Clones
        make = functools.partial(kind, model=part, members=members, seed=seed)
        if stakes.revealing or part == "linear":
            beliefs[name] = make(stakes)
        if not stakes.revealing:
            beliefs[name if name not in beliefs else f"{name} on symbols"] = BySymbol(stakes, make)
    return beliefs


def name_of(part: Any) -> str:
    """Return a model's name for people."""
    return part if isinstance(part, str) else getattr(part, "__name__", type(part).__name__)


def wants_numbers(parts: Sequence[Any]) -> bool:
    """Say whether contexts must be finite numbers, all of the same length."""
    return any(isinstance(part, str) for part in parts)


def described_model(model: Any) -> Any:
    """Return a model as plain data: its name if it is built in, else its text."""
    if isinstance(model, list | tuple):
        return [described_model(part) for part in model]
    return model if isinstance(model, str) else repr(model)


def versions(parts: Sequence[Any]) -> dict[str, str]:
    """Return the versions of the packages that models come from."""
    found = {}
    for part in parts:
        package = (part.__module__ if isinstance(part, type) else type(part).__module__).split(".")[0]
        if not isinstance(part, str) and package not in ("builtins", "__main__"):
            found[package] = str(getattr(importlib.import_module(package), "__version__", "unknown"))
    return found


def _is_factory(part: Any) -> bool:
    return isinstance(part, type) or (callable(part) and not hasattr(part, "fit"))


def _is_classifier(part: Any) -> bool:
    return hasattr(part, "get_params") and hasattr(part, "fit")


def _is_belief(part: Any) -> bool:
    return (
        not _is_factory(part)
        and all(hasattr(part, name) for name in ("fit", "predict"))
        and not (hasattr(part, "predict_proba") or _is_classifier(part))
    )
