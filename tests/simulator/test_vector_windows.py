"""Window instructions and tables of the vector unit against ONNX Runtime: 0 differences, ties between integers included."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from accelkit.isa.machine import load_machine
from accelkit.simulator import Session
from tests.reference.onnx_op import run_op
from tests.reference.quantised import Array, Byte, combine_scales, requantise
from tests.simulator.vector_instruction import run_vector

MACHINE = load_machine("edge-16")
LANES = MACHINE.lanes
PARAMETERS, WEIGHTS, SOURCE = 0, 8, 80  # scratchpad rows
TARGET = 4096
SEEDS = range(12)
BYTES = pytest.mark.parametrize("dtype", [np.int8, np.uint8])


@dataclass(frozen=True)
class Pooling:
    """A window over an image of `height` x `width` pixels of 16 channels: kernel, strides, dilations, pads at top, left, bottom,
    right."""

    height: int
    width: int
    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: tuple[int, int, int, int]

    @property
    def output(self) -> tuple[int, int]:
        """Height and width of the result."""
        sizes = (self.height + self.pads[0] + self.pads[2], self.width + self.pads[1] + self.pads[3])
        spans = [d * (k - 1) + 1 for d, k in zip(self.dilations, self.kernel, strict=True)]
        first, second = ((n - s) // stride + 1 for n, s, stride in zip(sizes, spans, self.strides, strict=True))
        return first, second

    def attributes(self) -> dict[str, tuple[int, ...]]:
        """Of the ONNX node."""
        return {"kernel_shape": self.kernel, "strides": self.strides, "pads": self.pads}

    def operands(self) -> dict[str, int]:
        """Walk of the instruction over the padded image, a pixel a row."""
        width = self.width + self.pads[1] + self.pads[3]
        lines, columns = self.output
        return {
            "sp": TARGET,
            "src": SOURCE,
            "rows": columns,
            "planes": lines,
            "plane_step": columns,
            "src_step": self.strides[1],
            "src_plane_step": self.strides[0] * width,
            "lines": self.kernel[0],
            "line_step": self.dilations[0] * width,
            "columns": self.kernel[1],
            "column_step": self.dilations[1],
        }

    def image(self, x: Array, padding: int) -> npt.NDArray[np.uint8]:
        """Rows of x [1, 16, height, width] with its padding."""
        top, left, bottom, right = self.pads
        padded = np.pad(x[0], ((0, 0), (top, bottom), (left, right)), constant_values=padding)
        return padded.transpose(1, 2, 0).reshape(-1, LANES).view(np.uint8)

    def result(self, session: Session, dtype: Byte) -> Array:
        """What stands in the scratchpad, as [1, 16, height, width]."""
        lines, columns = self.output
        rows = session.memories.scratchpad[TARGET : TARGET + lines * columns]
        return rows.view(dtype).reshape(1, lines, columns, LANES).transpose(0, 3, 1, 2)


def draw_pooling(rng: np.random.Generator, is_padded: bool = True, is_dilated: bool = True) -> Pooling:
    """Any small window."""
    kernel = (int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    pads = [int(rng.integers(0, k)) if is_padded else 0 for k in (*kernel, *kernel)]
    dilations = (int(rng.integers(1, 3)), int(rng.integers(1, 3))) if is_dilated else (1, 1)
    strides = (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    return Pooling(
        int(rng.integers(10, 14)), int(rng.integers(10, 14)), kernel, strides, dilations, (pads[0], pads[1], pads[2], pads[3])
    )


def limits(dtype: Byte) -> dict[str, int]:
    """Clamp bounds of a type."""
    return {"min": int(np.iinfo(dtype).min), "max": int(np.iinfo(dtype).max)}


def random_bytes(rng: np.random.Generator, dtype: Byte, *shape: int) -> Array:
    """Any bytes."""
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def block(bias: Array, scale: Array) -> npt.NDArray[np.uint8]:
    """A parameter block's rows."""
    words = np.concatenate([bias.astype("<i4").view(np.uint8), np.broadcast_to(scale, 16).astype("<f4").view(np.uint8)])
    return words.reshape(-1, LANES)


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_depthwise_equals_qlinearconv(dtype: Byte, seed: int) -> None:
    """Depthwise convolutions, per channel and per tensor, all zero points, half of them with scales that make ties."""
    rng = np.random.default_rng(seed)
    pooling = draw_pooling(rng)
    x = random_bytes(rng, dtype, 1, LANES, pooling.height, pooling.width)
    w = random_bytes(rng, dtype, LANES, 1, *pooling.kernel)
    x_zp, w_zp, y_zp = (int(random_bytes(rng, dtype, 1)[0]) for _ in range(3))
    size = LANES if seed % 3 else None
    bias = rng.integers(-30_000, 30_000, LANES).astype(np.int32)
    if seed % 2:
        x_scale, y_scale = np.float32(0.5), np.float32(1)
        w_scale = np.asarray(np.float32(2.0) ** -rng.integers(8, 12, size), np.float32)
    else:
        x_scale, y_scale = rng.uniform(0.01, 1, 2).astype(np.float32)
        w_scale = np.asarray(rng.uniform(1e-4, 1e-2, size), np.float32)
    zero_points = [np.asarray(zp, dtype) for zp in (x_zp, w_zp, y_zp)]
    w_zps = np.full(LANES, w_zp, dtype) if size else zero_points[1]
    operands = [np.asarray(x_scale), zero_points[0], w, w_scale, w_zps, np.asarray(y_scale), zero_points[2], bias]
    golden = run_op(
        "QLinearConv", x, list(operands), dtype, group=LANES, dilations=pooling.dilations, **pooling.attributes()
    )
    rows = np.zeros((SOURCE, LANES), np.uint8)
    rows[PARAMETERS:WEIGHTS] = block(bias, combine_scales(x_scale, w_scale, y_scale))
    taps = pooling.kernel[0] * pooling.kernel[1]
    rows[WEIGHTS : WEIGHTS + taps] = w.reshape(LANES, taps).T.view(np.uint8)
    values = {"params": PARAMETERS, "weights": WEIGHTS, "src_zp": x_zp, "weights_zp": w_zp, "zp": y_zp, **limits(dtype)}
    is_u8 = dtype is np.uint8
    image = pooling.image(x, x_zp)
    session = run_vector(
        MACHINE,
        "depthwise",
        pooling.operands() | values,
        {"u8": is_u8, "weights_u8": is_u8},
        np.concatenate([rows, image]),
    )
    np.testing.assert_array_equal(pooling.result(session, dtype), golden)


