"""The only file that knows how Numba is used.

An algorithm is written once, as plain functions. The interpreter runs them as they are, for a single step, for
debugging and for coverage; a round loop runs the same text compiled. Nothing here imports Numba until a loop is first
called, so importing the package stays cheap, and without Numba everything still works, only slower.

- `kernel` records a plain function that compiled code may call.
- `generic` and `implements` choose a function by the class of its first argument, a named tuple. Numba types carry that
  class, so the choice costs nothing at run time and, unlike functions passed as arguments, survives in the disk cache.
- `loop` marks a round loop, the only thing that is compiled on its own and called from Python.

Rules for kernels and loops, so that both ways of running agree bit for bit and no round counts references:

- scalar loops over integers, floats and the arrays inside named tuples; `math.*` functions and `**`;
- no NumPy ufuncs, sums or `@`, and no `math.lgamma`: they round differently compiled and interpreted;
- no division by zero (compiled code would carry on with inf, the interpreter raises);
- nothing is allocated: no new arrays, lists, strings or dictionaries; results are written into arrays given as
  arguments; a slice or a row is a view and allowed, a tuple of scalars may be returned;
- `rng.random`, `normal`, `exponential`, `beta` and `gamma` are fine; `rng.integers` allocates, `rng.choice` is unknown;
- arguments are positional; no recursion, no `*args`, no generators, no `try`; a variable keeps one type throughout;
- loops call kernels and generic functions, not other loops.
"""

import functools
import hashlib
import inspect
import os
import re
import shutil
import sys
import tempfile
import threading
import time
import types
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])
Classes = tuple[type, ...]

_PACKAGE = __name__.partition(".")[0]
_SOURCES = Path(__file__).parent
_IMPORTED = time.time()
_KEPT_CACHES = 3
_IDLE_SECONDS = 3600.0
# Nothing else is ever removed: the folder may hold other things if the user chose it.
_CACHE_NAME = re.compile("[0-9a-f]{16}(-[0-9a-f]{32})?")
# `forceinline` leaves inlining to LLVM. Numba's own `inline="always"` gives the same speed for a longer compilation.
_KERNEL_OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": True}
_LOOP_OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": False}
# Private to Numba: without its runtime no array is reference-counted, which otherwise dominates a short round.
_NO_COUNTING = {"_nrt": False}
# Numba's cache ignores these settings although they change the code it generates.
_CODE_SETTINGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")

_compile_lock = threading.RLock()
_recorded: set[Callable[..., Any]] = set()
_unregistered: dict[Callable[..., Any], Callable[..., Any]] = {}
_generics: list["GenericFunction"] = []
_interpreting: list[bool] = []
# Taken out by the first thread that warns, so that a process warns once.
_warning = ["Numba cannot be imported, so simulation runs in the interpreter, much slower; try: pip install numba"]


class MissingImplementationError(TypeError):
    """A generic function was called with a first argument of a class it has no implementation for."""


def kernel(function: F) -> F:
    """Record a plain function, returned unchanged, so that loops may call it when compiled."""
    if function not in _recorded:
        _recorded.add(function)
        _unregistered[function] = lambda *args, **keywords: function
    return function


class GenericFunction:
    """A function with one implementation per named tuple class; the class of the first argument decides."""

    def __init__(self, name: str, arguments: Iterable[str] | None = None) -> None:
        self.__name__ = self.__qualname__ = name
        self.arguments = None if arguments is None else tuple(arguments)
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
        """Register an implementation; a second one for the same class could not reach code already compiled."""
        if cls in self.implementations:
            raise ValueError(f"{self.__name__} is already implemented for {_full_name(cls)}; define a new class")
        names = tuple(inspect.signature(implementation).parameters)
        if self.arguments is None:
            self.arguments = names
        if len(names) != len(self.arguments):
            wanted = ", ".join(self.arguments)
            raise TypeError(f"{_full_name(implementation)} must take {len(self.arguments)} arguments ({wanted})")
        self.implementations[cls] = implementation

    def choose(self, parameters: Any, *args: Any) -> Callable[..., Any]:
        """Do the same choice for a Numba type, while a loop is compiled."""
        cls = getattr(parameters, "instance_class", None)
        implementation = self.implementations.get(cast(type, cls))
        if implementation is None:
            raise self._missing(cls or parameters)
        return implementation

    def _missing(self, cls: object) -> MissingImplementationError:
        known = ", ".join(sorted(_full_name(known) for known in self.implementations)) or "no class"
        name = _full_name(cls) if isinstance(cls, type) else str(cls)
        return MissingImplementationError(f"{self.__name__} is not implemented for {name}; it is for {known}")


