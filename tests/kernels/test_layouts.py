"""Layout operations by the move kernel against NumPy."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accelkit.isa.machine import Machine
from accelkit.kernels.launch import run_plan
from accelkit.kernels.layouts import (
    plan_concat,
    plan_depth_to_space,
    plan_pad,
    plan_repeat,
    plan_slice,
    plan_space_to_depth,
    plan_tile,
    plan_transpose,
)
from accelkit.kernels.permute import plan_permute
from accelkit.kernels.plan import Plan, Refusal
from accelkit.kernels.transpose import plan_matrix_transpose
from accelkit.simulator import Session
from tests.kernels.machines import PRESETS, machines
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array

SHAPES = st.lists(st.one_of(st.integers(1, 4), st.integers(1, 20)), min_size=1, max_size=4).map(tuple)
SEEDS = st.integers(0, 2**32 - 1)


def tensor(seed: int, shape: tuple[int, ...]) -> Array:
    """Random bytes."""
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def check(machine: Machine, plan: Plan | Refusal, want: Array, **inputs: Array) -> None:
    """The plan's result equals `want`; every fault, race and leaked token raises."""
    assert isinstance(plan, Plan), plan
    result, launch = run_plan(Session(machine), plan, inputs)
    np.testing.assert_array_equal(result, want)
    for classes in launch.units.values():
        assert sum(classes.values()) == launch.cycles


def fits(machine: Machine) -> bool:
    """A copy needs two halves and a row for the fill."""
    return machine.scratchpad_rows >= 3


