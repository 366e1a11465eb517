"""Binding of a launch's values to the arguments that a program declares."""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelkit.isa.program import ANY_SIZE, DATA_ARGUMENT, DTYPES, Argument, ArgumentKind, Program


class ArgumentError(ValueError):
    """A value that does not fit the program's declaration; the text says which, what was seen and what was expected."""


@dataclass(frozen=True)
class Binding:
    """One argument word: a number (`nbytes` None), or a buffer with its size, content (None: not written yet) and NumPy type."""

    name: str
    value: int = 0
    nbytes: int | None = None
    content: NDArray[np.generic] | None = None
    is_writable: bool = False
    dtype: str = "uint8"
    shape: tuple[int, ...] = ()


def bind(program: Program, values: Mapping[str, object], needs_contents: bool = True) -> list[Binding]:
    """A binding for each declared argument, in order. ArgumentError for a missing, unknown or unfit value. Unless it `needs_contents`, an
    input buffer of known size may be missing."""
    names = [argument.name for argument in program.arguments if argument.name != DATA_ARGUMENT]
    for name in values:
        if name not in names:
            close = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ArgumentError(
                f"{program.name} has no argument {name}; it has {', '.join(names) or 'none'}{hint}"
            )
    numbers = {a.name: _number(program, a, values) for a in program.arguments if a.kind is ArgumentKind.VALUE}
    return [
        Binding(argument.name, numbers[argument.name])
        if argument.kind is ArgumentKind.VALUE
        else _buffer(program, argument, values.get(argument.name), numbers, needs_contents)
        for argument in program.arguments
    ]


def buffer_names(program: Program) -> dict[str, str]:
    """What `Session.run` calls the buffers of a session's first launch, by argument."""
    names = [argument.name for argument in program.arguments if argument.kind is not ArgumentKind.VALUE]
    return {name: f"{program.name}.{name}.{number}" for number, name in enumerate(names)}


def _number(program: Program, argument: Argument, values: Mapping[str, object]) -> int:
    value = values.get(argument.name)
    if value is None:
        raise ArgumentError(f"{program.name}: argument {argument.name} (a number) is missing")
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise ArgumentError(
            f"{program.name}: argument {argument.name} is a number, not {type(value).__name__}"
        )
    if not -(1 << 31) <= value < 1 << 32:
        raise ArgumentError(f"{program.name}: argument {argument.name} = {value} does not fit 32 bits")
    return int(value)


def _buffer(
    program: Program, argument: Argument, value: object, numbers: Mapping[str, int], needs_contents: bool
) -> Binding:
    if argument.name == DATA_ARGUMENT:
        data = np.frombuffer(program.data, np.uint8)
        return Binding(argument.name, nbytes=data.size, content=data, shape=(data.size,))
    dtype = DTYPES[argument.dtype]
    expected = tuple(numbers[d] if isinstance(d, str) and d != ANY_SIZE else d for d in argument.shape)
    text = f"{argument.dtype}[{', '.join(str(d) for d in argument.shape)}]"
    for name, size in zip(argument.shape, expected, strict=True):
        if isinstance(size, int) and size < 0:
            raise ArgumentError(f"{program.name}: argument {argument.name} is {text}: {name} = {size}, expected a size of 0 or more")
    if value is not None and not isinstance(value, np.ndarray):
        raise ArgumentError(
            f"{program.name}: argument {argument.name} is a buffer {text}, not {type(value).__name__}"
        )
    if value is None and argument.kind is not ArgumentKind.OUT and needs_contents:
        raise ArgumentError(f"{program.name}: argument {argument.name} (input buffer {text}) is missing")
    if value is not None and value.dtype != dtype:
        raise ArgumentError(
            f"{program.name}: argument {argument.name} is {text}: expected dtype {dtype}, found {value.dtype}"
        )
    if value is None:
        if ANY_SIZE in expected:
            raise ArgumentError(
                f"{program.name}: argument {argument.name} is {text}: pass an array, its size is open"
            )
        shape = tuple(int(d) for d in expected)
    else:
        shape = value.shape
        fits = len(shape) == len(expected) and all(
            wanted in (ANY_SIZE, seen) for wanted, seen in zip(expected, shape, strict=True)
        )
        if not fits:
            raise ArgumentError(
                f"{program.name}: argument {argument.name} is {text}: expected shape {_shape(expected)}, found {_shape(shape)}"
            )
    return Binding(
        argument.name,
        nbytes=math.prod(shape) * np.dtype(dtype).itemsize,
        content=value,
        is_writable=argument.kind is not ArgumentKind.IN,
        dtype=dtype,
        shape=shape,
    )


def _shape(shape: tuple[int | str, ...]) -> str:
    return "x".join(str(d) for d in shape) or "scalar"
