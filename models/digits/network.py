"""The digits CNN in plain NumPy: forward, backward, and the random distortions it is trained with.

Float64 throughout, so that differences in the last bit between BLAS libraries stay far below the grid that
the trained weights are rounded to (`train.py`).
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Conv(NamedTuple):
    """A convolution followed by a Relu; the padding is kernel // 2 on every side."""

    name: str
    inputs: int
    outputs: int
    kernel: int
    stride: int


CONVS = (
    Conv("conv1", 1, 16, kernel=3, stride=1),  # 8x8
    Conv("conv2", 16, 32, kernel=3, stride=2),  # 4x4
    Conv("conv3", 32, 32, kernel=3, stride=1),
)
FEATURES, CLASSES = 32 * 4 * 4, 10

Parameters = dict[str, Floats]


def initialise(rng: np.random.RandomState) -> Parameters:
    """He-normal weights [outputs, inputs, k, k] and [classes, features], zero biases."""
    shapes = {conv.name: (conv.outputs, conv.inputs, conv.kernel, conv.kernel) for conv in CONVS}
    parameters: Parameters = {}
    for name, shape in {**shapes, "gemm": (CLASSES, FEATURES)}.items():
        fan_in = int(np.prod(shape[1:]))
        parameters[f"{name}_w"] = rng.standard_normal(shape) * np.sqrt(2.0 / fan_in)
        parameters[f"{name}_b"] = np.zeros(shape[0])
    return parameters


def conv_columns(x: Floats, conv: Conv) -> Floats:
    """The receptive fields of x [N, C, H, W] as [N, height, width, C * k * k]."""
    pad = conv.kernel // 2
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (conv.kernel, conv.kernel), axis=(2, 3))
    strided = windows[:, :, :: conv.stride, :: conv.stride].transpose(0, 2, 3, 1, 4, 5)
    return strided.reshape(*strided.shape[:3], -1)


def conv_input_gradient(columns: Floats, shape: tuple[int, ...], conv: Conv) -> Floats:
    """Add gradients of receptive fields (as of `conv_columns`) back into an input of `shape`."""
    batch, channels, height, width = shape
    pad, stride, k = conv.kernel // 2, conv.stride, conv.kernel
    rows, cols = columns.shape[1:3]
    fields = columns.reshape(batch, rows, cols, channels, k, k)
    padded = np.zeros((batch, channels, height + 2 * pad, width + 2 * pad))
    for ky in range(k):
        for kx in range(k):
            reach = (slice(ky, ky + rows * stride, stride), slice(kx, kx + cols * stride, stride))
            padded[:, :, *reach] += fields[..., ky, kx].transpose(0, 3, 1, 2)
    return padded[:, :, pad : pad + height, pad : pad + width]


def loss_gradients(p: Parameters, x: Floats, labels: npt.NDArray[Any], smoothing: float) -> Parameters:
    """Gradients of the mean cross-entropy with label smoothing over a batch x [N, 1, 8, 8]."""
    inputs, all_columns = [x], []
    for conv in CONVS:
        columns = conv_columns(inputs[-1], conv)
        weights = p[f"{conv.name}_w"].reshape(conv.outputs, -1)
        y = np.maximum(columns @ weights.T + p[f"{conv.name}_b"], 0).transpose(0, 3, 1, 2)
        inputs.append(y)
        all_columns.append(columns)
    flat = inputs[-1].reshape(len(x), -1)
    logits = flat @ p["gemm_w"].T + p["gemm_b"]

    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    target = np.full(logits.shape, smoothing / CLASSES)
    target[np.arange(len(x)), labels] += 1 - smoothing
    d_logits = (exponentials / exponentials.sum(axis=1, keepdims=True) - target) / len(x)

    gradients = {"gemm_w": d_logits.T @ flat, "gemm_b": d_logits.sum(axis=0)}
    d_y = (d_logits @ p["gemm_w"]).reshape(inputs[-1].shape)
    layers = list(zip(CONVS, inputs[:-1], inputs[1:], all_columns, strict=True))
    for conv, conv_input, y, columns in reversed(layers):
        d_rows = (d_y * (y > 0)).transpose(0, 2, 3, 1).reshape(-1, conv.outputs)
        weights = p[f"{conv.name}_w"]
        gradients[f"{conv.name}_w"] = (d_rows.T @ columns.reshape(len(d_rows), -1)).reshape(weights.shape)
        gradients[f"{conv.name}_b"] = d_rows.sum(axis=0)
        d_columns = (d_rows @ weights.reshape(conv.outputs, -1)).reshape(columns.shape)
        d_y = conv_input_gradient(d_columns, conv_input.shape, conv)
    return gradients


def distort(x: Floats, rng: np.random.RandomState) -> Floats:
    """Each image of x [N, 1, 8, 8] shifted, turned, sheared and scaled a little, by bilinear interpolation."""
    count, _, height, width = x.shape
    transform = np.eye(2) + rng.uniform(-0.15, 0.15, (count, 2, 2))
    shift = rng.uniform(-0.8, 0.8, (count, 2))
    centre = np.array([(height - 1) / 2, (width - 1) / 2])
    grid = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1) - centre
    source = np.einsum("nij,yxj->nyxi", transform, grid) + centre + shift[:, None, None] + 2
    padded = np.pad(x[:, 0], ((0, 0), (2, 3), (2, 3)))
    source = np.clip(source, 0, np.array([height + 3, width + 3]))
    corner = np.floor(source).astype(np.int64)
    (fy, fx), (cy, cx) = np.moveaxis(source - corner, -1, 0), np.moveaxis(corner, -1, 0)
    n = np.arange(count)[:, None, None]
    upper = padded[n, cy, cx] * (1 - fx) + padded[n, cy, cx + 1] * fx
    lower = padded[n, cy + 1, cx] * (1 - fx) + padded[n, cy + 1, cx + 1] * fx
    return np.asarray((upper * (1 - fy) + lower * fy)[:, None])
