"""The reference of the checks: ONNX Runtime running a whole model by itself, with every intermediate as an output.

What follows from constants alone is no output: ONNX Runtime may compute it when it loads the model, as it does for everyone who runs
the model plainly. That matters for float operators that pack constant weights (LSTM): the packed kernel sums in another order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort

from models.quantise import Feeds


class Golden:
    """A session that gives every tensor of a model."""

    def __init__(self, model: onnx.ModelProto) -> None:
        exposed = onnx.ModelProto()
        exposed.CopyFrom(model)
        self.names = _computed(model.graph)
        del exposed.graph.output[:]
        exposed.graph.output.extend(onnx.ValueInfoProto(name=name) for name in self.names)
        options = ort.SessionOptions()
        # One thread and no fusions but of constants: float sums keep one order. Integer results don't depend on either.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        # Without it, QDQ models with int8 activations run in float on x86.
        options.add_session_config_entry("session.qdqisint8allowed", "1")
        self._session = ort.InferenceSession(exposed.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def run(self, feeds: Feeds) -> dict[str, npt.NDArray[Any]]:
        """Values of all tensors that are arrays, by name."""
        values = dict(zip(self.names, self._session.run(self.names, feeds), strict=True))
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def _computed(graph: onnx.GraphProto) -> list[str]:
    """Results that depend on an input."""
    known = {item.name for item in graph.initializer} | {""}
    results = []
    for node in graph.node:
        if all(name in known for name in node.input):
            known.update(node.output)
        else:
            results += [name for name in node.output if name]
    return results
