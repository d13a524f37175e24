"""Old names of constructor arguments, which keep working for one version."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from sidelight.errors import SidelightError
from sidelight.strategies.base import check_number

P = ParamSpec("P")
R = TypeVar("R")


def renamed_variance(old: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a constructor take a variance, the keyword `old`, in place of the precision `regularization`.

    The signature shows the new name only; `renamed` of the constructor maps the old name to it.
    """

    def decorate(constructor: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(constructor)
        def construct(*args: Any, **kwargs: Any) -> R:
            if old in kwargs:
                if "regularization" in kwargs:
                    raise SidelightError(f"{old} is the old name of 1 / regularization: give regularization alone")
                text = f"{old} is now regularization = 1 / {old}; the old name will be removed in the next version"
                warnings.warn(text, DeprecationWarning, stacklevel=2)
                variance = kwargs.pop(old)
                check_number(old, variance, above=0)
                kwargs["regularization"] = 1.0 / float(variance)
            return constructor(*args, **kwargs)

        construct.renamed = {old: "regularization"}  # type: ignore[attr-defined]
        return construct

    return decorate
