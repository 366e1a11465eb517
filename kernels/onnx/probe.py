"""What an operator makes of 0, 1, 2, ...: ONNX Runtime is asked once, instead of repeating its roundings and its indices."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from accelkit.kernels.onnx import runtime
from accelkit.kernels.onnx.graph import Graph, TensorType
from accelkit.kernels.onnx.operands import Refused

Array = npt.NDArray[Any]


def probe(graph: Graph, proto: onnx.NodeProto, x: str, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Array:
    """The operator's first result where its input `x` is a tensor of that type and shape whose elements count from 0 on (the bytes of
    8-bit ones as unsigned numbers) and all others are constants of the graph; Refused if ONNX Runtime can't."""
    try:
        part = runtime.extract(graph.model, [proto], graph.constants, {x: TensorType(np.dtype(dtype), shape)}, proto.output[:1])
        value = _run(part.SerializeToString(deterministic=True), x, np.dtype(dtype).str, shape)
    except runtime.RuntimeRefusal as refusal:
        raise Refused("no-kernel", f"ONNX Runtime runs no {proto.op_type} of numbers in a row: {refusal}") from refusal
    if not isinstance(value, np.ndarray):
        raise Refused("dtype", f"{proto.op_type} gives no array")
    return value


@lru_cache(maxsize=512)
def _run(model: bytes, x: str, dtype: str, shape: tuple[int, ...]) -> Any:
    """Nodes are described several times; a probe is a session of ONNX Runtime."""
    kind = np.dtype(dtype)
    counting = np.arange(np.prod(shape), dtype=np.uint8 if kind.itemsize == 1 else kind).view(kind).reshape(shape)
    (value,) = runtime.Session(onnx.ModelProto.FromString(model)).run({x: counting}).values()
    return value
