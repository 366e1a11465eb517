"""How the core's functions run (docs/adr/0019): as machine code from the cache, or as Python.

Decorators say what Numba is to do with a function, where Numba is: in the process that compiles (compiler.py). In others functions stay
what they are, and entry points, the ones that Python calls, call machine code (entry.py), so that nothing there imports Numba, which
takes longer than most runs. With NUMBA_DISABLE_JIT=1 all of it is Python.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

COMPILER_VARIABLE = "ACCELKIT_COMPILER"  # set in the process that compiles
IS_COMPILER = COMPILER_VARIABLE in os.environ


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


IS_INTERPRETED = _is_set("NUMBA_DISABLE_JIT") and not IS_COMPILER
HAS_BOUNDS_CHECKS = _is_set("NUMBA_BOUNDSCHECK")


def njit(function: F) -> F:
    """A function of the core. It makes no array and returns no view of one: machine code has no allocator and counts no references."""
    return _numba(function)


def njit_inline(function: F) -> F:
    """A function that is part of each caller: for what is called once per instruction, where even passing many arrays costs much."""
    return _numba(function, forceinline=True)


def entry(function: F) -> F:
    """A function that Python calls, too."""
    if IS_COMPILER or IS_INTERPRETED:
        return _numba(function)
    from accelkit.simulator.core.entry import Entry

    point: Any = Entry(function)
    return point  # type: ignore[no-any-return]


def native(build: str, result: str | None, *parameters: str | None) -> Callable[[F], F]:
    """Decorator of a function in NumPy: machine code has in its place what native.py has under the name `build`."""

    def decorate(reference: F) -> F:
        if not IS_COMPILER:
            return reference
        from accelkit.simulator.core.native import intrinsic_of

        return intrinsic_of(reference, build, result, parameters)

    return decorate


def _numba(function: F, **options: Any) -> F:
    if not IS_COMPILER:
        return function
    import numba

    njit: Any = numba.njit  # it has more options than its types tell
    return njit(  # type: ignore[no-any-return]
        error_model="numpy",
        nogil=True,
        boundscheck=HAS_BOUNDS_CHECKS,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=False,
        **options,
    )(function)
