"""Model files that can't be run: the whole text of each message, which says what was seen, where, and what to do.

Where ONNX Runtime is quoted, its own words may change with its version; then the text ends before them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from accelkit.kernels.onnx.errors import ModelError
from accelkit.kernels.onnx.loading import read_model
from tests.kernels.onnx.builder import Builder, save
from tests.kernels.onnx.qdq_models import QdqBuilder
from tests.kernels.onnx.test_loading import small_model

Change = Callable[[onnx.ModelProto], object]


def changed(change: Change, **options: int) -> onnx.ModelProto:
    """The small model of QLinear operators after a change."""
    model = small_model(**options)
    change(model)
    return model


def changed_qdq(change: Change, opset: int = 17) -> onnx.ModelProto:
    """A convolution in QDQ form after a change."""
    b = QdqBuilder()
    x = b.quantise("x", 0.04, 3)
    b.quantise(b.node("Conv", [x, b.weights("w", 6, 6, 1, 1)], "y"), 0.05)
    model = b.model({"x": [1, 6, 5, 5]}, ["y_f"], opset)
    change(model)
    return model


def constant(name: str, value: Any) -> Change:
    """Another value of a constant."""

    def change(model: onnx.ModelProto) -> None:
        tensor = next(tensor for tensor in model.graph.initializer if tensor.name == name)
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(value), name))

    return change


def dimension(place: int, **values: Any) -> Change:
    """Another dimension of the input."""

    def change(model: onnx.ModelProto) -> None:
        dim = model.graph.input[0].type.tensor_type.shape.dim[place]
        for name, value in values.items():
            setattr(dim, name, value)

    return change


def attribute(node: int, name: str, value: Any) -> Change:
    """Another value of an attribute."""

    def change(model: onnx.ModelProto) -> None:
        proto = model.graph.node[node]
        kept = [a for a in proto.attribute if a.name != name]
        del proto.attribute[:]
        proto.attribute.extend([*kept, helper.make_attribute(name, value)])

    return change


def of_one_node(op_type: str, *inputs: str) -> onnx.ModelProto:
    b = Builder()
    b.node(op_type, list(inputs), "y")
    return b.model({"x": [1, 3]}, ["y"], TensorProto.FLOAT)


def dynamically_quantised() -> onnx.ModelProto:
    b = Builder()
    b.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero_point"]))
    b.constant("w", b.bytes(3, 4), np.int8)
    b.node("MatMulInteger", ["q", "w", "zero_point"], "y")
    return b.model({"x": [1, 3]}, ["y"], TensorProto.FLOAT)


def control_flow(model: onnx.ModelProto) -> None:
    branch = helper.make_graph([], "branch", [], [helper.make_tensor_value_info("f", TensorProto.INT8, None)])
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "condition"))
    model.graph.node.append(helper.make_node("If", ["condition"], ["z"], "choose", then_branch=branch, else_branch=branch))


def sparse(model: onnx.ModelProto) -> None:
    values, indices = numpy_helper.from_array(np.ones(1, np.float32), "thin"), numpy_helper.from_array(np.zeros(1, np.int64), "i")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [4]))


def rewired(node: int, what: str, name: str) -> Change:
    """Another name of a node's first input or output."""
    return lambda model: getattr(model.graph.node[node], what).__setitem__(0, name)


NEWEST = onnx.defs.onnx_opset_version()
CONVERT = "convert it with onnx.version_converter.convert_version(model, 13)"
FIX = "fix it with python -m onnxruntime.tools.make_dynamic_shape_fixed --input_name x --input_shape 1,... IN.onnx OUT.onnx"
QUANTISE_AGAIN = "expected a finite number above 0; calibrate and quantise the model again"
RUNTIME = "ONNX Runtime can't load the model: "