def generic(name: str, arguments: Iterable[str] | None = None) -> GenericFunction:
    """Make a generic function; `arguments` names what every implementation takes, else the first one decides."""
    function = GenericFunction(name, arguments)
    _generics.append(function)
    _unregistered[function] = function.choose
    return function


def implements(function: GenericFunction, cls: type) -> Callable[[F], F]:
    """Register the decorated function, returned unchanged, as what `function` does for the named tuple `cls`."""
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(f"{function.__name__} can be implemented for named tuples only, not for {_full_name(cls)}")

    def register(implementation: F) -> F:
        function.add(cls, implementation)
        return kernel(implementation)

    return register


def _full_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


@contextmanager
def interpreted() -> Iterator[None]:
    """Run loops in the interpreter within the block.

    The switch is process-wide, not per thread: worker threads started inside the block must obey it. A thread outside
    the block only becomes slower for a while, since both ways give the same results.
    """
    _interpreting.append(True)
    try:
        yield
    finally:
        _interpreting.pop()


def compiled_available() -> bool:
    """Say whether a loop called now runs compiled; this imports Numba unless compilation is switched off."""
    return not _switched_off() and _numba() is not None and not _numba().config.DISABLE_JIT


def _switched_off() -> bool:
    disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return bool(_interpreting) or disabled or os.environ.get("SIDELIGHT_JIT") == "0"


@functools.cache
def _numba() -> Any:
    """Import Numba, or give None: a broken installation (say, a NumPy too new for it) may raise anything."""
    try:
        import numba  # type: ignore[import-untyped, unused-ignore]
        import numba.extending  # type: ignore[import-untyped, unused-ignore]
    except Exception:
        return None
    return numba


def _warn_if_slower() -> None:
    if not _switched_off() and _numba() is None:
        with suppress(IndexError):
            warnings.warn(_warning.pop(), UserWarning, stacklevel=3)


class Loop(Generic[P, R]):
    """A round loop: called, it runs compiled when possible; `python` is the plain function.

    There is one dispatcher per combination of named tuple classes among the arguments. Numba names machine code and
    cache files after bare names, so two strategies whose class is called `Parameters` would share them; and one that
    needs the uncached or the counting variant does not slow the others.
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
        classes = tuple(_named_tuple_classes(values))
        dispatcher = self._dispatchers.get(classes)
        if dispatcher is None or _unregistered:
            dispatcher = self._prepare(classes, values)
        return cast(R, dispatcher(*values))

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
        """Compile for these arguments, under a lock; calls of what is compiled take none."""
        with _compile_lock:
            _register_kernels()
            if classes not in self._dispatchers:
                self._dispatchers[classes] = self._compile(classes, args)
            return self._dispatchers[classes]

    def _compile(self, classes: Classes, args: tuple[Any, ...]) -> Any:
        directory = _usable_cache() if _all_inside(self.python, classes) else None
        with suppress(Exception):  # something is allocated, or this Numba has no such option; else it is raised below
            return _compiled(self.python, classes, args, _LOOP_OPTIONS | _NO_COUNTING, directory)
        return _compiled(self.python, classes, args, _LOOP_OPTIONS, directory)


def loop(function: Callable[P, R]) -> Loop[P, R]:
    """Mark a round loop, whose arguments are named tuples, arrays, numbers and `numpy.random.Generator` objects."""
    return Loop(function)


def _named_tuple_classes(values: Iterable[Any]) -> Iterator[type]:
    for value in values:
        if isinstance(value, tuple):
            if hasattr(value, "_fields"):
                yield type(value)
            yield from _named_tuple_classes(value)


def _all_inside(function: Callable[..., Any], classes: Classes) -> bool:
    """Whether all code of a loop is the package's own: the cache would not notice a change of anything else."""
    things: list[Any] = [function, *classes]
    things += [one.implementations[cls] for one in _generics for cls in classes if cls in one.implementations]
    return all((thing.__module__ or "").partition(".")[0] == _PACKAGE for thing in things)


def _register_kernels() -> None:
    """Tell Numba about what was recorded since the last time."""
    overload = _numba().extending.overload
    while _unregistered:
        function, choose = _unregistered.popitem()
        # Not strict: Numba would compare the argument names of `choose` with those of the implementation.
        overload(function, jit_options=_KERNEL_OPTIONS, strict=False)(choose)


