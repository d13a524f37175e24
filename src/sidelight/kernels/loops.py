"""Round loops, the only things that are compiled on their own and called from Python."""

import functools
import gc
import hashlib
import inspect
import os
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast

from sidelight.kernels import cache, inlining
from sidelight.kernels.digest import Classes, code_digest
from sidelight.kernels.functions import MissingImplementationError, called, full_name, unregistered
from sidelight.kernels.numba import numba_or_none

P = ParamSpec("P")
R = TypeVar("R")

# `forceinline` leaves inlining to LLVM. Numba's own `inline="always"` gives the same speed for a longer compilation.
_KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": True}
_LOOP_OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": False}
# Private to Numba: without its runtime no array is reference-counted, which otherwise dominates a short round.
_NO_COUNTING = {"_nrt": False}

_compile_lock = threading.RLock()
_chosen: list[list[bool]] = []
"""Whether to compile, as the blocks around us say it, the innermost last."""
# Taken out by the first thread that warns, so that a process warns once.
_warning = ["Numba cannot be imported, so simulation runs in the interpreter, much slower; try: pip install numba"]


@contextmanager
def _choosing(compiles: bool) -> Iterator[None]:
    entry = [compiles]
    _chosen.append(entry)
    try:
        yield
    finally:  # other threads may have entered blocks since
        _chosen[:] = [each for each in _chosen if each is not entry]


def interpreted() -> AbstractContextManager[None]:
    """Run loops in the interpreter within the block.

    The switch is process-wide, not per thread: worker threads started inside the block must obey it. A thread outside
    the block only becomes slower for a while, since both ways give the same results.
    """
    return _choosing(False)


def compiled() -> AbstractContextManager[None]:
    """Compile loops within the block even for work that would be over sooner in the interpreter, where possible.

    For tests and measurements of compiled code, and to compile in advance. Process-wide as well.
    """
    return _choosing(True)


def chosen_way() -> Literal["compiled", "interpreted"] | None:
    """Return how a block around us or a setting wants loops to run; None leaves it to judgment."""
    if _switched_off():
        return "interpreted"
    return "compiled" if _chosen else None


