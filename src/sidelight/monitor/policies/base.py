"""What a policy is: it decides, class by class, which predictions are worth a verification."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Protocol

from sidelight.errors import ParameterError, SidelightError
from sidelight.monitor.inputs import plain_input_number
from sidelight.monitor.stats.confidence import Verdict
from sidelight.monitor.types import Reason


class Watched(Protocol):
    """What a policy may know about a class: counts, never whether an unverified prediction was right."""

    tolerance: float
    predictions: int
    """Predictions of the class so far, without the one that is decided about."""
    pending: int
    """Verifications that were asked for and are waited for."""
    verdict: Verdict
    guard: bool
    """Whether the mode is "guard"; else a class may be closed once its verdict is certain."""
    key: int
    """Where the random numbers of the class start: `uniform(key, k)` is the k-th."""

    @property
    def n(self) -> int:
        """Answers that the verdict rests on."""

    @property
    def e(self) -> int:
        """Errors among them."""

    @property
    def ahead(self) -> int:
        """Answers that do not count yet because an earlier verification of the class is pending."""

    @property
    def rule(self) -> Any:
        """What the policy's `rule` returned for the tolerance of the class."""


@dataclass(frozen=True)
class Policy(ABC):
    """What all policies share; the fields of a subclass are its parameters, checked in `__post_init__`.

    NumPy numbers and fractions become plain numbers first, as files store them.
    """

    name: ClassVar[str] = ""
    """What it is called in code, files and commands."""
    title: ClassVar[str] = ""
    """What it is called in tables, if not by its name."""
    waits: ClassVar[bool] = True
    """Whether it stops asking while as many answers are pending as the verdict is expected to need."""
    until_certain: ClassVar[bool] = False
    """Whether a certain verdict ends its verifying in the published use case, where the others play on."""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, plain_input_number(getattr(self, field.name)))

    @abstractmethod
    def wants(self, state: Watched) -> tuple[bool, Reason]:
        """Return whether to verify the next prediction of a class, and why."""

    def rule(self, tolerance: float) -> Any:
        """Return the rule by which compiled loops decide for one tolerance: it says the same as `wants`.

        It is a named tuple with an implementation of `detection.asks`; those of the library are `Detection` and
        `Everything`. Monitors and replays need none, but for policies whose `wants` reads `state.rule`.
        """
        raise SidelightError(
            f"the policy {self.name!r} has no compiled rule: give the class {type(self).__name__} a method "
            "`rule(tolerance)`, as those of sidelight.monitor.policies have, or use `replay`, which needs none"
        )

    def describe(self) -> dict[str, Any]:
        """Return name and parameters as plain data."""
        return {"name": self.name, "parameters": asdict(self)}


def check_policy_parameter(name: str, value: Any, good: bool, wanted: str) -> None:
    """Refuse a parameter unless it is valid."""
    if not good:
        raise ParameterError(f"{name} is {value!r}: give {wanted}", name)


def is_policy_number(value: Any) -> bool:
    """Return whether a plain value is a finite number."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def is_policy_count(value: Any) -> bool:
    """Return whether a plain value is a whole number of at least 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
