"""What a product's kernel does with a requantised tile before it leaves the scratchpad: a table, or the sum with a residual."""

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Any

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.dma_cost import dma_cycles
from accelkit.kernels.elementwise import PairCase, pair_problem, pair_values, table_buffer
from accelkit.kernels.elementwise_tiles import TABLE_BYTES
from accelkit.kernels.plan import Buffer, ByteArray, Place, Requantisation

IS_SERIAL, LOOKUP, SUM, IS_U8, PRODUCT_IS_RIGHT, LOADS_RESIDUAL = 1, 2, 4, 8, 16, 32  # bits of `ending` in the kernels,
Y_STAYS, X_STAYS = 64, 128  # and of conv2d and window alone
LOOKUP_STAGES, SUM_STAGES = 2, 8  # of the vector unit's pipeline
SPECIAL_SCALARS, SUM_SCALARS = 60, 40  # cycles of scalar instructions of such an end, and of a sum besides, counted in asm/*.s
SYNCS = 2  # of the vector unit at the end of a tile that isn't plain
NO_SUM = dict.fromkeys(("left_scale", "right_scale", "offset", "sum_min", "sum_max"), 0)


@dataclass(frozen=True)
class Table:
    """The result is `table[y]`, the index the 8 bits of a byte of the requantised product; its type is that of the 256 entries."""

    table: ByteArray


@dataclass(frozen=True)
class Residual:
    """The result is the sum `pair` of the requantised product, its left operand or its right one, and a tensor of the same shape and
    layout, buffer "residual". Shapes of `pair` are that shape, twice."""

    pair: PairCase
    product_is_left: bool = True


Epilogue = Table | Residual


class Kind(Enum):
    """All of an epilogue that tilings and their costs depend on."""

    NONE = "none"
    TABLE = "table"
    SUM = "sum"


def kind_of(epilogue: Epilogue | None) -> Kind:
    """The kind of an epilogue."""
    if epilogue is None:
        return Kind.NONE
    return Kind.TABLE if isinstance(epilogue, Table) else Kind.SUM


def epilogue_problem(y: Requantisation, nbytes: int, epilogue: Epilogue | None) -> str | None:
    """Why the kernel can't do it behind a product `y` of `nbytes` bytes, None if it can. ValueError if the two don't fit together."""
    if epilogue is None:
        return None
    if isinstance(epilogue, Table):
        table_buffer("table", epilogue.table)  # has it 256 entries?
        return None
    pair = epilogue.pair
    product = pair.left if epilogue.product_is_left else pair.right
    if (np.dtype(product.dtype), product.zero_point) != (np.dtype(y.dtype), y.zero_point):
        raise ValueError(f"the sum takes {product}, the product is {np.dtype(y.dtype)} with zero point {y.zero_point}")
    if pair.is_product:
        return "a product of tensors as an epilogue; the kernels have sums"
    if pair.left_shape != pair.right_shape or prod(pair.left_shape) != nbytes:
        return f"a residual sum of {list(pair.left_shape)} and {list(pair.right_shape)}, which broadcasts"
    return pair_problem(pair)


def epilogue_dtype(y: Requantisation, epilogue: Epilogue | None) -> np.dtype[Any]:
    """Type of the result."""
    if isinstance(epilogue, Table):
        return np.dtype(epilogue.table.dtype)
    return np.dtype(y.dtype if epilogue is None else epilogue.pair.y.dtype)


def epilogue_values(epilogue: Epilogue | None) -> tuple[int, dict[str, int]]:
    """The bits of `ending` and the value arguments of a kernel, but for regions."""
    if epilogue is None:
        return 0, NO_SUM
    if isinstance(epilogue, Table):
        return LOOKUP, NO_SUM
    values = pair_values(epilogue.pair)
    names = {"left_scale": "left_scale", "right_scale": "right_scale", "offset": "offset", "sum_min": "y_min", "sum_max": "y_max"}
    ending = SUM + LOADS_RESIDUAL + IS_U8 * epilogue.pair.left.is_unsigned + PRODUCT_IS_RIGHT * (not epilogue.product_is_left)
    return ending, {name: values[source] for name, source in names.items()}


def epilogue_buffers(epilogue: Epilogue | None, nbytes: int) -> tuple[Buffer, ...]:
    """The DRAM buffer of table or residual, if any, for a result of `nbytes` bytes."""
    if isinstance(epilogue, Table):
        return (table_buffer("table", epilogue.table),)
    return (Buffer("residual", nbytes),) if epilogue else ()


def epilogue_place(epilogue: Epilogue | None, other: str) -> Place:
    """Where the kernel's argument `extra` points to; `other` is a buffer that is there in any case."""
    return Place("table" if isinstance(epilogue, Table) else "residual" if epilogue else other)


def extra_rows(machine: Machine, epilogue: Kind, outputs: int) -> int:
    """Scratchpad rows of the table, or of both halves of the residual, where a half of the outputs has `outputs`."""
    if epilogue is Kind.TABLE:
        return -(-TABLE_BYTES // machine.lanes)
    return 2 * outputs if epilogue is Kind.SUM else 0


def epilogue_cycles(machine: Machine, epilogue: Kind, rows: int) -> int:
    """Cycles of the vector unit for a tile of `rows` rows."""
    if epilogue is Kind.TABLE:
        return extra_rows(machine, epilogue, 0) + rows + LOOKUP_STAGES
    return 2 * rows + SUM_STAGES if epilogue is Kind.SUM else 0


def epilogue_instructions(epilogue: Kind, at_once: int = 1) -> int:
    """Instructions of the vector unit in a tile that isn't plain, besides requantise; an epilogue takes `at_once` of them."""
    return SYNCS + (0 if epilogue is Kind.NONE else at_once)


def epilogue_scalars(epilogue: Kind) -> int:
    """Cycles of the sequencer in a tile that isn't plain, besides those of a plain one."""
    return SPECIAL_SCALARS + (SUM_SCALARS if epilogue is Kind.SUM else 0)


def residual_cycles(
    machine: Machine, epilogue: Kind, row_bytes: int, rows: int, pitch: int, planes: int = 1, plane_pitch: int = 0
) -> int:
    """Cycles of the load of a tile's residual."""
    if epilogue is Kind.SUM:
        return dma_cycles(machine, row_bytes, rows, pitch, planes, plane_pitch)
    return 0
