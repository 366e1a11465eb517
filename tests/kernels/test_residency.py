"""Convolutions whose activations stay in the scratchpad: frames are written into it and read from it by the test itself."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.conv2d_geometry import resident_views
from accelkit.kernels.conv2d_tiles import conv2d_tilings
from accelkit.kernels.launch import place
from accelkit.kernels.plan import Plan, Quantised
from accelkit.kernels.residency import Frame, Stays
from accelkit.simulator import Session
from tests.kernels.machines import PRESETS, machines
from tests.kernels.operands import Operands, expected
from tests.kernels.test_conv2d import case_of, geometries
from tests.kernels.test_epilogue import SEEDS, composed, draw_epilogue
from tests.reference.quantised import Array, Window, conv2d_nhwc


def rows_of(machine: Machine, tensor: Array, frame: Frame, border: int) -> Array:
    """The scratchpad rows of a frame that holds a tensor [1, height, width, channels]; lanes past the last channel hold anything."""
    _, height, width, channels = tensor.shape
    blocks = -(-channels // machine.lanes)
    rows = np.full((blocks, frame.height, frame.width, machine.lanes), border, tensor.dtype)
    padded = np.full((height, width, blocks * machine.lanes), 77, tensor.dtype)
    padded[:, :, :channels] = tensor[0]
    by_block = padded.reshape(height, width, blocks, machine.lanes).transpose(2, 0, 1, 3)
    rows[:, frame.top : frame.top + height, frame.left : frame.left + width] = by_block
    return rows.reshape(-1, machine.lanes).view(np.uint8)


def put(session: Session, first: int, rows: Array) -> None:
    """Writes scratchpad rows, as an earlier launch would have."""
    session.memories.scratchpad[first : first + len(rows)] = rows
    session.shadow.scratchpad_written[first : first + len(rows)] = True


def draw_frame(operands: Operands, size: tuple[int, int], pads: tuple[int, ...], border: int = 0) -> Frame:
    """A frame with room for the pads and, in half of the cases, more."""
    more = operands.rng.integers(0, 3, 4) * operands.rng.integers(0, 2)
    top, left, bottom, right = (int(pad + extra) for pad, extra in zip(pads, more, strict=True))
    return Frame(0, top + size[0] + bottom, left + size[1] + right, top, left, border)


def in_banks(machine: Machine, frames: dict[str, tuple[Frame, int]]) -> Stays | None:
    """The frames, with their channels, in the highest banks, none in the bank of another; None if they don't fit."""
    banks, placed = machine.scratchpad_banks, {}
    for name, (frame, channels) in frames.items():
        banks -= -(-frame.block_rows * -(-channels // machine.lanes) // machine.scratchpad_bank_rows)
        placed[name] = replace(frame, first=banks * machine.scratchpad_bank_rows)
    return Stays(**placed, free_banks=banks) if banks > 0 else None


@settings(max_examples=200)
@given(
    machine=machines(),
    geometry=geometries(largest_pad=2),
    seed=SEEDS,
    tiling=st.integers(-1, 300),
    kinds=st.sampled_from(["x", "y", "xy"]),
    then=st.sampled_from(["", "", "table", "sum"]),
)
@example(  # rows of y that a stride keeps apart in x
    machine=PRESETS[0],
    geometry=((1, 3, 2, 1), (1, 1, 1, 1), Window((2, 2))),
    seed=0,
    tiling=0,
    kinds="y",
    then="",
)
def test_convolutions(
    machine: Machine,
    geometry: tuple[tuple[int, ...], tuple[int, ...], Window],
    seed: int,
    tiling: int,
    kinds: str,
    then: str,
) -> None:
    """Any convolution of one image (depthwise ones too), x or y or both in frames with any borders, with a table, a sum (its residual
    beside y) or nothing behind it, on any machine: 0 differences, in the result and in its border; no other row above the free banks
    changes."""
    (_, *x_rest), w_shape, window = geometry
    groups = window.groups if w_shape[1] == 1 and window.groups == w_shape[0] else 1
    window = replace(window, groups=groups)
    x_shape = (1, x_rest[0], x_rest[1], w_shape[1] * groups)
    operands = Operands(np.random.default_rng(seed))
    x_kind, w_kind = operands.kind(), operands.kind()
    x, w = operands.tensor(x_kind, *x_shape), operands.tensor(w_kind, *w_shape)
    y = operands.requantisation(w_shape[0], int(np.prod(w_shape[1:])))
    case = case_of(x, w, window, x_kind, w_kind.zero_point, y)
    _, *y_size, outputs = case.y_shape
    residual: Array | None = None
    if then:
        epilogue, residual = draw_epilogue(operands, y, case.y_shape, then == "table")
        case = replace(case, epilogue=epilogue)
    frames = {}
    if "x" in kinds:
        frames["x"] = (draw_frame(operands, x_shape[1:3], window.pads), x_shape[3])
    if "y" in kinds:
        border = operands.tensor(Quantised(case.y.dtype), 1)[0]
        frame = draw_frame(operands, (y_size[0], y_size[1]), (0, 0, 0, 0), int(border))
        frames["y"] = (Frame(0, y_size[0], y_size[1]) if groups > 1 else frame, outputs)
        if residual is not None:
            frames["residual"] = frames["y"]
    stays = in_banks(machine, frames)
    assume(stays is not None)
    assert stays is not None
    plan = _plan(machine, case, stays, tiling)
    assume(isinstance(plan, Plan))
    assert isinstance(plan, Plan)
    session = Session(machine)
    if stays.x:
        put(session, stays.x.first, rows_of(machine, x, stays.x, x_kind.zero_point))
    if stays.residual and residual is not None:
        put(session, stays.residual.first, rows_of(machine, residual, stays.residual, 5))
    before = session.memories.scratchpad.copy()
    placed = place(session, plan, "node")
    if not stays.x:
        placed.write("x", x)
    if residual is not None and not stays.residual:
        placed.write("residual", residual)
    placed.launch()
    want = expected(conv2d_nhwc(x, w, window, x_kind.zero_point, w_kind.zero_point), y)
    if case.epilogue:
        want = composed(want, case.epilogue, residual)
    if not stays.y:
        np.testing.assert_array_equal(placed.read(), want)
        return
    blocks = -(-outputs // machine.lanes)
    rows = session.memories.scratchpad[stays.y.first :][: blocks * stays.y.block_rows].view(want.dtype)
    frame = rows.reshape(blocks, stays.y.height, stays.y.width, machine.lanes).transpose(1, 2, 0, 3)
    frame = frame.reshape(stays.y.height, stays.y.width, -1)[:, :, :outputs]
    full = np.full(frame.shape, stays.y.border).astype(want.dtype)
    full[stays.y.top :, stays.y.left :][: y_size[0], : y_size[1]] = want[0]
    np.testing.assert_array_equal(frame, full)
    before[stays.y.first :][: blocks * stays.y.block_rows] = session.memories.scratchpad[stays.y.first :][: blocks * stays.y.block_rows]
    kept = (stays.free_banks or 0) * machine.scratchpad_bank_rows
    np.testing.assert_array_equal(session.memories.scratchpad[kept:], before[kept:])


def _plan(machine: Machine, case: Conv2dCase, stays: Stays, tiling: int) -> object:
    view, _ = next(resident_views(machine, case, stays))
    tilings = list(conv2d_tilings(machine, view.geometry))
    is_depthwise = case.groups > 1
    if tiling < 0 or is_depthwise:
        return plan_conv2d(machine, case, stays=stays)
    return plan_conv2d(machine, case, tilings[tiling % len(tilings)], stays=stays)