def run_average(
    pooling: Pooling, x: Array, zero_points: tuple[int, int], scale: np.float32, dtype: Byte
) -> Array:
    """`average` of x with its padding; zero points of x and of the result."""
    taps = pooling.kernel[0] * pooling.kernel[1]
    rows = np.zeros((SOURCE, LANES), np.uint8)
    rows[PARAMETERS:WEIGHTS] = block(np.full(LANES, -taps * zero_points[0]), np.asarray(scale))
    values = {"params": PARAMETERS, "zp": zero_points[1], **limits(dtype)}
    source = np.concatenate([rows, pooling.image(x, zero_points[0])])
    session = run_vector(MACHINE, "average", pooling.operands() | values, {"u8": dtype is np.uint8}, source)
    return pooling.result(session, dtype)


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_average_equals_qlinearaveragepool(dtype: Byte, seed: int) -> None:
    """Average pooling whose padding counts, with the zero points in the bias and 1/n in the scale. ONNX Runtime adds up in binary32
    what it has dequantised: with scales as here that rounds to the same bytes, on ties between integers it would not."""
    rng = np.random.default_rng(seed)
    pooling = draw_pooling(rng, is_dilated=False)
    x = random_bytes(rng, dtype, 1, LANES, pooling.height, pooling.width)
    x_zp, y_zp = (int(random_bytes(rng, dtype, 1)[0]) for _ in range(2))
    x_scale, y_scale = rng.uniform(0.01, 0.1, 2).astype(np.float32)
    operands = [np.asarray(x_scale), np.asarray(x_zp, dtype), np.asarray(y_scale), np.asarray(y_zp, dtype)]
    attributes = {"domain": "com.microsoft", "count_include_pad": 1, **pooling.attributes()}
    golden = run_op("QLinearAveragePool", x, list(operands), dtype, **attributes)
    scale = np.float32(x_scale / np.float32(y_scale * np.float32(np.prod(pooling.kernel))))
    np.testing.assert_array_equal(run_average(pooling, x, (x_zp, y_zp), scale, dtype), golden)


@BYTES
@pytest.mark.parametrize("kernel", [(2, 2), (1, 4), (5, 2), (3, 3)])
def test_average_rounds_ties_to_even(dtype: Byte, kernel: tuple[int, int]) -> None:
    """Sums by exact halves and tenths give what NumPy's requantise of the sum gives."""
    rng = np.random.default_rng(3)
    pooling = Pooling(12, 13, kernel, (1, 1), (1, 1), (0, 0, 0, 0))
    x = random_bytes(rng, dtype, 1, LANES, 12, 13)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int32) - 5, kernel, axis=(2, 3))
    for taps in (2, 10, kernel[0] * kernel[1]):
        scale = np.float32(1 / taps)
        expected = requantise(windows.sum((4, 5), dtype=np.int32), scale, 3, dtype)
        np.testing.assert_array_equal(run_average(pooling, x, (5, 3), scale, dtype), expected)


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_average_equals_qlinearglobalaveragepool(dtype: Byte, seed: int) -> None:
    """A window over a whole image, of more taps than weight registers."""
    rng = np.random.default_rng(seed)
    x = random_bytes(rng, dtype, 1, LANES, 11, 13)
    x_zp, y_zp = (int(random_bytes(rng, dtype, 1)[0]) for _ in range(2))
    x_scale, y_scale = rng.uniform(0.01, 0.1, 2).astype(np.float32)
    operands = [np.asarray(x_scale), np.asarray(x_zp, dtype), np.asarray(y_scale), np.asarray(y_zp, dtype)]
    golden = run_op("QLinearGlobalAveragePool", x, list(operands), dtype, domain="com.microsoft", channels_last=0)
    pooling = Pooling(11, 13, (11, 13), (1, 1), (1, 1), (0, 0, 0, 0))
    scale = np.float32(x_scale / np.float32(y_scale * np.float32(143)))
    np.testing.assert_array_equal(run_average(pooling, x, (x_zp, y_zp), scale, dtype), golden)


