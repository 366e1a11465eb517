"""Train the digits CNN, quantise it and write digits_int8.onnx beside this file: `python -m models.digits.train`.

Everything is seeded, so the same versions of NumPy, onnx and ONNX Runtime write the same bytes.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from models.digits import network
from models.digits.data import Images, Labels, count_correct, load_held_out, load_training

MODEL_PATH = Path(__file__).with_name("digits_int8.onnx")
SEED = 1797
EPOCHS, BATCH = 120, 32
PEAK_RATE, SMOOTHING = 2e-3, 0.05
AVERAGE_DECAY = 0.99  # of the running mean of the weights, which is what is exported
WEIGHT_GRID = 2.0**12  # exported weights are multiples of its inverse, an eighth of an int8 step or less
OPSET, IR_VERSION = 13, 8  # read by every onnx and onnxruntime that pyproject.toml allows


def train(images: Images, labels: Labels) -> network.Parameters:
    """Adam with a cosine rate over distorted images; the running mean of the weights, on the grid."""
    rng = np.random.RandomState(SEED)  # its stream is frozen for ever
    parameters = network.initialise(rng)
    first = {name: np.zeros_like(value) for name, value in parameters.items()}
    second = {name: np.zeros_like(value) for name, value in parameters.items()}
    mean = {name: value.copy() for name, value in parameters.items()}
    pixels = images.astype(np.float64)
    steps = EPOCHS * (len(images) // BATCH)
    for step in range(1, steps + 1):
        position = (step - 1) % (len(images) // BATCH)
        if position == 0:
            order = rng.permutation(len(images))
        chosen = order[position * BATCH : (position + 1) * BATCH]
        batch = network.distort(pixels[chosen], rng)
        gradients = network.loss_gradients(parameters, batch, labels[chosen], SMOOTHING)
        rate = PEAK_RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
        for name, gradient in gradients.items():
            first[name] += 0.1 * (gradient - first[name])
            second[name] += 0.001 * (gradient**2 - second[name])
            update = (first[name] / (1 - 0.9**step)) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
            parameters[name] -= rate * update
            mean[name] += (1 - AVERAGE_DECAY) * (parameters[name] - mean[name])
    return {name: np.round(value * WEIGHT_GRID) / WEIGHT_GRID for name, value in mean.items()}


def build_float_model(parameters: network.Parameters) -> onnx.ModelProto:
    """Conv and Relu three times, Flatten, Gemm: float32 images [N, 1, 8, 8] to logits [N, 10]."""
    nodes, tensor = [], "images"
    for conv in network.CONVS:
        operands = [tensor, f"{conv.name}_w", f"{conv.name}_b"]
        pads, strides = [conv.kernel // 2] * 4, [conv.stride] * 2
        nodes.append(helper.make_node("Conv", operands, [conv.name], conv.name, pads=pads, strides=strides))
        tensor = f"{conv.name}_relu"
        nodes.append(helper.make_node("Relu", [conv.name], [tensor], tensor))
    nodes.append(helper.make_node("Flatten", [tensor], ["features"], "flatten"))
    nodes.append(helper.make_node("Gemm", ["features", "gemm_w", "gemm_b"], ["logits"], "gemm", transB=1))
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", network.CLASSES])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in parameters.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    return model


class TrainingImages(CalibrationDataReader):  # type: ignore[misc] # ONNX Runtime is untyped
    """All training images, undistorted and in one batch, to calibrate the activation ranges."""

    def __init__(self, images: Images) -> None:
        self.batches = iter([{"images": images}])

    def get_next(self) -> dict[str, Images] | None:
        return next(self.batches, None)


def quantise(model: onnx.ModelProto, images: Images) -> onnx.ModelProto:
    """QOperator form with s8 activations and s8 weights per channel; Relus become clipping at the zero point."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
        onnx.save(model, source)
        quantize_static(
            source,
            target,
            TrainingImages(images),
            quant_format=QuantFormat.QOperator,
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
        )
        return onnx.load(target)


def run(model: onnx.ModelProto, images: Images) -> np.ndarray:
    """Logits [N, 10] of a single-threaded ONNX Runtime session on the CPU."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"images": images})[0])


def main() -> None:
    parser = argparse.ArgumentParser(description="Train, quantise and write the digits model.")
    parser.add_argument("--output", type=Path, default=MODEL_PATH)
    output: Path = parser.parse_args().output
    images, labels = load_training()
    float_model = build_float_model(train(images, labels))
    int8_model = quantise(float_model, images)
    held_out, held_out_labels = load_held_out()
    for name, model in (("float32", float_model), ("int8", int8_model)):
        correct = count_correct(run(model, held_out), held_out_labels)
        print(f"{name}: {correct} of {len(held_out)} held-out images ({100 * correct / len(held_out):.2f} %)")
    temporary = output.with_name(output.name + ".tmp")
    temporary.write_bytes(int8_model.SerializeToString(deterministic=True))
    temporary.replace(output)
    print(f"{output}: {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
