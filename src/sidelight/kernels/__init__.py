"""Algorithms written once, run by the interpreter or compiled. The only package that knows how Numba is used.

An algorithm is written once, as plain functions. The interpreter runs them as they are, for a single step, for
debugging and for coverage; a round loop runs the same source compiled. Nothing here imports Numba until a loop is first
called, so importing the package stays cheap, and without Numba everything still works, only slower.

- `kernel` records a plain function that compiled code may call. It is inlined, unless it is a `large_kernel`.
- `generic` and `implements` choose a function by the class of its first argument, a named tuple. Numba types carry that
  class, so the choice costs nothing at run time and, unlike functions passed as arguments, survives in the disk cache.
- `loop` marks a round loop, the only thing that is compiled on its own and called from Python.

Rules for kernels and loops, so that both ways of running agree bit for bit and no round counts references:

- scalar loops over integers, floats and the arrays inside named tuples; `math.*` functions and `**`, but products in
  place of whole powers: compiled, x**2 is x * x, and the interpreter rounds it in another way;
- no NumPy ufuncs, sums or `@`, and no `math.lgamma`: they round differently compiled and interpreted;
- no division by zero (compiled code would carry on with inf, the interpreter raises);
- nothing is allocated: no new arrays, lists, strings or dictionaries; results are written into arrays given as
  arguments; a slice or a row is a view and allowed, a tuple of scalars may be returned;
- `rng.random`, `normal`, `exponential`, `beta` and `gamma` are fine; `rng.integers` allocates, `rng.choice` is unknown;
- arguments are positional; no recursion, no `*args`, no generators, no `try`; a variable keeps one type throughout;
- loops call kernels and generic functions, not other loops;
- a global constant is read when a loop is first compiled: changing it later in the same process has no effect.
"""

from sidelight.kernels.cache import cache_directory
from sidelight.kernels.functions import (
    GenericFunction,
    MissingImplementationError,
    generic,
    implements,
    kernel,
    large_kernel,
)
from sidelight.kernels.loops import (
    Loop,
    chosen_way,
    compiled,
    compiled_available,
    interpreted,
    loop,
    named_tuple_classes,
)

__all__ = [
    "GenericFunction",
    "Loop",
    "MissingImplementationError",
    "cache_directory",
    "chosen_way",
    "compiled",
    "compiled_available",
    "generic",
    "implements",
    "interpreted",
    "kernel",
    "large_kernel",
    "loop",
    "named_tuple_classes",
]