@settings(max_examples=100)
@given(machine=machines().filter(fits), shape=SHAPES, seed=SEEDS, data=st.data())
def test_transpose(machine: Machine, shape: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    """Any permutation of up to four axes."""
    order = data.draw(st.permutations(range(len(shape))))
    x = tensor(seed, shape)
    check(machine, plan_transpose(machine, shape, order), x.transpose(order), x=x)


@settings(max_examples=60)
@given(machine=machines(), items=st.integers(1, 4), rows=st.integers(1, 120), columns=st.integers(1, 120), seed=SEEDS)
def test_matrix_transpose(machine: Machine, items: int, rows: int, columns: int, seed: int) -> None:
    """Matrices of any size on the array, on any machine with banks enough."""
    plan = plan_matrix_transpose(machine, items, rows, columns)
    assume(isinstance(plan, Plan))
    x = tensor(seed, (items, rows, columns))
    check(machine, plan, x.transpose(0, 2, 1), x=x)


@settings(max_examples=60)
@given(machine=machines(), rows=st.integers(1, 60), nbytes=st.integers(1, 60), seed=SEEDS)
def test_permute(machine: Machine, rows: int, nbytes: int, seed: int) -> None:
    """Bytes of rows in any order, as a product with a permutation matrix, exact for all 256 bytes."""
    order = [int(byte) for byte in np.random.default_rng(seed).permutation(nbytes)]
    plan = plan_permute(machine, rows, order)
    assume(isinstance(plan, Plan))
    x = tensor(seed, (rows, nbytes))
    check(machine, plan, x[:, order], x=x)


@settings(max_examples=100)
@given(machine=machines().filter(fits), shape=SHAPES, seed=SEEDS, data=st.data())
def test_concat(machine: Machine, shape: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    """Two to four tensors along any axis."""
    axis = data.draw(st.integers(0, len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(1, 20), min_size=2, max_size=4))
    shapes = [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]
    x = [tensor(seed + i, shape) for i, shape in enumerate(shapes)]
    want = np.concatenate(x, axis)
    check(machine, plan_concat(machine, shapes, axis), want, **{f"x{i}": part for i, part in enumerate(x)})


@settings(max_examples=50)
@given(machine=machines(), shape=SHAPES, seed=SEEDS, data=st.data())
def test_concat_through_tables(machine: Machine, shape: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    """Two to four tensors along any axis, some of them through a table of their own."""
    axis = data.draw(st.integers(0, len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(1, 20), min_size=2, max_size=4))
    shapes = [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]
    x = [tensor(seed + i, shape) for i, shape in enumerate(shapes)]
    tables = [tensor(seed + 9 + i, (256,)) if data.draw(st.booleans()) else None for i in range(len(x))]
    want = np.concatenate([part if table is None else table[part] for part, table in zip(x, tables, strict=True)], axis)
    plan = plan_concat(machine, shapes, axis, tables)
    assume(isinstance(plan, Plan))
    check(machine, plan, want, **{f"x{i}": part for i, part in enumerate(x)})


@settings(max_examples=100)
@given(machine=machines().filter(fits), shape=SHAPES, seed=SEEDS, data=st.data())
def test_slice(machine: Machine, shape: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    """Any slice of each axis, steps of both signs."""
    slices = [data.draw(st.slices(size)) for size in shape]
    x = tensor(seed, shape)
    want = x[tuple(slices)]
    plan = plan_slice(machine, shape, slices)
    if want.size:
        check(machine, plan, want, x=x)
    else:
        assert isinstance(plan, Refusal)


@settings(max_examples=100)
@given(machine=machines().filter(fits), shape=SHAPES, seed=SEEDS, value=st.integers(-128, 255), data=st.data())
def test_pad(machine: Machine, shape: tuple[int, ...], seed: int, value: int, data: st.DataObject) -> None:
    """Each axis with pads of its own, some of them negative."""
    pads = [(data.draw(st.integers(-2, 4)), data.draw(st.integers(-2, 4))) for _ in shape]
    x = tensor(seed, shape)
    kept = [slice(max(0, -before), size - max(0, -after)) for size, (before, after) in zip(shape, pads, strict=True)]
    plan = plan_pad(machine, shape, pads, value)
    if x[tuple(kept)].size == 0 or min(kept[i].stop - kept[i].start for i in range(len(shape))) < 1:
        assert isinstance(plan, Refusal)
        return
    wide = [(max(0, before), max(0, after)) for before, after in pads]
    want = np.pad(x[tuple(kept)], wide, constant_values=np.uint8(value % 256))
    check(machine, plan, want, x=x)


@settings(max_examples=60)
@given(machine=machines().filter(fits), shape=SHAPES, seed=SEEDS, data=st.data())
def test_repeat_and_tile(machine: Machine, shape: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    """Elements repeated in place, and the tensor repeated as a whole, along up to two axes."""
    repeated = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=0, max_size=2))
    times = [data.draw(st.integers(1, 3)) if axis in repeated else 1 for axis in range(len(shape))]
    x = tensor(seed, shape)
    want = x
    for axis, count in enumerate(times):
        want = np.repeat(want, count, axis)
    check(machine, plan_repeat(machine, shape, times), want, x=x)
    check(machine, plan_tile(machine, shape, times), np.tile(x, times), x=x)


@pytest.mark.parametrize("machine", PRESETS, ids=lambda machine: machine.name)
@pytest.mark.parametrize("block", [2, 3])
def test_space_and_depth(machine: Machine, block: int) -> None:
    """Space to depth and both modes of depth to space equal ONNX Runtime's."""
    x = tensor(1, (2, 2 * block, 4 * block, 5))
    nchw = np.ascontiguousarray(x.transpose(0, 3, 1, 2)).astype(np.float32)
    want = run_op("SpaceToDepth", nchw, [], np.float32, blocksize=block).transpose(0, 2, 3, 1)
    check(machine, plan_space_to_depth(machine, x.shape, block), want, x=x)
    x = tensor(2, (2, 3, 4, 7 * block * block))
    nchw = np.ascontiguousarray(x.transpose(0, 3, 1, 2)).astype(np.float32)
    for mode in ("DCR", "CRD"):
        want = run_op("DepthToSpace", nchw, [], np.float32, blocksize=block, mode=mode).transpose(0, 2, 3, 1)
        check(machine, plan_depth_to_space(machine, x.shape, block, mode == "CRD"), want, x=x)


def test_refusals() -> None:
    """What a move can't do is refused with its reason."""
    machine = PRESETS[0]
    assert plan_space_to_depth(machine, (1, 3, 4, 1), 2) == Refusal("an image of 3x4 pixels is not made of blocks of 2x2")
    assert plan_depth_to_space(machine, (1, 3, 4, 6), 2) == Refusal("6 channels are not made of 2x2 pixels")
    assert plan_pad(machine, (4,), [(-2, -2)], 0) == Refusal("padding [4] by [(-2, -2)] leaves nothing")
    assert plan_slice(machine, (4,), [slice(2, 2)]) == Refusal("an empty tensor: slice gives [0]")
    assert plan_tile(machine, (1 << 21,), [4]) == Refusal("buffers of 10485760 bytes, edge-16 has DRAM of 4194304")
    wide = (5, 5, 5, 5, 5, 5)
    assert plan_transpose(machine, wide, (5, 4, 3, 2, 1, 0)) == Refusal("a copy with 7 levels of strides; the kernel has 4")
    assert plan_permute(machine, 1, range(2000)) == Refusal("a permutation of 2000 bytes; a matrix for it has 1024 rows at most")
    assert plan_matrix_transpose(machine, 0, 4, 4) == Refusal("an empty tensor: 0 matrices of 4 x 4")
