"""Random quantised networks: images through blocks of all kinds of operators, with skips, branches and islands of float nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from hypothesis import strategies as st
from onnx import helper

from tests.kernels.onnx.builder import MICROSOFT, Builder

Shape = tuple[int, int, int, int]


class Network:
    """Grows a network from its input x; `shapes` are those of its images so far, `tensors` all that nodes make."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.b = Builder(draw(st.sampled_from([np.int8, np.uint8])), seed=draw(st.integers(0, 1000)))
        self.input: Shape = (self.number(1, 2), self.number(1, 20), self.number(3, 9), self.number(3, 9))
        self.shapes: dict[str, Shape] = {"x": self.input}
        self.tensors: list[str] = []

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def name(self) -> str:
        """A new tensor's name."""
        self.tensors.append(f"t{len(self.tensors)}")
        return self.tensors[-1]

    def ints(self, values: list[int]) -> str:
        return self.b.constant(f"c{len(self.b.constants)}", values, np.int64)

    def quantised(self, op_type: str, x: str, **attributes: object) -> str:
        """A node of com.microsoft with one tensor and a result of another scale."""
        y = self.name()
        scales = [*self.b.scale(f"{y}_x", 0.0234375, self.b.middle(3)), *self.b.scale(f"{y}_y", 0.03125, self.b.middle(-7))]
        return self.b.node(op_type, [x, *scales], y, MICROSOFT, **attributes)

    def image(self, y: str, shape: Shape) -> str:
        self.shapes[y] = shape
        return y

    def conv(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        outputs, pad, stride = self.number(1, 20), self.number(0, 2), self.number(1, 2)
        kernel = self.number(1, min(3, h + 2 * pad)), self.number(1, min(3, w + 2 * pad))
        y = self.b.conv(x, self.name(), c, outputs, kernel, pads=[pad] * 4, strides=[stride] * 2)
        height, width = ((size + 2 * pad - taps) // stride + 1 for size, taps in zip((h, w), kernel, strict=True))
        self.image(y, (n, outputs, height, width))

    def depthwise(self, x: str) -> None:
        c = self.shapes[x][1]
        self.image(self.b.conv(x, self.name(), 1, c, group=c, pads=[1, 1, 1, 1]), self.shapes[x])

    def add(self, x: str) -> None:
        others = [name for name, shape in self.shapes.items() if shape == self.shapes[x]]
        self.image(self.b.add(*self.draw(st.permutations([x, self.draw(st.sampled_from(others))])), self.name()), self.shapes[x])

    def gate(self, x: str) -> None:
        """Squeeze and excitation: a factor for each channel."""
        c = self.shapes[x][1]
        squeezed = self.quantised("QLinearGlobalAveragePool", x)
        gate = self.quantised("QLinearSigmoid", self.b.conv(squeezed, self.name(), c, c, (1, 1)))
        y = self.name()
        scales = [name for side in "abc" for name in self.b.scale(f"{y}_{side}", 0.03 if side != "b" else 1 / 128, self.b.middle(1))]
        self.image(self.b.node("QLinearMul", [x, *scales[:2], gate, *scales[2:]], y, MICROSOFT), self.shapes[x])

    def concat(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        fitting = [name for name, shape in self.shapes.items() if (shape[0], *shape[2:]) == (n, h, w) and shape[1] + c < 60]
        if not fitting:
            return
        other = self.draw(st.sampled_from(fitting))
        y = self.name()
        if self.draw(st.booleans()):
            self.b.node("Concat", [x, other], y, axis=1)
        else:
            scales = [self.b.scale(f"{y}_{side}", scale, self.b.middle(2)) for side, scale in (("y", 0.03), ("a", 0.02), ("b", 0.04))]
            self.b.node("QLinearConcat", [*scales[0], x, *scales[1], other, *scales[2]], y, MICROSOFT, axis=-3)
        self.image(y, (n, c + self.shapes[other][1], h, w))

    def pool(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        taps = min(2, h), min(2, w)
        shape = (n, c, h // 2 if h > 1 else 1, w // 2 if w > 1 else 1)
        if self.draw(st.booleans()):
            y = self.b.node("MaxPool", [x], self.name(), kernel_shape=taps, strides=taps)
        else:
            y = self.quantised("QLinearAveragePool", x, kernel_shape=taps, strides=taps)
        self.image(y, shape)

    def shuffle(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        groups = self.draw(st.sampled_from([g for g in range(1, c + 1) if c % g == 0]))
        apart = self.b.node("Reshape", [x, self.ints([n, groups, c // groups, h, w])], self.name())
        turned = self.b.node("Transpose", [apart], self.name(), perm=[0, 2, 1, 3, 4])
        self.image(self.b.node("Reshape", [turned, self.ints([n, c, h, w])], self.name()), (n, c, h, w))

    def function(self, x: str) -> None:
        kinds = ["Clip", "QLinearLeakyRelu", "QLinearSigmoid"] + ["Relu"] * (self.b.dtype == np.int8)
        kind = self.draw(st.sampled_from(kinds))
        if kind.startswith("QLinear"):
            y = self.quantised(kind, x, **({"alpha": 0.3} if kind == "QLinearLeakyRelu" else {}))
        else:
            bounds = [self.b.constant(f"{kind}{len(self.tensors)}_{bound}", self.b.middle(bound), self.b.dtype) for bound in (-9, 50)]
            y = self.b.node(kind, [x, *(bounds if kind == "Clip" else [])], self.name())
        self.image(y, self.shapes[x])

    def resize(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        if h * w > 100:
            return
        y = self.b.node("Resize", [x, "", "", self.ints([n, c, 2 * h, w])], self.name(), mode="nearest")
        self.image(y, (n, c, 2 * h, w))

    def halves(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        if c < 2:
            return
        names = [self.name(), self.name()]
        sizes = self.ints([c // 2, c - c // 2])
        self.b.nodes.append(helper.make_node("Split", [x, sizes], names, f"{names[0]}_node", axis=1))
        for name, size in zip(names, (c // 2, c - c // 2), strict=True):
            self.image(name, (n, size, h, w))

    def framed(self, x: str) -> None:
        n, c, h, w = self.shapes[x]
        y = self.b.node("Pad", [x, self.ints([0, 0, 1, 0, 0, 0, 0, 1])], self.name())
        self.image(y, (n, c, h + 1, w + 1))

    def island(self, x: str) -> None:
        """A node in floating point, which stays on the CPU."""
        number = self.b.node("DequantizeLinear", [x, *self.b.scale(f"{x}_{len(self.tensors)}", 0.03, self.b.middle(1))], self.name())
        soft = self.b.node("Softmax", [number], self.name(), axis=1)
        y = self.name()
        self.image(self.b.node("QuantizeLinear", [soft, *self.b.scale(y, 1 / 256, self.b.middle(-128))], y), self.shapes[x])

    def classifier(self, x: str) -> str:
        n, *rest = self.shapes[x]
        features = int(np.prod(rest))
        target = self.ints([n, features] if self.draw(st.booleans()) else [n, -1])
        flat = self.b.node("Reshape", [x, target], self.name())
        return self.b.gemm(flat, self.name(), features, self.number(1, 20))


KINDS: list[Callable[[Network, str], None]] = [
    Network.conv, Network.depthwise, Network.add, Network.gate, Network.concat, Network.pool, Network.shuffle, Network.function,
    Network.resize, Network.halves, Network.framed, Network.island,
]  # fmt: skip


@st.composite
def networks(draw: st.DrawFn) -> tuple[onnx.ModelProto, Shape, list[str]]:
    """A model of an input x, that shape, and all its tensors."""
    net = Network(draw)
    net.conv("x")
    for _ in range(draw(st.integers(1, 6))):
        x = draw(st.sampled_from(list(net.shapes)[-3:]))
        draw(st.sampled_from(KINDS))(net, x)
    images = [name for name in net.shapes if name != "x"]
    outputs = [draw(st.sampled_from(images))]
    if draw(st.booleans()):
        outputs.append(net.classifier(draw(st.sampled_from(images))))
    return net.b.model({"x": [*net.input]}, outputs, opset=14), net.input, net.tensors
