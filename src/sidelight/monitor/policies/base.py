"""What a policy is: who decides, class by class, which predictions are worth a verification."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

from sidelight.errors import SidelightError
from sidelight.monitor.confidence import Verdict
from sidelight.monitor.detection import Everything


class Watched(Protocol):
    """What a policy may know about a class: counts, never an outcome that was not verified."""

    tolerance: float
    predictions: int
    """Predictions of the class so far, without the one that is decided about."""
    n: int
    """Answers that the verdict rests on."""
    e: int
    """Errors among them."""
    pending: int
    """Verifications that were asked for and are not answered yet."""
    verdict: Verdict
    guard: bool
    """Whether the mode is "guard"; else a class may be closed once its verdict is certain."""
    rule: Any
    """What the policy's `rule` returned for the tolerance of the class."""
    key: int
    """Where the random numbers of the class start: `uniform(key, k)` is the k-th."""


@dataclass(frozen=True)
class Policy(ABC):
    """What all policies share; the fields of a subclass are its parameters, checked in `__post_init__`."""

    name: ClassVar[str] = ""
    """What it is called in code, files and commands."""
    title: ClassVar[str] = ""
    """What it is called in tables."""
    waits: ClassVar[bool] = True
    """Whether it stops asking while as many answers are pending as the verdict is expected to need."""
    until_certain: ClassVar[bool] = False
    """Whether a certain verdict ends its verifying in the published use case, where the others play on."""

    @abstractmethod
    def wants(self, state: Watched) -> tuple[bool, str]:
        """Say whether to verify the next prediction of a class, and why (one of `decisions.REASONS`)."""

    def rule(self, tolerance: float) -> Any:
        """Return what it needs to know for one tolerance, computed once per class; compiled loops play by it."""
        return Everything(0)

    def describe(self) -> dict[str, Any]:
        """Return name and parameters as plain data."""
        return {"name": self.name, "parameters": asdict(self)}


def check(name: str, value: Any, good: bool, wanted: str) -> None:
    """Refuse a parameter unless it is good."""
    if not good:
        raise SidelightError(f"{name} is {value!r}: give {wanted}")


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_count(value: Any) -> bool:
    """Say whether a value is a whole number of at least 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
