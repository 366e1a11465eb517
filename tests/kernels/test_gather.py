"""Gathers by index maps against NumPy; the maps of Pad and Resize against ONNX Runtime."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from accelkit.isa.machine import Machine
from accelkit.kernels.gather import MOST_COPIES, axis_maps, plan_gather
from accelkit.kernels.launch import run_plan
from accelkit.kernels.plan import Plan, Refusal
from accelkit.simulator import Session
from tests.kernels.machines import NAMED, PRESETS, machines
from tests.reference.onnx_op import open_session
from tests.reference.quantised import Array

PAD_MODES = ("edge", "reflect", "wrap")
SEEDS = st.integers(0, 2**32 - 1)


def check(machine: Machine, shape: tuple[int, ...], maps: list[list[int]], seed: int = 0) -> Plan:
    """The plan gives x[np.ix_(*maps)]; every fault, race and leaked token raises."""
    plan = plan_gather(machine, shape, maps)
    assert isinstance(plan, Plan)
    x = np.random.default_rng(seed).integers(0, 256, shape, np.uint8)
    y, _ = run_plan(Session(machine), plan, {"x": x})
    np.testing.assert_array_equal(y, x[np.ix_(*maps)])
    return plan


def padded(size: int, pads: tuple[int, int], mode: str) -> list[int]:
    """The index map of a padded axis."""
    modes: dict[str, Any] = {"mode": mode}
    return [int(i) for i in np.pad(range(size), pads, **modes)]


@settings(max_examples=60)
@given(machine=machines().filter(lambda m: m.scratchpad_rows >= 3), seed=SEEDS, data=st.data())
def test_any_maps(machine: Machine, seed: int, data: st.DataObject) -> None:
    """Up to three axes, each whole, padded, resized, or with indices in no order at all."""
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, 12)) for _ in range(rank))
    maps = []
    for size in shape:
        kind = data.draw(st.sampled_from(["whole", "edge", "wrap", "resize", "any"]))
        if kind == "whole":
            maps.append(list(range(size)))
        elif kind == "resize":
            out = data.draw(st.integers(1, 20))
            maps.append([i * size // out for i in range(out)])
        elif kind == "any":
            maps.append(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=6)))
        else:
            pads = data.draw(st.integers(0, size)), data.draw(st.integers(0, size))
            maps.append(padded(size, pads, kind))
    assume(isinstance(plan_gather(machine, shape, maps), Plan))
    check(machine, shape, maps, seed)


@pytest.mark.parametrize("machine", NAMED, ids=lambda machine: machine.name)
@pytest.mark.parametrize("mode", PAD_MODES)
def test_pads(machine: Machine, mode: str) -> None:
    """An image padded by two pixels on each side, in each mode: nine copies, or six axis by axis."""
    indices = padded(9, (2, 2), mode)
    plan = check(machine, (1, 9, 9, 5), [[0], indices, indices, list(range(5))])
    assert len(plan.steps) <= 9


def test_resize_by_a_fraction() -> None:
    """12 to 18 pixels: a copy for each phase of 3/2, however many pixels there are; a whole factor is one copy."""
    indices = [2 * i // 3 for i in range(18)]
    assert len(check(PRESETS[0], (12, 6), [indices, list(range(6))]).steps) == 3
    assert len(check(PRESETS[0], (12, 6), [[i // 3 for i in range(36)], list(range(6))]).steps) == 1


def run_model(node: str, x: Array, inputs: dict[str, Array], **attributes: str) -> Array:
    """ONNX Runtime's result of one node of opset 19."""
    names = ["x", *(name if value.size else "" for name, value in inputs.items())]
    graph = helper.make_graph(
        [helper.make_node(node, names, ["y"], **attributes)],
        "one",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)],
        [
            helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape, value)
            for name, value in inputs.items()
            if value.size
        ],
    )
    graph.output[0].CopyFrom(helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(x.dtype), None))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return np.asarray(open_session(model.SerializeToString()).run(None, {"x": x})[0])


@pytest.mark.parametrize("mode", PAD_MODES)
@pytest.mark.parametrize("pads", [(0, 3), (4, 4), (2, -2), (-1, 2)], ids=str)
def test_pad(mode: str, pads: tuple[int, int]) -> None:
    """ONNX Runtime's Pad of an image in each mode, cut off where pads are negative."""
    x = np.arange(1 * 3 * 7 * 5, dtype=np.int32).reshape(1, 3, 7, 5)
    elements = run_model("Pad", x, {"pads": np.array([0, 0, *pads, 0, 0, 1, 2], np.int64)}, mode=mode)
    maps = axis_maps(elements, x.shape)
    assert isinstance(maps, list)
    np.testing.assert_array_equal(x[np.ix_(*maps)], elements)
    check(PRESETS[1], x.shape, maps)


@pytest.mark.parametrize("coordinates", ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_resize(coordinates: str, rounding: str) -> None:
    """ONNX Runtime's Resize to the nearest, up and down, in each way to round."""
    x = np.arange(2 * 3 * 6 * 10, dtype=np.int32).reshape(2, 3, 6, 10)
    inputs = {"roi": np.zeros(0, np.float32), "scales": np.zeros(0, np.float32), "sizes": np.array([2, 3, 9, 7])}
    modes = {"mode": "nearest", "coordinate_transformation_mode": coordinates, "nearest_mode": rounding}
    elements = run_model("Resize", x, inputs, **modes)
    maps = axis_maps(elements, x.shape)
    assert isinstance(maps, list)
    np.testing.assert_array_equal(x[np.ix_(*maps)], elements)
    check(PRESETS[1], x.shape, maps)


def test_refusals() -> None:
    """What can't be gathered is refused with its reason."""
    rng = np.random.default_rng(0)
    anywhere = [rng.permutation(200).tolist(), rng.permutation(200).tolist()]
    too_many = Refusal(f"index maps with too many pieces; a plan has at most {MOST_COPIES} copies")
    assert plan_gather(PRESETS[0], (200, 200), anywhere) == too_many
    assert plan_gather(PRESETS[0], (3,), [[0, 3]]) == Refusal("indices 0..3 of axis 0, which has 3")
    assert plan_gather(PRESETS[0], (3,), [[]]) == Refusal("an empty tensor: gather gives [0]")
    assert axis_maps(np.array([[0, 1], [3, 2]]), (2, 2)) == Refusal("indices of axis 1 that depend on other axes")
    assert axis_maps(np.zeros((0, 2), np.int64), (2, 2)) == Refusal("a result [0, 2] of [2, 2]")
