"""ONNX Runtime as fallback and as reference: single-threaded CPU sessions of a model or of a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from accelkit.kernels.onnx.graph import TensorType

Array = npt.NDArray[Any]
# A place in ONNX Runtime's source and the signature of the function there, whose parameters may have parentheses themselves.
# It is looked for at the beginning of words only: within one of a megabyte that would take minutes.
_SOURCE = re.compile(r"(?<!\S)\S+\.(?:cc|h):\d+ [^()]*\((?:[^()]|\([^()]*\))*\)(?: const)? ")


class RuntimeRefusal(Exception):
    """ONNX Runtime can't load a model; the text is its reason without codes and source positions."""


class Session:
    """A loaded model with its inputs and outputs by name."""

    def __init__(self, model: onnx.ModelProto) -> None:
        """Load `model`; RuntimeRefusal if ONNX Runtime can't."""
        options = ort.SessionOptions()
        # One thread and no fusions: sums keep one order, intermediates keep their names, integer results are the plain kernels'.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4  # what goes wrong comes back as an exception
        try:
            self._session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's exceptions have no common base of their own
            raise RuntimeRefusal(_reason(error)) from error
        self.outputs = tuple(output.name for output in self._session.get_outputs())

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Any]:
        """All outputs by name; RuntimeRefusal if a kernel fails."""
        try:
            values = self._session.run(None, dict(inputs))
        except Exception as error:
            raise RuntimeRefusal(_reason(error)) from error
        return dict(zip(self.outputs, values, strict=True))

    def output_types(self) -> dict[str, TensorType]:
        """The inferred type of each output."""
        return {output.name: TensorType(_dtype(output.type), _static(output.shape)) for output in self._session.get_outputs()}


def expose_all(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of `model` whose outputs are its own and the results of all nodes."""
    exposed = onnx.ModelProto()
    exposed.CopyFrom(model)
    named = {output.name for output in exposed.graph.output} | {""}
    for node in exposed.graph.node:
        for name in node.output:
            if name not in named:
                exposed.graph.output.append(onnx.ValueInfoProto(name=name))  # ONNX Runtime infers the type
    return exposed


def extract(
    model: onnx.ModelProto,
    nodes: Iterable[onnx.NodeProto],
    constants: Mapping[str, TensorProto],
    inputs: Mapping[str, TensorType],
    outputs: Iterable[str],
) -> onnx.ModelProto:
    """A model of some nodes of `model`, with the constants that they read."""
    nodes = list(nodes)
    read = dict.fromkeys(name for node in nodes for name in node.input)
    part = onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    part.graph.name = model.graph.name or "part"
    part.graph.node.extend(nodes)
    for name in read:
        if name in constants:
            tensor = part.graph.initializer.add()
            tensor.CopyFrom(constants[name])
            tensor.name = name
    for name, kind in inputs.items():
        if kind.dtype is None:
            raise RuntimeRefusal(f"{name} is not a tensor, and would have to leave ONNX Runtime between two parts of the model")
        element = helper.np_dtype_to_tensor_dtype(np.dtype(kind.dtype))
        shape = kind.shape or None  # ONNX Runtime reports an unknown rank like a scalar's
        part.graph.input.append(helper.make_tensor_value_info(name, element, shape))
    part.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs)
    return part


def _dtype(text: str) -> np.dtype[Any] | None:
    """ONNX Runtime's `tensor(int8)` as a NumPy type."""
    names = {"float": "FLOAT", "double": "DOUBLE"}
    if not text.startswith("tensor("):
        return None
    name = text.removeprefix("tensor(").removesuffix(")")
    element = getattr(TensorProto, names.get(name, name.upper()), None)
    return None if element is None else np.dtype(helper.tensor_dtype_to_np_dtype(element))


def _static(shape: list[int | str | None]) -> tuple[int, ...] | None:
    sizes = tuple(size for size in shape if isinstance(size, int))
    return sizes if len(sizes) == len(shape) else None


def _reason(error: Exception) -> str:
    text = _SOURCE.sub("", " ".join(str(error).split()))
    return text.rsplit("[ONNXRuntimeError] : ", 1)[-1].split(" : ", 2)[-1].rstrip(".")
