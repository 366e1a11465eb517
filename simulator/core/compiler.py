"""The process that compiles, started by objects.py.

Numba, left alone, optimises each function for itself and again as part of each caller, and makes machine code of all of them. Here it
infers types and lowers; an entry point is then linked with everything below it, optimised once, and emitted.
"""

import gc
import importlib
import os
import pickle
import sys
import threading
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, codegen, cpu, types
from numba.extending import intrinsic
from numba.np import arrayobj, numpy_support

from accelkit.simulator.core.entry import INTEGER, RAISED, ArrayKind, RecordKind, TupleKind
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.objects import Request, write

_WORD = ir.IntType(64)


def _lower_only() -> None:
    """Make Numba's libraries keep what was lowered: nothing is optimised or emitted before it is linked."""

    def finalize(library: Any) -> None:
        library._finalized = True

    def keep(library: Any, module: Any) -> None:
        module.data_layout = library._codegen._data_layout

    library: Any = codegen.JITCodeLibrary
    library.finalize, library._optimize_functions = finalize, keep
    # Numba knows functions by what it would call: anything that is one of its kind.
    context: Any = cpu.CPUContext
    context.get_executable = lambda *_: [].append


@intrinsic
def _array(_typing: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """A contiguous array at an address."""
    kind = types.Array(dtype.dtype, len(shape), "C")

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array = context.make_array(kind)(context, builder)
        itemsize = context.get_constant(types.intp, np.dtype(numpy_support.as_dtype(kind.dtype)).itemsize)
        extents = cgutils.unpack_tuple(builder, arguments[1])
        strides: list[Any] = []
        stride = itemsize
        for extent in reversed(extents):
            strides.insert(0, stride)
            stride = builder.mul(stride, extent)
        data = builder.inttoptr(arguments[0], array.data.type)
        arrayobj.populate_array(array, data, extents, strides, itemsize, meminfo=None)
        return array._getvalue()

    return kind(address, shape, dtype), build


class _Call:
    """The text of a function that takes a block of words and calls an entry point with what they stand for."""

    def __init__(self, function: Any, kinds: tuple[Any, ...]) -> None:
        self._names: dict[str, Any] = {"entry": function, "array": _array, "word": np.dtype(np.int64)}
        self._words = 0
        arguments = ", ".join(self._argument(kind) for kind in kinds)
        has_result = function.py_func.__annotations__["return"] is not None
        call = f"return int(entry({arguments}))" if has_result else f"entry({arguments})\n    return 0"
        self._text = f"def call(block):\n    b = array(block, ({self._words},), word)\n    {call}\n"

    def compile(self) -> Any:
        """Lowered by Numba."""
        exec(self._text, self._names)
        call = njit(self._names["call"])
        call.compile((types.int64,))
        (result,) = call.overloads.values()
        return result

    def _word(self) -> str:
        self._words += 1
        return f"b[{self._words - 1}]"

    def _name(self, value: Any) -> str:
        name = f"n{len(self._names)}"
        self._names[name] = value
        return name

    def _argument(self, kind: Any) -> str:
        if kind == INTEGER:
            return self._word()
        if isinstance(kind, TupleKind):
            return f"{self._name(kind.cls)}({', '.join(self._argument(field) for field in kind.fields)})"
        assert isinstance(kind, RecordKind | ArrayKind)
        address, dtype = self._word(), self._name(np.dtype(kind.dtype))
        if isinstance(kind, RecordKind):
            return f"array({address}, (1,), {dtype})[0]"
        shape = "".join(f"{self._word()}, " for _ in range(kind.ndim))
        return f"array({address}, ({shape}), {dtype})"


def _object_code(request: Request) -> bytes:
    function = getattr(importlib.import_module(request.module), request.name)
    lowered = _Call(function, request.kinds).compile()
    library, context = lowered.library, lowered.target_context
    module = library._final_module
    for below in _everything_below(library):
        part = below._final_module.clone()
        for function in part.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"
        module.link_in(part)
    module.link_in(llvm.parse_assembly(str(_entry(context, lowered.fndesc, request.symbol))))
    for function in module.functions:
        if not function.is_declaration and function.name != request.symbol:
            function.linkage = "internal"
    module.verify()
    # Numba has a cheaper optimisation before, for counts of references.
    passes, builder = library._codegen._module_pass_manager()
    passes.run(module, builder)
    code: bytes = library._codegen._tm.emit_object(module)
    return code


def _everything_below(library: Any) -> list[Any]:
    found: dict[Any, None] = {}

    def visit(above: Any) -> None:
        for below in above._linking_libraries:
            if below not in found:
                found[below] = None
                visit(below)

    visit(library)
    return list(found)


def _entry(context: Any, fndesc: Any, symbol: str) -> Any:
    """A function of C around one of Numba's: its result, or RAISED for an exception."""
    module = context.codegen()._create_empty_module(symbol)
    convention = context.call_conv
    inner = ir.Function(module, convention.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name)
    outer = ir.Function(module, ir.FunctionType(_WORD, [context.get_value_type(fndesc.argtypes[0])]), symbol)
    builder = ir.IRBuilder(outer.append_basic_block())
    status, result = convention.call_function(builder, inner, fndesc.restype, fndesc.argtypes, outer.args)
    builder.ret(builder.select(status.is_error, ir.Constant(_WORD, RAISED), result))
    return module


def _end_with_parent() -> None:
    """End the process when standard input ends, for whoever asked is gone then."""
    while os.read(0, 1):
        pass
    os._exit(1)


def main() -> None:
    """Compile what standard input asks for."""
    requests: list[tuple[Request, str]] = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _lower_only()
    gc.disable()  # a million objects that live to the end would be looked at again and again
    for request, path in requests:
        write(Path(path), _object_code(request))
