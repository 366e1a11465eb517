"""The cases that the kernels declare, as the planners give them. `python -m tests.lint.kernel_cases` writes them into kernels/asm/*.s.

Tiles are prescribed and small, so that a few hundred instructions go through every loop: several tiles (credits are taken more than
once), several steps along K or the channels, full and partial column blocks, both signs of every operand.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from accelkit.assembler import assemble
from accelkit.isa.machine import Machine, load_machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.conv2d_geometry import views
from accelkit.kernels.conv2d_tiles import Conv2dTiles
from accelkit.kernels.convert import ConvertCase, plan_dequantise, plan_quantise
from accelkit.kernels.depthwise import plan_depthwise
from accelkit.kernels.elementwise import PairCase, plan_lookup, plan_pair
from accelkit.kernels.epilogue import Epilogue, Residual, Table
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.gemm_tiles import GemmTiles
from accelkit.kernels.move import Axis, Fill, Move, move_step
from accelkit.kernels.plan import Buffer, Place, Plan, Quantised, Refusal, Requantisation
from accelkit.kernels.pooling import PoolCase, plan_pool
from accelkit.kernels.residency import NOTHING_STAYS, Frame, Stays
from accelkit.kernels.transpose import plan_matrix_transpose
from accelkit.kernels.window import WindowTiles

ASM = Path(__file__).parents[2] / "kernels" / "asm"
HEAD = "# " + "-" * 96 + " cases for the lint\n"
NOTE = "# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round\n"
LINE = 138


@dataclass(frozen=True)
class Planned:
    """A case's name, its machine (a preset or a file beside the kernel), and the plan for it."""

    name: str
    machine: str
    plan: Callable[[Machine], Plan | Refusal]
    is_kept: bool = False  # tensors lie in the scratchpad from earlier launches

    def on(self) -> tuple[Machine, Plan]:
        """The machine and the plan."""
        beside = ASM / self.machine
        machine = load_machine(beside if beside.is_file() else self.machine)
        plan = self.plan(machine)
        assert isinstance(plan, Plan), f"{self.name}: {plan}"
        return machine, plan


def _kind(is_unsigned: bool, zero_point: int) -> Quantised:
    return Quantised(np.uint8 if is_unsigned else np.int8, zero_point)


def epilogue_of(kind: str, shape: tuple[int, ...]) -> tuple[Requantisation, Epilogue | None]:
    """A requantisation and what follows it: nothing, "table", "sum", or "sum u8" (which has the product on the right)."""
    is_unsigned = kind == "sum u8"
    y = Requantisation(np.uint8 if is_unsigned else np.int8, 1 if is_unsigned else -1, 0.01)
    if kind == "table":
        return y, Table(np.arange(255, -1, -1).astype(np.uint8))
    if not kind:
        return y, None
    product, other = _kind(is_unsigned, y.zero_point), _kind(is_unsigned, 3)
    sides = (other, product) if is_unsigned else (product, other)
    return y, Residual(PairCase(shape, shape, *sides, _kind(is_unsigned, 2), 0.5, 0.25, 0.75), not is_unsigned)


def gemm(
    name: str,
    machine: str,
    sizes: tuple[int, int, int],
    tiles: tuple[int, int, int],
    signs: str,
    is_packed: bool = False,
    epilogue: str = "",
) -> Planned:
    """A product of `sizes` (M, N, K) in `tiles` (rows, column blocks, depth); `signs` are those of b and a, as in the kernel."""
    b_kind, a_kind = _kind(signs[0] == "u", 3), _kind(signs[1] == "u", 5)
    M, N, K = sizes

    def plan(machine: Machine) -> Plan | Refusal:
        constant = np.ones((K, N), np.int8) if is_packed else None
        y, then = epilogue_of(epilogue, (M, N))
        return plan_gemm(machine, GemmCase(M, N, K, a_kind, b_kind, y, constant, epilogue=then), GemmTiles(*tiles))

    return Planned(name, machine, plan)


def conv2d(
    name: str,
    machine: str,
    x_shape: tuple[int, int, int, int],
    weights: tuple[int, int, int, int],
    tiles: tuple[int, int, int, int],
    is_unsigned: bool = False,
    strides: tuple[int, int] = (1, 1),
    pads: tuple[int, int, int, int] = (0, 0, 0, 0),
    dilations: tuple[int, int] = (1, 1),
    groups: int = 1,
    epilogue: str = "",
    stays: Stays = NOTHING_STAYS,
) -> Planned:
    """A convolution in `tiles` (height, width, column blocks, channels), as it is (no windows)."""

    def plan(machine: Machine) -> Plan | Refusal:
        kind = _kind(is_unsigned, 4)
        y, _ = epilogue_of(epilogue, ())
        case = Conv2dCase(x_shape, kind, np.ones(weights, np.int8), 2, y, strides, pads, dilations, groups)
        case = replace(case, epilogue=epilogue_of(epilogue, case.y_shape)[1])
        return plan_conv2d(machine, case, Conv2dTiles(*tiles), next(views(machine, case)), stays)

    return Planned(name, machine, plan, stays.is_any())


