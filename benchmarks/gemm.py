"""Speed of the simulator on square int8 products, values, cycles and all checks on: `python -m benchmarks.gemm`.

CPU seconds of a launch that is warm, beside ONNX Runtime's QLinearMatMul of the same operands on one thread in the same process, whose
result has to be the same. Costs of 512, 1024 and 2048 cubed should lie on a line; they follow instructions, of which a tiling that the
planner finds for one size may take fewer for a multiply-accumulate than that for another, so the three are measured with one tiling, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from accelkit.isa.machine import load_machine
from accelkit.kernels.gemm import GemmCase, plan_gemm
from accelkit.kernels.gemm_tiles import GemmTiles
from accelkit.kernels.launch import PlacedPlan, place
from accelkit.kernels.plan import Plan, Quantised, Requantisation
from accelkit.simulator import Session
from benchmarks.row import Row, least_first_seconds, least_seconds, print_rows

BARS = {"server-128": 0.06, "edge-16": 0.10}  # CPU seconds of 1024 cubed, at most
SIZES = (512, 1024, 2048)
SAME_TILES = {"server-128": GemmTiles(256, 4, 256), "edge-16": GemmTiles(64, 4, 128)}
LINE_BAR = 10  # percent off the line, at most
Matrix = npt.NDArray[np.int8]
# powers of two: the float32 product of both scales is exact on either side
A_SCALE, B_SCALE, Y_SCALE, A_ZERO, Y_ZERO = 2**-6, 2**-7, 2**-2, 5, 3


def operands(size: int) -> tuple[Matrix, Matrix]:
    """Seeded operands [size, size]."""
    a, b = np.random.default_rng(size).integers(-128, 128, (2, size, size)).astype(np.int8)
    return a, b


def plan_of(machine_name: str, b: Matrix, tiles: GemmTiles | None = None) -> Plan:
    """The product with these weights, with the planner's tiles or given ones."""
    machine, size = load_machine(machine_name), len(b)
    y = Requantisation(np.int8, Y_ZERO, np.float32(A_SCALE * B_SCALE / Y_SCALE))
    plan = plan_gemm(machine, GemmCase(size, size, size, Quantised(np.int8, A_ZERO), Quantised(np.int8), y, b), tiles)
    assert isinstance(plan, Plan), plan
    return plan


def placed(plan: Plan, a: Matrix) -> PlacedPlan:
    """The product in a new session, with its operand."""
    result = place(Session(plan.machine), plan, "gemm")
    result.write("a", a)
    return result


def new_launch(plan: Plan, a: Matrix) -> Callable[[], object]:
    """The first launch of a session."""
    return placed(plan, a).launch


def known(plan: Plan, a: Matrix) -> PlacedPlan:
    """The product in a session that has launched it until it knows the launch."""
    result = placed(plan, a)
    for _ in range(3):
        result.launch()
    return result


def with_onnx_runtime(a: Matrix, b: Matrix) -> tuple[Callable[[], object], Matrix]:
    """The same by ONNX Runtime on one thread."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    constants = {
        "a_scale": np.float32(A_SCALE), "a_zero": np.int8(A_ZERO), "b": b, "b_scale": np.float32(B_SCALE), "b_zero": np.int8(0),
        "y_scale": np.float32(Y_SCALE), "y_zero": np.int8(Y_ZERO),
    }  # fmt: skip
    tensors = [helper.make_tensor_value_info(name, TensorProto.INT8, a.shape) for name in ("a", "y")]
    graph = helper.make_graph(
        [helper.make_node("QLinearMatMul", ["a", *constants], ["y"])], "gemm", tensors[:1], tensors[1:],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])

    def run() -> object:
        return session.run(None, {"a": a})

    (y,) = session.run(None, {"a": a})
    return run, y


def rows() -> Iterator[Row]:
    """Seconds of each size and machine, of first launches and of one that the session knows; how far 1024 cubed is off the line through
    the others."""
    for machine, bar in BARS.items():
        seconds = {}
        for size in SIZES:
            a, b = operands(size)
            plan = plan_of(machine, b)
            again = known(plan, a)
            run, expected = with_onnx_runtime(a, b)
            if not np.array_equal(again.read(), expected):
                raise SystemExit(f"gemm {size} on {machine}: the result differs from ONNX Runtime's")
            name, against, theirs = f"gemm {size}x{size}x{size}", "x ONNX Runtime's time, int8, 1 thread", least_seconds(run)
            first = seconds[size] = least_first_seconds(partial(new_launch, plan, a))
            limit = f"figure <= {bar}" if size == 1024 else ""
            yield Row(f"{name}, first launch of a session", machine, first, "s", against, first / theirs, limit)
            seconds_again = least_seconds(again.launch)
            yield Row(f"{name}, known launch", machine, seconds_again, "s", against, seconds_again / theirs)
        yield Row("gemm 1024 off the line of 512 and 2048", machine, off_the_line(seconds), "%", bar=f"figure <= {LINE_BAR}")
        off = off_the_line(seconds_with_tiles(machine, SAME_TILES[machine]))
        yield Row(f"the same, all with tiles of {SAME_TILES[machine]}", machine, off, "%", bar=f"figure <= {LINE_BAR}")


def seconds_with_tiles(machine: str, tiles: GemmTiles) -> dict[int, float]:
    """Seconds of the first launch of each size."""
    seconds = {}
    for size in SIZES:
        a, b = operands(size)
        seconds[size] = least_first_seconds(partial(new_launch, plan_of(machine, b, tiles), a))
    return seconds


def off_the_line(seconds: dict[int, float]) -> float:
    """How many percent 1024 cubed is off, either way, in seconds, the line through 512 and 2048 cubed over their MACs."""
    first, middle, last = (size**3 for size in SIZES)
    slope = (seconds[SIZES[2]] - seconds[SIZES[0]]) / (last - first)
    expected = seconds[SIZES[0]] + slope * (middle - first)
    return 100 * abs(seconds[SIZES[1]] / expected - 1)


if __name__ == "__main__":
    print_rows(rows())