BAD: dict[str, tuple[Callable[[], onnx.ModelProto], str]] = {
    "float": (
        lambda: of_one_node("Relu", "x"),
        "a float model, with no int8 operator for the accelerator; quantise it: accel-sim quantize NET --data calibration.npz -o int8.onnx",
    ),
    "dynamic scales": (
        dynamically_quantised,
        "quantised dynamically (DynamicQuantizeLinear): scales that follow from the data have no kernel; quantise the float model"
        " statically: accel-sim quantize FLOAT.onnx --data calibration.npz -o int8.onnx",
    ),
    "dynamic shape": (
        lambda: changed(dimension(2, dim_param="height")),
        f"input x has the dynamic shape [1, 3, height, 8], only the first dimension (the batch) may be open; {FIX}",
    ),
    "negative size": (
        lambda: changed(dimension(3, dim_value=-8)),
        f"input x has the dynamic shape [1, 3, 8, ?], only the first dimension (the batch) may be open; {FIX}",
    ),
    "empty input": (
        lambda: changed(dimension(0, dim_value=0)),
        "input x is empty, [0, 3, 8, 8]; export the model with the sizes of real inputs",
    ),
    "no shape": (
        lambda: changed(lambda model: model.graph.input[0].type.tensor_type.ClearField("shape")),
        "input x is not a tensor of declared shape; export the model with static shapes",
    ),
    "a sequence": (
        lambda: changed(
            lambda model: model.graph.input[0].type.CopyFrom(
                helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [1]))
            )
        ),
        "input x is not a tensor of declared shape; export the model with static shapes",
    ),
    "no element type": (
        lambda: changed(lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", 0)),
        "input x has element type 0, which there isn't; export or download the file again",
    ),
    "old opset": (lambda: small_model(opset=9), f"opset 9 is not supported, expected 10 to {NEWEST}; {CONVERT}"),
    "future opset": (lambda: small_model(opset=999), f"opset 999 is not supported, expected 10 to {NEWEST}; {CONVERT}"),
    "no opset": (
        lambda: changed(lambda model: model.opset_import.__delitem__(slice(None))),
        "the model declares no opset of the standard operators; is it complete? export it again",
    ),
    "future file version": (
        lambda: changed(lambda model: setattr(model, "ir_version", 999)),
        f"{RUNTIME}Unsupported model IR version: 999, max supported IR version: ",
    ),
    "control flow": (
        lambda: changed(control_flow),
        "node choose is control flow (If), which is not supported; export the model without it (unrolled or traced)",
    ),
    "sparse constant": (lambda: changed(sparse), "constant thin is sparse, which is not supported; export the model with dense constants"),
    "NaN scale": (
        lambda: changed(constant("c_w_scale", np.full(4, np.nan, np.float32))),
        f"node c_node (QLinearConv): scale c_w_scale is nan, {QUANTISE_AGAIN}",
    ),
    "infinite scale": (
        lambda: changed(constant("y_x_scale", np.float32(np.inf))),
        f"node y_node (QGemm): scale y_x_scale is inf, {QUANTISE_AGAIN}",
    ),
    "zero divisor": (
        lambda: changed(constant("y_y_scale", np.float32(0))),
        f"node y_node (QGemm): scale y_y_scale is 0.0, {QUANTISE_AGAIN}",
    ),
    "zero point type": (
        lambda: changed(constant("c_x_zero_point", np.uint8(3))),
        "node c_node (QLinearConv): zero point c_x_zero_point is uint8 but its tensor q is int8; they must have one type:"
        " quantise the model again",
    ),
    "zero point type of a contrib operator": (
        lambda: changed(constant("y_x_zero_point", np.uint8(3))),
        "node y_node (QGemm): zero point y_x_zero_point is uint8 but its tensor f is int8; they must have one type:"
        " quantise the model again",
    ),
    "QDQ: NaN scale": (
        lambda: changed_qdq(constant("w_scale", np.full(6, np.nan, np.float32))),
        f"node w_f (DequantizeLinear): scale w_scale is nan, {QUANTISE_AGAIN}",
    ),
    "QDQ: zero divisor": (
        lambda: changed_qdq(constant("y_scale", np.float32(0))),
        f"node y_q (QuantizeLinear): scale y_scale is 0.0, {QUANTISE_AGAIN}",
    ),
    "QDQ: zero point type": (
        lambda: changed_qdq(constant("w_zero_point", np.zeros(6, np.uint8))),
        "node w_f (DequantizeLinear): zero point w_zero_point is uint8 but its tensor w is int8; they must have one type:"
        " quantise the model again",
    ),
    "QDQ: number of scales": (
        lambda: changed_qdq(constant("w_scale", np.ones(5, np.float32))),
        "node w_f (DequantizeLinear): 5 scales for 6 channels (axis 0 of [6, 6, 1, 1]); quantise the model again",
    ),
    "QDQ: number of zero points": (
        lambda: changed_qdq(constant("w_zero_point", np.zeros(5, np.int8))),
        "node w_f (DequantizeLinear): 5 zero points for 6 channels (axis 0 of [6, 6, 1, 1]); quantise the model again",
    ),
    "QDQ: one scale, several zero points": (
        lambda: changed_qdq(constant("y_zero_point", np.zeros(6, np.int8))),
        "node y_q (QuantizeLinear): 6 zero points for one scale; quantise the model again",
    ),
    "QDQ: axis": (
        lambda: changed_qdq(attribute(2, "axis", 7)),
        "node w_f (DequantizeLinear): axis = 7 of a tensor [6, 6, 1, 1]; quantise the model again",
    ),
    "empty weights": (
        lambda: changed(constant("c_w", np.zeros((0, 3, 3, 3), np.int8))),
        "node c_node (QLinearConv): weights c_w are empty, [0, 3, 3, 3]; export the model without the node",
    ),
    "unknown operator": (
        lambda: changed(lambda model: setattr(model.graph.node[2], "op_type", "Flatten5")),
        RUNTIME,
    ),
    "unknown domain": (
        lambda: changed(lambda model: setattr(model.graph.node[2], "domain", "my.ops")),
        RUNTIME,
    ),
    "circle": (
        lambda: changed(rewired(1, "input", "y")),
        "nodes need their own results (c_node, f_node, y_node), so none can run first; export the model again",
    ),
    "two makers": (
        lambda: changed(rewired(1, "output", "q")),
        "tensor q is the result of two nodes (q_node and c_node); export the model again",
    ),
    "lost tensor": (lambda: changed(rewired(3, "input", "lost")), RUNTIME),
    "lost output": (
        lambda: changed(lambda model: model.graph.output.append(onnx.ValueInfoProto(name="nobody"))),
        f"{RUNTIME}This is an invalid model. Graph output (nobody) does not exist in the graph",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_whole_message(case: str, tmp_path: Path) -> None:
    """A model that can't be run is refused in one line."""
    build, expected = BAD[case]
    path = save(build(), tmp_path)
    with pytest.raises(ModelError) as caught:
        read_model(path)
    message = str(caught.value).replace(str(path), "NET")
    assert "\n" not in message
    if RUNTIME in expected:
        assert message.startswith(f"NET: {expected}")
        assert ".cc:" not in message  # no places in ONNX Runtime's source
    else:
        assert message == f"NET: {expected}"


@pytest.mark.parametrize("start", ["QLinear", "QDQ"])
def test_damaged_files(start: str, tmp_path: Path) -> None:
    """Whatever bytes of a file are changed or lost, it is read or refused: nothing else is raised."""
    data = (small_model() if start == "QLinear" else changed_qdq(lambda model: None)).SerializeToString()
    rng = np.random.default_rng(0)
    path = tmp_path / "net.onnx"
    refusals = 0
    for _ in range(150):
        damaged = bytearray(data)
        for place in rng.integers(0, len(data) - 8, rng.integers(1, 4)):
            if rng.integers(2):
                damaged[place] = rng.integers(256)
            else:
                del damaged[place : place + rng.integers(1, 9)]
        path.write_bytes(damaged)
        try:
            read_model(path)
        except ModelError as error:
            assert "\n" not in str(error)
            refusals += 1
    assert refusals > 75