def compiled_available() -> bool:
    """Say whether a loop called now runs compiled; this imports Numba unless compilation is switched off."""
    return not _switched_off() and numba_or_none() is not None and not numba_or_none().config.DISABLE_JIT


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage rarely within the block: compiling makes very many objects, and nearly all stay in use."""
    before = gc.get_threshold()
    if before[0] > 0:  # else collection is switched off
        gc.set_threshold(max(before[0], 50_000), max(before[1], 20), max(before[2], 50))
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _switched_off() -> bool:
    disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return _chosen[-1:] == [[False]] or disabled or os.environ.get("SIDELIGHT_JIT") == "0"


def _warn_if_slower() -> None:
    if not _switched_off() and numba_or_none() is None:
        with suppress(IndexError):
            warnings.warn(_warning.pop(), UserWarning, stacklevel=3)


class Loop(Generic[P, R]):
    """A round loop: called, it runs compiled when possible; `python` is the plain function.

    There is one dispatcher per combination of named tuple classes among the arguments. With a single one, two
    strategies that each have a class `Parameters` would share machine code and cache files, which Numba names after the
    bare class. It also keeps strategies apart that need a slower variant, uncached or with counted references.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.python = function
        self._signature = inspect.signature(function)
        self._dispatchers: dict[Classes, Any] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the loop."""
        if not compiled_available():
            _warn_if_slower()
            return self.python(*args, **kwargs)
        values: tuple[Any, ...] = args
        if kwargs or len(args) != len(self._signature.parameters):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            values = bound.args
        classes = tuple(named_tuple_classes(values))
        dispatcher = self._dispatchers.get(classes)
        if dispatcher is None or unregistered:
            dispatcher = self._prepare(classes, values)
        return cast(R, dispatcher(*values))

    def is_compiled_for(self, classes: Iterable[type]) -> bool:
        """Say whether this process has machine code for named tuples of these classes."""
        return tuple(classes) in self._dispatchers

    @property
    def dispatchers(self) -> tuple[Any, ...]:
        """The Numba dispatchers made so far, for benchmarks and tests."""
        return tuple(self._dispatchers.values())

    @property
    def uses_reference_counting(self) -> bool | None:
        """Whether a compiled variant counts references, which is slow; None before anything is compiled."""
        if not self._dispatchers:
            return None
        return any("_nrt" not in dispatcher.targetoptions for dispatcher in self.dispatchers)

    def _prepare(self, classes: Classes, args: tuple[Any, ...]) -> Any:
        """Compile for these arguments, under a lock; calling compiled code needs no lock."""
        with _compile_lock, _rare_collections():
            _register_kernels()
            if classes not in self._dispatchers:
                self._dispatchers[classes] = self._compile(classes, args)
            return self._dispatchers[classes]

    def _compile(self, classes: Classes, args: tuple[Any, ...]) -> Any:
        digest = code_digest(self.python, classes)
        with suppress(Exception):  # something is allocated, or this Numba has no such option; else it is raised below
            return _compiled(self.python, classes, args, _LOOP_OPTIONS | _NO_COUNTING, digest)
        return _compiled(self.python, classes, args, _LOOP_OPTIONS, digest)


def loop(function: Callable[P, R]) -> Loop[P, R]:
    """Mark a round loop, whose arguments are named tuples, arrays, numbers and `numpy.random.Generator` objects."""
    return Loop(function)


def named_tuple_classes(values: Iterable[Any]) -> Iterator[type]:
    """Yield the classes of named tuples, which decide what a loop runs, outer ones first."""
    for value in values:
        if isinstance(value, tuple):
            if hasattr(value, "_fields"):
                yield type(value)
            yield from named_tuple_classes(value)


def _kernel_options(function: Callable[..., Any]) -> dict[str, Any]:
    compiler = inlining.kernel_compiler(function not in called)
    if compiler is None:
        return _KERNEL_OPTIONS | {"forceinline": function not in called}
    return _KERNEL_OPTIONS | inlining.OPTIONS | {"pipeline_class": compiler}


def _register_kernels() -> None:
    """Register with Numba the kernels recorded since the last call."""
    overload = numba_or_none().extending.overload
    while unregistered:
        function, choose = unregistered.popitem()
        # Not strict: Numba would compare the argument names of `choose` with those of the implementation.
        overload(function, jit_options=_kernel_options(function), strict=False)(choose)


def _compiled(
    function: Callable[..., Any], classes: Classes, args: tuple[Any, ...], options: dict[str, Any], digest: str | None
) -> Any:
    """Compile one variant of a loop, without the cache if anything is wrong with it (a full disk, a damaged file)."""
    numba = numba_or_none()
    dispatcher = numba.njit(**options)(_renamed(function, classes, counting="_nrt" not in options))
    try:
        if digest is not None:
            cache.enable(dispatcher, (digest, repr(options), repr(_KERNEL_OPTIONS)))
        dispatcher.compile(tuple(dispatcher.typeof_pyval(value) for value in args))
    except (numba.errors.NumbaError, MissingImplementationError):
        raise
    except Exception:
        if digest is None:
            raise
        return _compiled(function, classes, args, options, None)
    if "_nrt" in options and any(_holds_array(one.return_type) for one in dispatcher.nopython_signatures):
        raise TypeError("without reference counting Numba returns the whole array in place of a view")
    return dispatcher


def _holds_array(kind: Any) -> bool:
    kinds = numba_or_none().types
    return any(map(_holds_array, kind)) if isinstance(kind, kinds.BaseTuple) else isinstance(kind, kinds.Buffer)


def _renamed(function: Callable[..., Any], classes: Classes, counting: bool) -> Callable[..., Any]:
    """Copy a loop under a name of its own, which Numba uses for symbols and cache files."""
    original = cast(types.FunctionType, function)
    label = hashlib.sha256(";".join(map(full_name, classes)).encode()).hexdigest()[:8]
    clone = types.FunctionType(original.__code__, original.__globals__, closure=original.__closure__)
    clone.__module__ = original.__module__
    clone.__qualname__ = f"{original.__qualname__}_{label}{'_counting' if counting else ''}"
    return clone
