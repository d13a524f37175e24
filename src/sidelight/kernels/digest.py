"""A digest of all the code that a compiled loop can reach.

Numba notices only changes of the file that a loop stands in. So loops are cached under a digest of their own bytecode
and, function by function, of everything it names: kernels, implementations chosen by the classes of the arguments,
constants. The digest uses bytecode rather than text because that is what Numba compiles: a comment, another docstring
or an edit after the import changes nothing, an edited helper does. Code from outside the package is treated alike.
"""

import hashlib
import numbers
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sidelight.kernels.functions import GenericFunction, called, full_name

Classes = tuple[type, ...]


class _UnknownError(Exception):
    """The code reaches an object that cannot be identified by its value."""


def code_digest(function: Callable[..., Any], classes: Classes) -> str | None:
    """Digest what `function` can reach when the named tuples among its arguments are of these classes.

    None if that cannot be said, because it names an object of an unknown kind.
    """
    reached = _Reached(list(classes))
    try:
        reached.follow(function)
        lines = reached.lines()
    except _UnknownError:
        return None
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class _Reached:
    """What has been found so far; a class that turns up late can decide what a generic function calls."""

    def __init__(self, classes: list[type]) -> None:
        self._classes = classes
        self._generics: list[GenericFunction] = []
        self._found: dict[Any, str] = {}
        self._line("classes", ";".join(map(full_name, classes)))

    def lines(self) -> list[str]:
        """Return one line for everything that was found, in an order that does not depend on how it was found."""
        return sorted(self._found.values())

    def follow(self, function: Any) -> None:
        """Add a function and everything that it names."""
        code = getattr(function, "__code__", None)
        if code is None:
            raise _UnknownError(function)
        name = full_name(function)
        if (name, code) in self._found:
            return
        inlined = "called" if function in called else "inlined"
        self._found[name, code] = f"{name} {_code(code, function.__doc__)} {function.__defaults__!r} {inlined}"
        for key, value in _named(function, code):
            self._take(f"{name}: {key}", value)

    def _take(self, where: str, value: Any) -> None:
        if isinstance(value, GenericFunction):
            self._line(where, f"generic {value.__name__}")
            self._generics.append(value)
            for cls in list(self._classes):
                self._choose(value, cls)
        elif isinstance(value, type):
            self._line(where, full_name(value))
            if hasattr(value, "_fields"):
                self._meet(value)
        elif isinstance(value, types.FunctionType):
            self._line(where, full_name(value))
            self.follow(value)
        elif hasattr(value, "py_func"):  # a function that its author compiles with Numba
            self._line(where, f"compiled {full_name(value.py_func)} {getattr(value, 'targetoptions', '')!r}")
            self.follow(value.py_func)
        else:
            self._line(where, _constant(value))

    def _meet(self, cls: type) -> None:
        if cls not in self._classes:
            self._line(full_name(cls), repr(getattr(cls, "_fields", ())))
            self._classes.append(cls)
            for function in list(self._generics):
                self._choose(function, cls)

    def _choose(self, function: GenericFunction, cls: type) -> None:
        if cls in function.implementations:
            self._line(f"{function.__name__} for {full_name(cls)}", full_name(function.implementations[cls]))
            self.follow(function.implementations[cls])

    def _line(self, where: str, what: str) -> None:
        self._found[where, what] = f"{where} = {what}"


def _named(function: Any, code: types.CodeType) -> Iterator[tuple[str, Any]]:
    """Yield what the names in a function's text stand for, in its module or in the function around it."""
    names = [name for each in _codes(code) for name in each.co_names]
    outer = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    for name, cell in outer.items():
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            raise _UnknownError(name) from None
    for name in names:
        value = function.__globals__.get(name, outer)
        if isinstance(value, types.ModuleType):
            yield name, value.__name__
            if value.__name__.partition(".")[0] not in ("math", "numpy"):  # known by their versions
                yield from ((f"{name}.{each}", getattr(value, each)) for each in names if hasattr(value, each))
        elif value is not outer:  # else an attribute, or a function of the language
            yield name, value


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _code(code: types.CodeType, docstring: str | None = None) -> str:
    constants = list(code.co_consts)
    if constants and docstring is not None and constants[0] == docstring:
        constants[0] = None  # nothing computes with it
    texts = [_code(each) if isinstance(each, types.CodeType) else _constant(each) for each in constants]
    whole = (code.co_code.hex(), texts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return hashlib.sha256(repr(whole).encode()).hexdigest()


def _constant(value: Any) -> str:
    """Return a text that is the same for equal values of the same type in every process, and for no others."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.hasobject:
            raise _UnknownError(value)
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        return f"frozenset({', '.join(sorted(map(_constant, value)))})"
    if value is None or value is Ellipsis or isinstance(value, str | bytes | numbers.Number):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return f"built in {getattr(value, '__module__', '')}.{value.__name__}"
    raise _UnknownError(value)
