"""Vectors of 16 lanes as types of Numba, and the LLVM instructions that vectors.py is made of.

Numba has no vector type, and what LLVM makes of loops over short rows is five to ten times slower. WORDS are int32 x 16, whose sums
wrap; REALS are binary32 x 16, with no licence to reorder.
"""

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, register_model

from accelkit.simulator.core.vectors import WIDTH

F = TypeVar("F", bound=Callable[..., Any])
Build = Callable[..., Any]  # (Numba's context, LLVM's builder, signature, arguments) -> value

_I8, _I16, _I32 = ir.IntType(8), ir.IntType(16), ir.IntType(32)
_BYTES = ir.VectorType(_I8, WIDTH)
_HALVES = ir.VectorType(_I16, 2 * WIDTH)
_WORDS = ir.VectorType(_I32, WIDTH)
_PAIRS = ir.VectorType(_I32, 2 * WIDTH)
_REALS = ir.VectorType(ir.FloatType(), WIDTH)


class VectorType(types.Type):
    """Numba's type of a vector."""

    def __init__(self, is_real: bool) -> None:
        self.is_real = is_real
        super().__init__(name=f"reals x {WIDTH}" if is_real else f"words x {WIDTH}")


WORDS = VectorType(is_real=False)
REALS = VectorType(is_real=True)


@register_model(VectorType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, _REALS if kind.is_real else _WORDS)


def intrinsic_of(reference: F, build: str, result: str | None, parameters: Sequence[str | None]) -> F:
    """What `build`, by its name here, makes of a function in NumPy, with the types of these names; those that are None are as passed."""

    def typed(_: Any, *given: Any) -> tuple[Any, Build]:
        wanted = [passed if name is None else _type(name) for name, passed in zip(parameters, given, strict=True)]
        return signature(given[0] if result is None else _type(result), *wanted), globals()[build]

    typed.__name__, typed.__doc__ = reference.__name__, reference.__doc__
    typed.__signature__ = _after_context(reference)  # type: ignore[attr-defined] # Numba binds arguments by it
    compiled: Any = intrinsic(typed)
    return compiled  # type: ignore[no-any-return]


def _type(name: str) -> Any:
    return {"words": WORDS, "reals": REALS}.get(name) or getattr(types, name)


def _after_context(reference: Callable[..., Any]) -> inspect.Signature:
    """A function's signature behind Numba's typing context."""
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([context, *inspect.signature(reference).parameters.values()])


def _register(function: Any, kind: VectorType, build: Callable[[Any, Any, Any], Any]) -> None:
    """An operator of two vectors."""

    class Template(ConcreteTemplate):
        key = function
        cases = (signature(kind, kind, kind),)

    infer_global(function)(Template)
    lower_builtin(function, kind, kind)(lambda context, builder, types, args: build(builder, *args))


for _function, _word, _real in (
    (operator.add, "add", "fadd"),
    (operator.sub, "sub", "fsub"),
    (operator.mul, "mul", "fmul"),
    (operator.truediv, None, "fdiv"),
    (operator.and_, "and_", None),
    (operator.or_, "or_", None),
    (operator.xor, "xor", None),
):
    if _word:
        _register(_function, WORDS, getattr(ir.IRBuilder, _word))
    if _real:
        _register(_function, REALS, getattr(ir.IRBuilder, _real))


# What LLVM does, by the names that vectors.py has: memory is addressed by bytes from the beginning of a contiguous array


def _address(context: Any, builder: Any, kind: Any, array: Any, offset: Any, pointee: Any) -> Any:
    data = builder.bitcast(context.make_array(kind)(context, builder, array).data, _I8.as_pointer())
    return builder.bitcast(builder.gep(data, [offset]), pointee.as_pointer())


def _same(builder: Any, x: Any) -> Any:
    return x


def _loading(pointee: Any, then: Callable[[Any, Any], Any]) -> Build:
    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return then(builder, builder.load(_address(context, builder, sig.args[0], args[0], args[1], pointee), align=1))

    return build


def _storing(pointee: Any, before: Callable[[Any, Any], Any]) -> Build:
    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address = _address(context, builder, sig.args[0], args[0], args[1], pointee)
        builder.store(before(builder, args[2]), address, align=1)
        return context.get_dummy_value()

    return build


