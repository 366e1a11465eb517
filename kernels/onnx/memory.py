"""Where tensors are during a run: in host memory, in the accelerator's DRAM, or both; and what it costs to reorder them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.layout import Layout, from_memory, to_memory
from accelkit.simulator import Session

Array = npt.NDArray[Any]


@dataclass
class Conversion:
    """A reordering of a tensor on the host between row-major (NCHW) and channels-last (NHWC) order."""

    tensor: str
    direction: str
    nbytes: int
    count: int = 0
    seconds: float = 0.0


class TensorMemory:
    """Values of one run. Buffers in DRAM are kept from run to run, their contents are not.

    A tensor and its views are one memory, called after the tensor. Moving a tensor between host and DRAM keeps its order unless
    the other side needs another one, which is a conversion.
    """

    def __init__(self, graph: Graph, roots: Mapping[str, str], session: Session) -> None:
        self._graph = graph
        self._roots = roots
        self._session = session
        self._addresses: dict[tuple[str, Layout], int] = {}
        self._host: dict[str, Array] = {}
        self._device: dict[str, set[Layout]] = {}
        self.conversions: dict[tuple[str, str], Conversion] = {}

    def start(self) -> None:
        """Forget all values of the run before."""
        self._host.clear()
        self._device.clear()

    def set_host(self, tensor: str, value: Array) -> None:
        """Give a tensor its value on the host."""
        self._host[tensor] = value

    def set_device(self, tensor: str, layout: Layout) -> None:
        """The accelerator has written the tensor to `address(tensor, layout)`."""
        self._device[tensor] = {layout}

    def address(self, tensor: str, layout: Layout) -> int:
        """The DRAM buffer of a tensor in an order, whatever it holds."""
        root = self._roots.get(tensor, tensor)
        if (root, layout) not in self._addresses:
            kind = self._graph.types[root]
            assert kind.dtype is not None
            order = f", {layout.items} x {layout.positions} x {layout.channels}" if layout else ""
            nbytes = kind.elements * kind.dtype.itemsize
            self._addresses[root, layout] = self._session.allocate(f"tensor {root}{order}", nbytes)
        return self._addresses[root, layout]

    def to_device(self, tensor: str, layout: Layout) -> int:
        """See to it that DRAM holds the tensor in that order; its address."""
        root = self._roots.get(tensor, tensor)
        address = self.address(root, layout)
        held = self._device.setdefault(root, set())
        if layout not in held:
            value = self.to_host(root)
            with self._counted(root, "NCHW to NHWC", layout):
                flat = to_memory(value, layout)
            self._session.write(address, flat)
            held.add(layout)
        return address

    def to_host(self, tensor: str) -> Array:
        """The tensor's value on the host, fetched from DRAM if need be."""
        root = self._roots.get(tensor, tensor)
        if root not in self._host:
            constant = self._graph.constant(root)
            self._host[root] = self._fetch(root) if constant is None else constant
        return self._shaped(tensor, self._host[root])

    def peek(self, tensor: str) -> Array | None:
        """The tensor's value for an onlooker, who moves nothing and costs nothing; None if no node has left it in memory."""
        root = self._roots.get(tensor, tensor)
        value = self._host.get(root)
        if value is None:
            if root not in self._device:
                return None
            layout = next(iter(self._device[root]))
            value = from_memory(self._bytes(root, layout), layout, self._shape(root))
        return self._shaped(tensor, value)

    def _fetch(self, root: str) -> Array:
        layout = next(iter(self._device[root]))
        flat = self._bytes(root, layout)
        with self._counted(root, "NHWC to NCHW", layout):
            return from_memory(flat, layout, self._shape(root))

    def _bytes(self, root: str, layout: Layout) -> Array:
        kind = self._graph.types[root]
        assert kind.dtype is not None
        data = self._session.read(self.address(root, layout), kind.elements * kind.dtype.itemsize)
        return data.view(kind.dtype)

    def _shape(self, tensor: str) -> tuple[int, ...]:
        shape = self._graph.types[tensor].shape
        assert shape is not None  # what is in DRAM or has views has a static shape
        return shape

    def _shaped(self, tensor: str, value: Array) -> Array:
        return value.reshape(self._shape(tensor)) if tensor in self._roots else value

    @contextmanager
    def _counted(self, root: str, direction: str, layout: Layout) -> Iterator[None]:
        """Count what happens inside as a conversion, unless the order is row-major anyway."""
        start = time.perf_counter()
        yield
        if layout is None:
            return
        kind = self._graph.types[root]
        assert kind.dtype is not None
        entry = self.conversions.setdefault(
            (root, direction), Conversion(root, direction, kind.elements * kind.dtype.itemsize)
        )
        entry.count += 1
        entry.seconds += time.perf_counter() - start