@BYTES
@pytest.mark.parametrize("seed", SEEDS)
def test_maximum_equals_maxpool(dtype: Byte, seed: int) -> None:
    """Max pooling of both signs; padding is the least value."""
    rng = np.random.default_rng(seed)
    pooling = draw_pooling(rng)
    x = random_bytes(rng, dtype, 1, LANES, pooling.height, pooling.width)
    golden = run_op("MaxPool", x, [], dtype, dilations=pooling.dilations, **pooling.attributes())
    image = pooling.image(x, int(np.iinfo(dtype).min))
    source = np.concatenate([np.zeros((SOURCE, LANES), np.uint8), image])
    operands = pooling.operands() | limits(dtype)
    session = run_vector(MACHINE, "maximum", operands, {"u8": dtype is np.uint8}, source)
    np.testing.assert_array_equal(pooling.result(session, dtype), golden)


def test_maximum_clamps() -> None:
    """The largest byte is clamped to min..max."""
    source = np.arange(3 * LANES, dtype=np.uint8).reshape(3, LANES)
    operands = {"sp": 3, "src": 0, "columns": 3, "min": 40, "max": 45}
    session = run_vector(MACHINE, "maximum", operands, {}, source)
    assert session.memories.scratchpad[3].tolist() == np.arange(32, 48).clip(40, 45).tolist()


@BYTES
@pytest.mark.parametrize("op_type", ["QLinearSigmoid", "QLinearLeakyRelu"])
def test_lookup_equals_unary_operators(op_type: str, dtype: Byte) -> None:
    """A table of the operator's 256 results gives the operator, for bytes of either sign."""
    rng = np.random.default_rng(7)
    x_zp, y_zp = (int(random_bytes(rng, dtype, 1)[0]) for _ in range(2))
    operands = [np.float32(0.05), np.asarray(x_zp, dtype), np.float32(1 / 256), np.asarray(y_zp, dtype)]
    attributes = {"alpha": 0.1} if op_type == "QLinearLeakyRelu" else {}

    def golden(x: Array) -> Array:
        return run_op(op_type, x, [np.asarray(o) for o in operands], dtype, domain="com.microsoft", **attributes)

    table = golden(np.arange(256, dtype=np.uint8).view(dtype)).view(np.uint8)
    x = random_bytes(rng, dtype, 60, LANES)
    source = np.concatenate([table.reshape(-1, LANES), x.view(np.uint8)])
    walk = {"sp": 100, "src": 16, "rows": 20, "planes": 3, "plane_step": 20, "src_plane_step": 20, "table": 0}
    session = run_vector(MACHINE, "lookup", walk, {}, source)
    found = session.memories.scratchpad[100:160].view(dtype)
    np.testing.assert_array_equal(found, golden(x.reshape(-1)).reshape(60, LANES))


def test_a_result_may_take_its_source_rows_place() -> None:
    """In place, each row is read before it is written."""
    table = np.arange(255, -1, -1, dtype=np.uint8).reshape(-1, LANES)
    x = np.random.default_rng(1).integers(0, 256, (50, LANES)).astype(np.uint8)
    operands = {"sp": 16, "src": 16, "rows": 50, "table": 0}
    session = run_vector(MACHINE, "lookup", operands, {}, np.concatenate([table, x]))
    np.testing.assert_array_equal(session.memories.scratchpad[16:66], 255 - x)


def test_a_row_ahead_sees_results_of_earlier_cycles() -> None:
    """Row i + 3 takes the image of row i: its source was written two cycles after it was read, one cycle before."""
    table = ((np.arange(256) + 1) % 256).astype(np.uint8).reshape(-1, LANES)
    x = np.zeros((12, LANES), np.uint8)
    operands = {"sp": 19, "src": 16, "rows": 9, "table": 0}
    session = run_vector(MACHINE, "lookup", operands, {}, np.concatenate([table, x]))
    assert session.memories.scratchpad[16:28, 0].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    operands["sp"] = 18
    session = run_vector(MACHINE, "lookup", operands, {}, np.concatenate([table, x]))
    assert session.memories.scratchpad[16:27, 0].tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
