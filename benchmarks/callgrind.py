"""Requests to valgrind's callgrind from the program that it runs: count from here, until there, write down what was counted.

A request is a sequence of instructions that does nothing on a processor and that valgrind recognises (valgrind.h, x86-64).
Outside valgrind every request is without effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import njit, types
from numba.extending import intrinsic

_TOOL = ord("C") << 24 | ord("T") << 16  # callgrind's requests (callgrind.h)
_DUMP_AT, _START, _STOP = _TOOL + 3, _TOOL + 4, _TOOL + 5
_SEQUENCE = "rolq $$3, %rdi; rolq $$13, %rdi; rolq $$61, %rdi; rolq $$51, %rdi; xchgq %rbx, %rbx"


@intrinsic  # type: ignore[misc]
def _send(_typing: Any, _address: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word, word])
        return builder.asm(function, _SEQUENCE, "={rdx},{rax},{rdx},~{cc},~{memory}", [arguments[0], ir.Constant(word, 0)], True)

    return types.int64(types.int64), emit


@njit
def _request(address: int) -> int:
    return _send(address)  # type: ignore[no-any-return]


def _send_words(request: int, argument: int = 0) -> None:
    words = np.array([request, argument, 0, 0, 0, 0], np.uint64)
    _request(words.ctypes.data)


def prepare() -> None:
    """Compile the requests, so that nothing of that is counted."""
    binding.initialize_native_asmparser()
    _send_words(0)


def start() -> None:
    """Count instructions from here on."""
    _send_words(_START)


def stop() -> None:
    """Count no more."""
    _send_words(_STOP)


def dump(label: str) -> None:
    """Write what was counted since the last dump to a file of its own, under a label."""
    text = np.frombuffer(label.encode() + b"\0", np.uint8)
    _send_words(_DUMP_AT, text.ctypes.data)
