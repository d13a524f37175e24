"""Former keywords of `CBPSide` and `RandCBPSide`, which keep working for one version."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from sidelight.errors import SidelightError

F = TypeVar("F", bound=Callable[..., None])

# Options that only the classes of `cbpside_published` take now, with their defaults.
_MOVED = {"bins": 5, "tail": 1e-7, "lower": 0.0, "draws": "action", "rule": "exploring"}


def takes_former_keywords(constructor: F) -> F:
    """Let a constructor accept `width` for `bounds`, and return the published class for options that only it has."""

    @functools.wraps(constructor)
    def construct(self: Any, game: Any, *args: Any, **keywords: Any) -> None:
        from sidelight.strategies import cbpside, cbpside_published

        if "width" in keywords and "bounds" in keywords:
            raise SidelightError("width is the former name of bounds: give bounds alone")
        former = [name for name in ("width", *_MOVED) if name in keywords]
        if "width" in keywords:
            keywords["bounds"] = keywords.pop("width")
        homes: dict[type, type[Any]] = {
            cbpside.RandCBPSide: cbpside_published.PublishedRandCBPSide,
            cbpside.CBPSide: cbpside_published.PublishedCBPSide,
        }
        published = homes.get(type(self))
        bounds = args[2] if len(args) > 2 else keywords.setdefault("bounds", "tight")
        moved = {name: keywords[name] for name in _MOVED if name in keywords}
        printed = isinstance(bounds, str) and bounds in cbpside_published.PRINTED
        if published is not None and (printed or any(_MOVED[name] != value for name, value in moved.items())):
            # Pass the bounds, too: the published class has different defaults.
            what = ", ".join([f"bounds={bounds!r}", *(f"{name}={value!r}" for name, value in moved.items())])
            _warn(f"use {published.__name__} for {what}: {type(self).__name__} takes it for one version only")
            for name in ("standardize", "hinge"):
                if keywords.pop(name, False):
                    raise SidelightError(f"{published.__name__} takes contexts as they are: leave {name} out")
            self.__class__ = published
            published.__init__(self, game, *args, **keywords)
            return
        if published is not None and former:
            names = ["width is now called bounds"] * ("width" in former)
            names += [f"{', '.join(moved)} belongs to {published.__name__}"] * bool(moved)
            _warn(f"{' and '.join(names)}: {type(self).__name__} takes it for one version only")
            keywords = {name: value for name, value in keywords.items() if name not in moved}
        constructor(self, game, *args, **keywords)

    construct.renamed = {"width": "bounds"} | {name: name for name in _MOVED}  # type: ignore[attr-defined]
    return cast(F, construct)


def names_bounds(constructor: F) -> F:
    """Let a constructor that never had `width` say that it is called `bounds`."""

    @functools.wraps(constructor)
    def construct(self: Any, *args: Any, **keywords: Any) -> None:
        if "width" in keywords:
            raise SidelightError(f"width is the former name of bounds: give bounds={keywords['width']!r} instead")
        constructor(self, *args, **keywords)

    return cast(F, construct)


def _warn(text: str) -> None:
    warnings.warn(text, DeprecationWarning, stacklevel=3)