def move(name: str, machine: str, axes: tuple[Axis, ...], nbytes: int, fill: Fill | None = None) -> Planned:
    """A copy to the start of its destination."""

    def plan(machine: Machine) -> Plan | Refusal:
        src, dst = (
            max(0, nbytes + sum((axis.count - 1) * pitch for axis, pitch in zip(axes, pitches, strict=True)))
            for pitches in ([axis.src_pitch for axis in axes], [axis.dst_pitch for axis in axes])
        )
        dst = max(dst, fill.offset + (fill.rows - 1) * fill.row_pitch + fill.nbytes if fill else 0)
        step = move_step(machine, Move(Place("src"), Place("dst"), dst, axes, nbytes, fill))
        if isinstance(step, Refusal):
            return step
        buffers = (Buffer("src", max(1, src)), Buffer("dst", dst, is_writable=True))
        return Plan("move", machine, buffers, (step,), "dst", (dst,), np.dtype(np.uint8), 0, 0, "")

    return Planned(name, machine, plan)


def depthwise(
    name: str,
    machine: str,
    x_shape: tuple[int, int, int, int],
    size: int,
    tiles: tuple[int, int, int],
    is_unsigned: bool = False,
    pad: int | None = None,
    epilogue: str = "",
    stays: Stays = NOTHING_STAYS,
) -> Planned:
    """A depthwise convolution, stride 1, in `tiles` (height, width, channel blocks)."""

    def plan(machine: Machine) -> Plan | Refusal:
        weights, pads = (
            np.ones((x_shape[3], 1, size, size), np.int8),
            (size // 2 if pad is None else pad,) * 4,
        )
        y, then = epilogue_of(epilogue, ())
        case = Conv2dCase(x_shape, _kind(is_unsigned, 4), weights, 2, y, (1, 1), pads, groups=x_shape[3], epilogue=then)
        return plan_depthwise(machine, case, WindowTiles(*tiles), stays)

    return Planned(name, machine, plan, stays.is_any())


def pool(name: str, machine: str, case: PoolCase) -> Planned:
    """Pooling in one launch, in the planner's tiles."""
    return Planned(name, machine, lambda machine: plan_pool(machine, case))


def lookup(name: str, machine: str, nbytes: int) -> Planned:
    """A table for so many bytes."""
    return Planned(
        name, machine, lambda machine: plan_lookup(machine, (nbytes,), np.arange(256).astype(np.uint8))
    )


def pair(
    name: str,
    machine: str,
    is_product: bool,
    is_unsigned: bool,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> Planned:
    """A sum or a product."""
    kinds = [_kind(is_unsigned, zero_point) for zero_point in (3, 4, 5)]
    case = PairCase(*shapes, *kinds, 0.5, 0.25, 0.75, is_product=is_product)
    return Planned(name, machine, lambda machine: plan_pair(machine, case))


def convert(name: str, machine: str, elements: int, is_unsigned: bool = False, is_back: bool = False) -> Planned:
    """Binary32 numbers to 8 bits, or back."""
    case = ConvertCase((elements,), _kind(is_unsigned, 3), 0.5)
    return Planned(name, machine, lambda machine: (plan_dequantise if is_back else plan_quantise)(machine, case))


def transpose(name: str, machine: str, items: int, rows: int, columns: int) -> Planned:
    """Matrices of bytes."""
    return Planned(name, machine, lambda machine: plan_matrix_transpose(machine, items, rows, columns))


CASES: dict[str, tuple[Planned, ...]] = {
    "gemm": (
        gemm("edge_ss", "edge-16", (45, 70, 90), (15, 2, 32), "ss", is_packed=True),
        gemm("edge_su", "edge-16", (45, 20, 90), (15, 1, 32), "su"),
        gemm("tiny_us", "tiny-8", (20, 30, 40), (7, 2, 16), "us"),
        gemm("tiny_uu", "tiny-8", (20, 30, 40), (7, 2, 8), "uu"),
        gemm("tiny_one_step", "tiny-8", (20, 30, 11), (7, 2, 11), "uu"),
        gemm("tiny_wide", "tiny-8", (10, 40, 6), (5, 3, 6), "su"),
        gemm("odd_wide", "odd-6.toml", (13, 17, 5), (5, 3, 5), "ss", is_packed=True),
        gemm("odd_ss", "odd-6.toml", (20, 15, 20), (5, 2, 12), "ss"),
        gemm("serial_us", "serial-4.toml", (9, 10, 11), (3, 2, 4), "us"),
        gemm("edge_table", "edge-16", (45, 70, 20), (15, 2, 20), "ss", is_packed=True, epilogue="table"),
        gemm("tiny_sum", "tiny-8", (20, 30, 11), (7, 2, 8), "ss", epilogue="sum"),
        gemm("odd_sum", "odd-6.toml", (13, 17, 5), (5, 3, 5), "ss", is_packed=True, epilogue="sum u8"),
        gemm("serial_sum", "serial-4.toml", (9, 10, 11), (3, 2, 4), "us", epilogue="sum"),
    ),
    "conv2d": (
        conv2d("edge_3x3", "edge-16", (1, 9, 9, 40), (40, 40, 3, 3), (4, 4, 2, 32), pads=(1, 1, 1, 1)),
        conv2d(
            "edge_stride",
            "edge-16",
            (2, 9, 9, 5),
            (20, 5, 3, 3),
            (3, 3, 1, 5),
            is_unsigned=True,
            strides=(2, 2),
            pads=(1, 1, 1, 1),
        ),
        conv2d("tiny_1x1", "tiny-8", (1, 6, 6, 20), (20, 20, 1, 1), (1, 12, 2, 8), is_unsigned=True),
        conv2d(
            "tiny_3x2",
            "tiny-8",
            (2, 7, 7, 11),
            (12, 11, 3, 2),
            (3, 3, 1, 8),
            is_unsigned=True,
            pads=(1, 0, 1, 1),
        ),
        conv2d("tiny_wide", "tiny-8", (1, 5, 5, 6), (20, 6, 1, 1), (1, 7, 3, 6)),
        conv2d("odd_3x3", "odd-6.toml", (1, 7, 7, 8), (9, 8, 3, 3), (2, 3, 1, 6), pads=(1, 1, 1, 1)),
        conv2d(
            "tiny_groups",
            "tiny-8",
            (2, 7, 7, 20),
            (20, 10, 3, 3),
            (3, 3, 1, 8),
            pads=(2, 2, 2, 2),
            dilations=(2, 2),
            groups=2,
        ),
        conv2d("serial_2x2", "serial-4.toml", (1, 5, 5, 5), (6, 5, 2, 2), (2, 2, 1, 4), pads=(0, 1, 1, 0)),
        conv2d(
            "edge_table", "edge-16", (1, 9, 9, 20), (40, 20, 3, 3), (4, 4, 2, 20), pads=(1, 1, 1, 1), epilogue="table"
        ),
        conv2d("tiny_sum", "tiny-8", (1, 7, 7, 11), (20, 11, 3, 3), (3, 3, 2, 8), pads=(1, 1, 1, 1), epilogue="sum"),
        conv2d("odd_sum", "odd-6.toml", (1, 7, 7, 6), (14, 6, 1, 1), (1, 11, 2, 6), epilogue="sum u8"),
        conv2d(
            "tiny_stays",
            "tiny-8",
            (1, 5, 5, 20),
            (20, 20, 3, 3),
            (3, 2, 2, 8),
            pads=(1, 1, 1, 1),
            stays=Stays(x=Frame(2048, 7, 7, 1, 1), y=Frame(3072, 8, 9, 2, 1), free_banks=4),
        ),
        conv2d(
            "tiny_x_stays",
            "tiny-8",
            (1, 5, 5, 20),
            (20, 20, 1, 1),
            (1, 9, 2, 16),
            epilogue="table",
            stays=Stays(x=Frame(2048, 5, 5), free_banks=4),
        ),
        conv2d(
            "tiny_sum_stays",
            "tiny-8",
            (1, 5, 5, 8),
            (20, 8, 1, 1),
            (2, 5, 2, 8),
            epilogue="sum",
            stays=Stays(y=Frame(2560, 7, 7, 1, 1), residual=Frame(3072, 7, 7, 1, 1), free_banks=5),
        ),
        conv2d(
            "tiny_sum_stays_u8",
            "tiny-8",
            (1, 5, 5, 8),
            (20, 8, 1, 1),
            (1, 13, 1, 8),
            epilogue="sum u8",
            stays=Stays(Frame(2048, 5, 5), Frame(2560, 5, 5), Frame(3072, 5, 5), free_banks=4),
        ),
        conv2d("serial_sum", "serial-4.toml", (1, 5, 5, 5), (6, 5, 2, 2), (2, 2, 1, 4), epilogue="sum"),
    ),
    "move": (
        move(
            "edge_copy",
            "edge-16",
            (Axis(3, 700, 600), Axis(20, 35, 30)),
            30,
            Fill(100, 20, 7, rows=3, row_pitch=700),
        ),
        move("tiny_permute", "tiny-8", (Axis(2, 400, 400), Axis(20, 1, 20), Axis(20, 20, 1)), 1),
        move("serial_fill", "serial-4.toml", (Axis(0, 1, 1),), 1, Fill(3, 5, 9, rows=4, row_pitch=8)),
        move("serial_repeat", "serial-4.toml", (Axis(50, 33, 66), Axis(2, 0, 33)), 33),
    ),
    "window": (
        depthwise("edge_3x3", "edge-16", (1, 9, 9, 40), 3, (4, 4, 2)),
        depthwise("tiny_5x5", "tiny-8", (2, 7, 7, 20), 5, (3, 3, 1), is_unsigned=True),
        depthwise("tiny_padding", "tiny-8", (1, 3, 3, 8), 1, (2, 2, 1), pad=2),
        depthwise("serial_3x3", "serial-4.toml", (1, 5, 5, 6), 3, (2, 3, 1)),
        depthwise("tiny_table", "tiny-8", (1, 7, 7, 20), 3, (3, 3, 2), epilogue="table"),
        depthwise(
            "tiny_stays",
            "tiny-8",
            (1, 5, 5, 20),
            3,
            (3, 2, 2),
            stays=Stays(Frame(2048, 7, 7, 1, 1), Frame(3072, 5, 5), free_banks=4),
        ),
        depthwise(
            "tiny_table_stays", "tiny-8", (1, 5, 5, 20), 3, (3, 2, 2), epilogue="table", stays=Stays(y=Frame(3072, 5, 5))
        ),
        depthwise("serial_table", "serial-4.toml", (1, 5, 5, 6), 3, (2, 3, 1), epilogue="table"),
        pool("tiny_average", "tiny-8", PoolCase((3, 4, 4, 40), _kind(False, 3), (4, 4), is_average=True)),
        pool("tiny_average_u8", "tiny-8", PoolCase((3, 4, 4, 40), _kind(True, 3), (4, 4), is_average=True)),
        pool("tiny_maximum", "tiny-8", PoolCase((3, 8, 8, 20), _kind(False, 3), (2, 2), (2, 2))),
        pool(
            "odd_maximum_u8",
            "odd-6.toml",
            PoolCase((3, 9, 9, 20), _kind(True, 3), (3, 3), (2, 2), (1, 1, 1, 1)),
        ),
    ),
    "elementwise": (
        lookup("tiny_lookup", "tiny-8", 5000),
        lookup("serial_lookup", "serial-4.toml", 3000),
        pair("edge_add", "edge-16", False, False, ((5, 300), (5, 300))),
        pair("tiny_add_u8", "tiny-8", False, True, ((40, 3, 20), (40, 1, 20))),
        pair("odd_multiply", "odd-6.toml", True, False, ((40, 30), (30,))),
        pair("serial_multiply_u8", "serial-4.toml", True, True, ((9, 40), (40,))),
    ),
    "transpose": (
        transpose("edge_wide", "edge-16", 1, 50, 1200),
        transpose("tiny_items", "tiny-8", 3, 20, 30),
        transpose("odd_partial", "odd-6.toml", 1, 130, 20),
    ),
    "convert": (
        convert("edge_quantise", "edge-16", 5000),
        convert("odd_quantise_u8", "odd-6.toml", 1000, is_unsigned=True),
        convert("tiny_dequantise", "tiny-8", 2100, is_back=True),
        convert("serial_dequantise_u8", "serial-4.toml", 200, is_unsigned=True, is_back=True),
    ),
}


def without_cases(kernel: str) -> str:
    """The kernel's source without its cases."""
    text = (ASM / f"{kernel}.s").read_text()
    return re.sub(r"^\.case .*\n", "", text.replace(HEAD, "").replace(NOTE, ""), flags=re.MULTILINE)


def case_lines(kernel: str) -> str:
    """The `.case` lines of a kernel."""
    bare = assemble(without_cases(kernel), f"{kernel}.s")  # cases of an older argument block would be errors
    names = [argument.name for argument in bare.arguments]
    lines = []
    for case in CASES[kernel]:
        values = case.on()[1].values
        settings = [
            f"machine={case.machine}",
            *(f"{name}={values[name]}" for name in names if name in values),
            *(["kept=1"] if case.is_kept else []),
        ]
        line = f".case {case.name}"
        for setting in settings:
            if len(line) + len(setting) + 2 > LINE:
                lines.append(line)
                line = f".case {case.name}"
            line += f", {setting}"
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def with_cases(kernel: str) -> str:
    """The kernel's source with its cases."""
    return f"{without_cases(kernel).rstrip()}\n\n{HEAD}{NOTE}{case_lines(kernel)}"


if __name__ == "__main__":
    for kernel in CASES:
        (ASM / f"{kernel}.s").write_text(with_cases(kernel))
