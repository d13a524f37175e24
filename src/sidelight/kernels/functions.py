"""Plain functions that compiled code may call, and the choice among them by the class of their first argument."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

recorded: set[Callable[..., Any]] = set()
called: set[Callable[..., Any]] = set()
"""Those that a loop calls, and that are not inlined into it."""
unregistered: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Functions not yet registered with Numba, each with a function that picks its implementation by argument types."""


class MissingImplementationError(TypeError):
    """A generic function has no implementation for the class of its first argument."""


def kernel(function: F) -> F:
    """Record a plain function, returned unchanged, so that loops may call it when compiled."""
    if function not in recorded:
        recorded.add(function)
        unregistered[function] = lambda *args, **keywords: function
    return function


def large_kernel(function: F) -> F:
    """Record a kernel that loops call instead of inlining it.

    For large kernels that are used in several places but in few rounds: they are compiled once instead of once per use,
    and the cost of a call (all arrays of all named tuples are passed) does not matter.
    """
    called.add(function)
    return kernel(function)


class GenericFunction:
    """A function with one implementation per named tuple class; the class of the first argument decides."""

    def __init__(self, name: str, arguments: Sequence[str]) -> None:
        self.__name__ = self.__qualname__ = name
        self.arguments = arguments
        self.implementations: dict[type, Callable[..., Any]] = {}

    def __call__(self, parameters: Any, *args: Any) -> Any:
        """Run the implementation for the class of `parameters` in the interpreter."""
        implementation = self.implementations.get(type(parameters))
        if implementation is None:
            raise self._missing(type(parameters))
        return implementation(parameters, *args)

    def __repr__(self) -> str:
        return f"generic({self.__name__!r})"

    def add(self, cls: type, implementation: Callable[..., Any]) -> None:
        """Register an implementation; refuse a second one for the same class, as compiled code would not use it."""
        if cls in self.implementations:
            raise ValueError(f"{self.__name__} is already implemented for {full_name(cls)}; define a new class")
        if len(inspect.signature(implementation).parameters) != len(self.arguments):
            wanted = ", ".join(self.arguments)
            raise TypeError(f"{full_name(implementation)} must take {len(self.arguments)} arguments ({wanted})")
        self.implementations[cls] = implementation

    def choose(self, parameters: Any, *args: Any) -> Callable[..., Any]:
        """Make the same choice for a Numba type, while a loop is compiled."""
        cls = getattr(parameters, "instance_class", None)
        implementation = self.implementations.get(cast(type, cls))
        if implementation is None:
            raise self._missing(cls or parameters)
        return implementation

    def _missing(self, cls: object) -> MissingImplementationError:
        known = ", ".join(sorted(full_name(known) for known in self.implementations)) or "no class"
        name = full_name(cls) if isinstance(cls, type) else str(cls)
        return MissingImplementationError(f"{self.__name__} is not implemented for {name}; it is for {known}")


def generic(name: str, arguments: Sequence[str]) -> GenericFunction:
    """Make a generic function; `arguments` names the arguments of every implementation."""
    function = GenericFunction(name, arguments)
    unregistered[function] = function.choose
    return function


def implements(function: GenericFunction, cls: type) -> Callable[[F], F]:
    """Register the decorated function, returned unchanged, to implement `function` for the named tuple `cls`."""
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(f"{function.__name__} can be implemented for named tuples only, not for {full_name(cls)}")

    def register(implementation: F) -> F:
        function.add(cls, implementation)
        return kernel(implementation)

    return register


def full_name(thing: Any) -> str:
    """Return the module and the name of a function or a class."""
    return f"{thing.__module__}.{thing.__qualname__}"
