"""Run one operator through ONNX Runtime's CPU kernels, as the golden side of reference tests."""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from onnx import helper, numpy_helper

Array = npt.NDArray[Any]


def run_op(
    op_type: str,
    x: Array,
    operands: list[Array | None],
    output_dtype: npt.DTypeLike,
    *,
    domain: str = "",
    **attributes: Any,
) -> Array:
    """The output of a one-node model for input x; `operands` are the constant inputs after it (None: absent)."""
    names = ["" if operand is None else f"c{i}" for i, operand in enumerate(operands)]
    constants = [
        numpy_helper.from_array(np.asarray(operand), name)
        for operand, name in zip(operands, names, strict=True)
        if operand is not None
    ]
    node = helper.make_node(op_type, ["x", *names], ["y"], domain=domain, **attributes)
    input_type = helper.np_dtype_to_tensor_dtype(x.dtype)
    output_type = helper.np_dtype_to_tensor_dtype(np.dtype(output_dtype))
    graph = helper.make_graph(
        [node],
        "one_op",
        [helper.make_tensor_value_info("x", input_type, x.shape)],
        [helper.make_tensor_value_info("y", output_type, None)],
        constants,
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return np.asarray(open_session(model.SerializeToString()).run(None, {"x": x})[0])


def open_session(model: bytes | str) -> ort.InferenceSession:
    """A single-threaded CPU session of a serialised model or a model file."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
