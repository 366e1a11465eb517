"""ONNX Runtime's static quantiser with the settings of docs/models.md: QOperator form, s8 activations, s8 weights per channel."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

Feeds = dict[str, npt.NDArray[Any]]  # input -> as many values as there are runs, stacked along the first dimension


def split_runs(feeds: Mapping[str, npt.NDArray[Any]], model: onnx.ModelProto) -> Iterator[Feeds]:
    """The feeds of each run: as many rows of every input as the model takes at once."""
    rows = {value.name: value.type.tensor_type.shape.dim[0].dim_value for value in model.graph.input}
    name = next(iter(feeds))
    for run in range(len(feeds[name]) // rows[name]):
        yield {name: values[run * rows[name] : (run + 1) * rows[name]] for name, values in feeds.items()}


class _Runs(CalibrationDataReader):  # type: ignore[misc] # ONNX Runtime is untyped
    def __init__(self, runs: Iterator[Feeds]) -> None:
        self.runs = runs

    def get_next(self) -> Feeds | None:
        return next(self.runs, None)


def quantise_static(model: onnx.ModelProto, feeds: Feeds, op_types: tuple[str, ...] | None = None) -> onnx.ModelProto:
    """`model` quantised on the ranges seen with `feeds`; `op_types` are the only operators that become int8, if given."""
    logging.disable(logging.WARNING)  # it recommends QDQ and a pre-processing that would change nothing here
    try:
        return _quantise(model, feeds, op_types)
    finally:
        logging.disable(logging.NOTSET)


def _quantise(model: onnx.ModelProto, feeds: Feeds, op_types: tuple[str, ...] | None) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
        onnx.save(model, source)
        quantize_static(
            source,
            target,
            _Runs(split_runs(feeds, model)),
            quant_format=QuantFormat.QOperator,
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=list(op_types) if op_types else None,
        )
        return onnx.load(target)
