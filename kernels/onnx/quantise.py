"""A floating-point model to an int8 one, by ONNX Runtime's static quantiser with settings that suit the accelerator."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import version_converter
from onnxruntime import quantization

from accelkit.kernels.onnx.errors import InputError, ModelError
from accelkit.kernels.onnx.folding import Folder
from accelkit.kernels.onnx.graph import Graph, sort_nodes
from accelkit.kernels.onnx.inputs import split_runs
from accelkit.kernels.onnx.loading import read_graph, read_model
from accelkit.kernels.onnx.recipe import Recipe, Row, tell_fates
from accelkit.kernels.onnx.scales import make_even, make_unsigned, shorten_scales
from accelkit.kernels.onnx.unfit import find_unfit

Array = npt.NDArray[Any]
Sample = Mapping[str, Array]  # the inputs of one run by name
# The first opset in which MaxPool and Resize take bytes, and QuantizeLinear an axis.
_OPSET = 13
_OLDEST_OPSET = 7  # the first that ONNX Runtime promises to run
_LOG_WARNINGS, _LOG_ERRORS = 2, 3  # ONNX Runtime's levels; the first is its default
_PRODUCTS = {"Conv", "ConvTranspose", "MatMul", "Gemm"}


@dataclass(frozen=True)
class Quantised:
    """The int8 model as the bytes of a file, and one row per node of the old one."""

    content: bytes
    rows: tuple[Row, ...]

    def count(self, outcome: str) -> int:
        """How many nodes have an outcome."""
        return sum(row.outcome == outcome for row in self.rows)

    @property
    def missed(self) -> tuple[Row, ...]:
        """The products that stay in floating point although they were to be quantised."""
        return tuple(row for row in self.rows if row.outcome == "float" and row.op_type in _PRODUCTS and row.is_wanted)


def quantise_file(
    path: Path, samples: Mapping[str, Array], recipe: Recipe, follow: Callable[[Sequence[Sample]], Iterable[Sample]] = iter
) -> Quantised:
    """Quantise the model at `path`, calibrated on arrays named like its inputs, see `split_runs`; `follow` sees each sample as it is used.

    ModelError and InputError say in one line what can't be used and what to do.
    """
    graph = read_graph(path, oldest=_OLDEST_OPSET)
    _require_float(graph)
    for name in recipe.operators:
        if name not in recipe.known():
            raise ModelError(f"operator {name} has no quantised form; there are {', '.join(sorted(recipe.known()))}")
    _check_samples(graph, samples)
    runs = split_runs(graph, samples)
    folder = Folder(_named(graph, path), {name: graph.constants.value(name) for name in graph.constants}, _ranks(graph))
    prepared = _convert(graph.source, folder.run())
    unfit = find_unfit(prepared, recipe.is_qdq)
    with tempfile.TemporaryDirectory() as temporary, _quiet():
        before, after = Path(temporary, "float.onnx"), Path(temporary, "int8.onnx")
        before.write_bytes(prepared.SerializeToString())
        try:
            _run_quantiser(before, after, follow(runs), recipe, tuple(unfit))
        except Exception as error:  # what it raises has no common base
            text = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"{path}: ONNX Runtime can't quantise the model: {text}") from error
        model = onnx.load(after)
        shorten_scales(model)
        make_even(model)
        if recipe.is_unsigned:
            make_unsigned(model)
        content = _serialise(graph, model)
        after.write_bytes(content)
        try:
            result = read_quantised(after)
        except ModelError as error:  # the temporary file's name says nothing to the caller
            text = str(error).removeprefix(f"{after}: ")
            raise ModelError(f"{path}: the int8 model that ONNX Runtime makes of it can't be used: {text}") from error
        return Quantised(content, tuple(tell_fates(graph, result, folder.into, unfit, recipe)))


def read_quantised(path: Path) -> Graph | None:
    """The int8 graph of a file, None if there is nothing quantised in it."""
    model = onnx.load(path, load_external_data=False)
    if not any(node.op_type == "QuantizeLinear" for node in model.graph.node):
        return None
    return read_model(path)


def _run_quantiser(
    before: Path, after: Path, runs: Iterable[Sample], recipe: Recipe, excluded: Sequence[str]
) -> None:
    kind = quantization.QuantType.QUInt8 if recipe.is_unsigned else quantization.QuantType.QInt8
    quantization.quantize_static(
        before,
        after,
        _Samples(runs),
        quant_format=quantization.QuantFormat.QDQ if recipe.is_qdq else quantization.QuantFormat.QOperator,
        op_types_to_quantize=sorted(recipe.chosen()),
        nodes_to_exclude=list(excluded),
        per_channel=not recipe.is_per_tensor,
        # Both of one type: ONNX Runtime's u8 x s8 products are wrong on some CPUs, and it has no s8 x u8 ones.
        activation_type=kind,
        weight_type=kind,
        # Symmetric weights have one zero point for all channels, which the array needs; activations gain accuracy by one of their own.
        extra_options={"ActivationSymmetric": False, "WeightSymmetric": True},
    )


class _Samples(quantization.CalibrationDataReader):  # type: ignore[misc]
    def __init__(self, runs: Iterable[Sample]) -> None:
        self._runs = iter(runs)

    def get_next(self) -> Sample | None:
        """The inputs of the next run."""
        return next(self._runs, None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the quantiser's warnings, which speak of options that the recipe has settled, and NumPy's of ranges that overflow, which
    the scales show afterwards."""
    logging.disable(logging.ERROR)
    onnxruntime.set_default_logger_severity(_LOG_ERRORS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            yield
    finally:
        logging.disable(logging.NOTSET)
        onnxruntime.set_default_logger_severity(_LOG_WARNINGS)


def _require_float(graph: Graph) -> None:
    for node in graph.nodes:
        if node.op_type.startswith("QLinear") or node.op_type in ("QuantizeLinear", "DequantizeLinear", "QGemm", "DynamicQuantizeLinear"):
            raise ModelError(
                f"{graph.source}: quantised already (node {node.name} is {node.op_type}); run it: accel-sim model {graph.source},"
                " or quantise the floating-point model that it was made from"
            )


def _check_samples(graph: Graph, samples: Mapping[str, Array]) -> None:
    if set(samples) != set(graph.inputs):
        known = ", ".join(f"{name}: {graph.types[name]}" for name in graph.inputs)
        wanted = ", ".join(f"{name}=..." if name.isidentifier() else f'**{{"{name}": ...}}' for name in graph.inputs)
        raise InputError(
            f"arrays {', '.join(sorted(samples))}, but the model's inputs are {known}; write the file with numpy.savez(FILE, {wanted})"
        )
    for name, value in samples.items():
        if value.ndim and not len(value):
            raise InputError(f"calibration array {name} is empty, {list(value.shape)}; give some typical inputs, a hundred or so")
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            where = ", ".join(map(str, np.argwhere(~np.isfinite(value))[0]))
            raise InputError(f"calibration array {name} has {value[~np.isfinite(value)][0]} at [{where}]; only finite numbers have a range")


def _named(graph: Graph, path: Path) -> onnx.ModelProto:
    """The model with the names that its nodes have in the report, in an order in which they can run; its batch is as the file has it."""
    model = onnx.ModelProto()
    model.CopyFrom(graph.model)
    file = onnx.load(path, load_external_data=False).graph
    for mine, theirs in ((model.graph.input, file.input), (model.graph.output, file.output)):
        del mine[:]
        mine.extend(theirs)
    del model.graph.node[:]
    for node in sort_nodes(graph.nodes):
        proto = model.graph.node.add()
        proto.CopyFrom(node.proto)
        proto.name = node.name
    return model


def _ranks(graph: Graph) -> dict[str, int]:
    return {name: len(kind.shape) for name, kind in graph.types.items() if kind.shape is not None}


def _convert(source: str, model: onnx.ModelProto) -> onnx.ModelProto:
    version = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    if version >= _OPSET:
        return model
    try:
        return version_converter.convert_version(model, _OPSET)
    except Exception as error:  # the converter's errors have no common base
        text = " ".join(str(error).split())
        raise ModelError(
            f"{source}: opset {version} can't be converted to {_OPSET}, which int8 models need: {text}; export the model with a newer opset"
        ) from error


def _serialise(graph: Graph, model: onnx.ModelProto) -> bytes:
    """The same bytes for the same model: the quantiser leaves constants in the order of a set."""
    constants = sorted(model.graph.initializer, key=lambda tensor: tensor.name)
    del model.graph.initializer[:]
    model.graph.initializer.extend(constants)
    del model.graph.value_info[:]
    try:
        return bytes(model.SerializeToString(deterministic=True))
    except ValueError as error:
        raise ModelError(f"{graph.source}: the int8 model is larger than the 2 GB of one file") from error