def _compiled(
    function: Callable[..., Any], classes: Classes, args: tuple[Any, ...], options: dict[str, Any], place: Path | None
) -> Any:
    """Compile one variant of a loop; if anything is wrong with the cache (a full disk, a damaged file), without it."""
    numba = _numba()
    dispatcher = numba.njit(**options)(_renamed(function, classes, counting="_nrt" not in options))
    try:
        if place is not None:
            _enable_cache(dispatcher, place)
        dispatcher.compile(tuple(dispatcher.typeof_pyval(value) for value in args))
    except (numba.errors.NumbaError, MissingImplementationError):
        raise
    except Exception:
        if place is None:
            raise
        return _compiled(function, classes, args, options, None)
    if "_nrt" in options and any(_holds_array(one.return_type) for one in dispatcher.nopython_signatures):
        raise TypeError("without reference counting Numba returns the whole array in place of a view")
    return dispatcher


def _holds_array(kind: Any) -> bool:
    kinds = _numba().types
    return any(map(_holds_array, kind)) if isinstance(kind, kinds.BaseTuple) else isinstance(kind, kinds.Buffer)


def _renamed(function: Callable[..., Any], classes: Classes, counting: bool) -> Callable[..., Any]:
    """Copy a loop under a name of its own, which Numba uses for symbols and cache files."""
    original = cast(types.FunctionType, function)
    label = hashlib.sha256(";".join(map(_full_name, classes)).encode()).hexdigest()[:8]
    clone = types.FunctionType(original.__code__, original.__globals__, closure=original.__closure__)
    clone.__module__ = original.__module__
    clone.__qualname__ = f"{original.__qualname__}_{label}{'_counting' if counting else ''}"
    return clone


def cache_directory() -> Path | None:
    """Name the folder for compiled loops, whether it exists or not; None if loops cannot be cached.

    Numba notices only changes of the file a loop stands in, so the folder's name is a digest of everything that
    decides the machine code. Sources edited after they were imported are not what runs: then nothing is cached.
    """
    numba, root = _numba(), _user_cache()
    changes = [path.stat().st_mtime for path in _SOURCES.rglob("*.py")]
    if numba is None or root is None or max(changes, default=np.inf) > _IMPORTED:
        return None
    settings = tuple(str(getattr(numba.config, name, None)) for name in _CODE_SETTINGS)
    return root / _PACKAGE / _digest((sys.version, np.__version__, numba.__version__, *settings))


@functools.cache
def _digest(settings: tuple[str, ...]) -> str:
    digest = hashlib.sha256("\0".join(settings).encode())
    for path in sorted(_SOURCES.rglob("*.py")):
        text = path.read_bytes()
        digest.update(f"\0{path.relative_to(_SOURCES).as_posix()}\0{len(text)}\0".encode())
        digest.update(text)
    return digest.hexdigest()[:16]


def _user_cache() -> Path | None:
    chosen = os.environ.get("SIDELIGHT_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen).absolute()
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    try:
        home = Path.home()
    except RuntimeError:  # no home directory, as in some containers
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _usable_cache() -> Path | None:
    """Make the folder, readable by its owner only since it holds code; None if it cannot be written."""
    try:
        directory = cache_directory()
        if directory is None:
            return None
        if not directory.is_dir():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _remove_old(directory)
        os.utime(directory)  # marks the folder as in use
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        return None
    return directory


def _remove_old(directory: Path) -> None:
    """Remove all but the newest folders beside a new one.

    Other processes may do the same or still work with an old folder. So a folder in use within the last hour stays,
    and one that goes is renamed first: the process that succeeds in this is the only one that removes it.
    """
    ages: list[tuple[float, Path]] = []
    for path in directory.parent.iterdir():
        with suppress(OSError):
            if _CACHE_NAME.fullmatch(path.name):
                ages.append((path.stat().st_mtime, path))
    for used, path in sorted(ages, reverse=True)[_KEPT_CACHES:]:
        if used < time.time() - _IDLE_SECONDS:
            with suppress(OSError):
                doomed = path.rename(path.with_name(f"{directory.name}-{uuid.uuid4().hex}"))
                shutil.rmtree(doomed, ignore_errors=True)


def _enable_cache(dispatcher: Any, directory: Path) -> None:
    """Cache in our folder and nowhere else, leaving the settings that the user's own functions see as they were."""
    config = _numba().config
    ours = {"CACHE_DIR": str(directory), "CACHE_LOCATOR_CLASSES": ""}
    before = {name: getattr(config, name, "") for name in ours}
    try:
        vars(config).update(ours)
        dispatcher.enable_caching()
    finally:
        vars(config).update(before)
    if not Path(dispatcher.stats.cache_path).is_relative_to(directory):
        raise OSError(f"Numba would cache in {dispatcher.stats.cache_path}")