def copying(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Bytes from an array to another."""
    target = _address(context, builder, sig.args[0], args[0], args[1], _I8)
    source = _address(context, builder, sig.args[2], args[2], args[3], _I8)
    cgutils.raw_memcpy(builder, target, source, args[4], 1)
    return context.get_dummy_value()


def filling(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Equal bytes to an array."""
    cgutils.memset(builder, _address(context, builder, sig.args[0], args[0], args[1], _I8), args[2], args[3])
    return context.get_dummy_value()


def of_values(then: Callable[..., Any]) -> Build:
    """What needs the builder alone."""
    return lambda context, builder, sig, args: then(builder, *args)


def _splat(builder: Any, value: Any) -> Any:
    undefined = ir.Constant(ir.VectorType(value.type, WIDTH), ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_WORDS, [0] * WIDTH))


def _below(builder: Any, count: Any) -> Any:
    places = ir.Constant(_WORDS, list(range(WIDTH)))
    return builder.sext(builder.icmp_signed("<", places, _splat(builder, count)), _WORDS)


def _call(name: str, kind: Any) -> Callable[..., Any]:
    def call(builder: Any, *args: Any) -> Any:
        function = ir.FunctionType(kind, [kind] * len(args))
        return builder.call(cgutils.get_or_insert_function(builder.module, function, name), args)

    return call


def dotting(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The instruction made for it where there is one; else products of even and of odd bytes, whose sums LLVM knows too."""
    sums, unsigned, signed = args
    if "+avx512vnni" in context.codegen().magic_tuple()[2]:
        return _call("llvm.x86.avx512.vpdpbusd.512", _WORDS)(builder, sums, unsigned, signed)
    eight, low = (ir.Constant(_HALVES, [number] * 2 * WIDTH) for number in (8, 255))
    u, s = builder.bitcast(unsigned, _HALVES), builder.bitcast(signed, _HALVES)
    even = _pair_sums(builder, builder.and_(u, low), builder.ashr(builder.shl(s, eight), eight))
    odd = _pair_sums(builder, builder.lshr(u, eight), builder.ashr(s, eight))
    return builder.add(sums, builder.add(even, odd))


def _pair_sums(builder: Any, left: Any, right: Any) -> Any:
    products = builder.mul(builder.sext(left, _PAIRS), builder.sext(right, _PAIRS))
    undefined = ir.Constant(_PAIRS, ir.Undefined)
    every_second = [ir.Constant(_WORDS, list(range(first, 2 * WIDTH, 2))) for first in (0, 1)]
    return builder.add(*(builder.shuffle_vector(products, undefined, places) for places in every_second))


def _bound(order: str) -> Callable[..., Any]:
    def build(builder: Any, x: Any, y: Any) -> Any:
        compare = builder.fcmp_ordered if x.type == _REALS else builder.icmp_signed
        return builder.select(compare(order, x, y), x, y)

    return build


def _has_negative(builder: Any, x: Any) -> Any:
    signs = builder.bitcast(builder.icmp_signed("<", x, ir.Constant(_WORDS, [0] * WIDTH)), _I16)
    return builder.icmp_unsigned("!=", signs, ir.Constant(_I16, 0))


def _unless_nan(builder: Any, value: Any, x: Any, of_nan: Any) -> Any:
    return builder.select(builder.fcmp_unordered("uno", x, x), of_nan, value)


loading_words = _loading(_WORDS, _same)
loading_signed = _loading(_BYTES, lambda builder, x: builder.sext(x, _WORDS))
loading_unsigned = _loading(_BYTES, lambda builder, x: builder.zext(x, _WORDS))
loading_one = _loading(_I32, _splat)
storing_words = _storing(_WORDS, _same)
storing_bytes = _storing(_BYTES, lambda builder, x: builder.trunc(x, _BYTES))
spreading = of_values(_splat)
counting_lanes = of_values(_below)
taking_smaller = of_values(_bound("<"))
taking_larger = of_values(_bound(">"))
testing_signs = of_values(_has_negative)
choosing_nan = of_values(_unless_nan)
converting_words = of_values(lambda builder, x: builder.sitofp(x, _REALS))
converting_reals = of_values(lambda builder, x: builder.fptosi(x, _WORDS))
taking_bits = of_values(lambda builder, x: builder.bitcast(x, _REALS if x.type == _WORDS else _WORDS))
rounding = of_values(_call("llvm.rint.v16f32", _REALS))
fusing = of_values(_call("llvm.fma.v16f32", _REALS))
