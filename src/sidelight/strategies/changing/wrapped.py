"""What Restarting and Discounted have in common: another strategy inside."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.strategies.base import KernelStrategy, Seed


class Wrapped(KernelStrategy):
    """A strategy that plays as `inner`, which it makes by name, and changes what that one remembers."""

    def __init__(self, game: Game, strategy: str, options: Mapping[str, Any] | None, seed: Seed) -> None:
        super().__init__(game, seed=seed)
        self.strategy = strategy
        if options is not None and not isinstance(options, Mapping):
            raise ParameterError(f"options is {options!r}: give parameters by name", "options")
        self.options = None if options is None else dict(options)
        self.inner = self._made()

    def _made(self) -> KernelStrategy:
        from sidelight import strategies

        kind: type[Any] = (
            getattr(strategies, self.strategy) if self.strategy in strategies.names(external=True) else Wrapped
        )
        if issubclass(kind, Wrapped):
            raise ParameterError(f"strategy is {self.strategy!r}: give the name of another strategy", "strategy")
        try:
            inspect.signature(kind).bind(self.game, **(self.options or {}))
        except TypeError as error:
            raise ParameterError(f"options are {self.options!r}: {self.strategy} says {error}", "options") from None
        inner = kind(self.game, **(self.options or {}))
        if not isinstance(inner, KernelStrategy) or inner.dimension or inner.any_context:
            raise SidelightError(f"{self.strategy} cannot be wrapped: give a compiled strategy without contexts")
        return inner

    def _resume(self, parameters: Any, state: Any) -> tuple[Any, Any]:
        inner, inner_state = self.inner._resume(parameters.inner, state.inner)
        return parameters._replace(inner=inner), state._replace(inner=inner_state)
