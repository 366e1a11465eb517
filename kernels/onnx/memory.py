"""Where tensors are during a run: on the host, in the accelerator's DRAM, or both; and what moving them between the two costs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from accelkit.kernels.onnx.areas import Area
from accelkit.kernels.onnx.arena import Arena
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.layout import Layout, describe_layout, from_memory, to_memory
from accelkit.kernels.residency import Frame
from accelkit.simulator import Mode, Session

Array = npt.NDArray[Any]


@dataclass
class Transfer:
    """A tensor that crosses between host and DRAM in each run; `order` is its layout in DRAM if the host reorders it."""

    tensor: str
    direction: str
    order: str
    nbytes: int
    count: int = 0
    seconds: float = 0.0


class TensorMemory:
    """Values of one run.

    An area of DRAM is a declared buffer of the session for as long as it holds something: a kernel that touches DRAM outside what lives
    at its launch, or reads what nothing has written since the area was taken, is stopped.
    """

    def __init__(self, graph: Graph, roots: Mapping[str, str], arena: Arena[Area], session: Session) -> None:
        """Take the arena's DRAM; ValueError if it doesn't fit."""
        self._graph = graph
        self._roots = roots
        self._session = session
        self._offsets = arena.offsets
        self._base = session.reserve("activations", arena.nbytes) if arena.nbytes else 0
        self._host: dict[str, Array] = {}
        self._constants: dict[tuple[str, Layout], int] = {}
        self.transfers: dict[tuple[str, str], Transfer] = {}

    def start(self) -> None:
        """Forget all values of the run before."""
        self._host.clear()

    def address(self, area: Area) -> int:
        """Where an area lies whenever it holds something."""
        return self._base + self._offsets[area]

    def take(self, area: Area, nbytes: int) -> None:
        """An area begins to hold something."""
        self._session.declare(_name(area), self.address(area), nbytes)

    def release(self, area: Area) -> None:
        """An area's DRAM may hold something else."""
        self._session.release(_name(area))

    def constant(self, tensor: str, layout: Layout) -> int:
        """The address of a constant of the graph that a kernel reads as it is; it is written once."""
        if (tensor, layout) not in self._constants:
            value = self._graph.constant(tensor)
            assert value is not None
            address = self._session.allocate(f"constant {tensor} {describe_layout(layout)}", value.nbytes, is_writable=False)
            if self._session.mode is not Mode.TIMING:
                self._session.write(address, to_memory(value, layout))
            self._constants[tensor, layout] = address
        return self._constants[tensor, layout]

    def set_host(self, tensor: str, value: Array) -> None:
        """Give a tensor its value on the host."""
        self._host[tensor] = value

    def host(self, tensor: str) -> Array:
        """The tensor's value on the host; KeyError if it isn't there."""
        root = self._roots.get(tensor, tensor)
        value = self._graph.constant(root)
        value = self._host[root] if value is None else value
        shape = self._graph.types[tensor].shape
        return value if shape is None or tensor == root else value.reshape(shape)

    def upload(self, tensor: str, layout: Layout) -> None:
        """Write a tensor to its area."""
        value = self.host(tensor)
        start = time.perf_counter()
        self._session.write(self.address(Area(tensor, layout)), to_memory(value, layout))
        self._count(tensor, "to DRAM", layout, value.nbytes, time.perf_counter() - start)

    def download(self, tensor: str, layout: Layout) -> None:
        """Fetch a tensor from its area."""
        start = time.perf_counter()
        value = self.look(tensor, layout)
        self._count(tensor, "to host", layout, value.nbytes, time.perf_counter() - start)
        self._host[tensor] = value

    def look(self, tensor: str, layout: Layout, frame: Frame | None = None) -> Array:
        """The value in an area, or in a frame of the scratchpad, for an onlooker who moves nothing and costs nothing."""
        kind = self._graph.types[tensor]
        assert kind.dtype is not None
        assert kind.shape is not None  # what is in DRAM has a static shape
        if frame is not None:
            height, width, channels = _sizes(kind.shape)
            data = np.ascontiguousarray(frame.tensor(self._session.memories.scratchpad, (height, width), channels)).reshape(-1)
        else:
            data = self._session.read(self.address(Area(tensor, layout)), kind.elements * kind.dtype.itemsize)
        return from_memory(data.view(kind.dtype), layout, kind.shape)

    def _count(self, tensor: str, direction: str, layout: Layout, nbytes: int, seconds: float) -> None:
        order = "" if layout is None else describe_layout(layout)
        entry = self.transfers.setdefault((tensor, direction), Transfer(tensor, direction, order, nbytes))
        entry.count += 1
        entry.seconds += seconds


def _sizes(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Height, width and channels of one image, which a convolution of one or two dimensions has made."""
    _, channels, *sizes = shape
    height, width = (1, *sizes)[-2:]
    return height, width, channels


def _name(area: Area) -> str:
    if area.step >= 0:
        return f"workspace {area.tensor} of step {area.step}"
    layout = area.layout
    return f"tensor {area.tensor}" + (f", {layout.items} x {layout.positions} x {layout.channels}" if layout else "")
