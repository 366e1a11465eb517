"""Boxes of bytes in a buffer, cut and permuted like NumPy's views, and the moves that copy one to another."""

from dataclasses import dataclass, replace
from itertools import permutations, product
from math import prod

from accelkit.isa.machine import Machine
from accelkit.kernels.move import Axis, Fill, Move, copy_cycles
from accelkit.kernels.plan import Place, Refusal

MOST_MOVES = 64  # a copy of more levels than a move has is cut into so many moves at most


@dataclass(frozen=True)
class Box:
    """Bytes of a buffer by indices: index i of axis a adds `i * pitches[a]` to `offset`. A pitch may be 0 or negative."""

    buffer: str
    offset: int
    shape: tuple[int, ...]
    pitches: tuple[int, ...]

    def transposed(self, order: tuple[int, ...]) -> "Box":
        """Axis a of the result is axis `order[a]` of this box."""
        return replace(
            self, shape=tuple(self.shape[a] for a in order), pitches=tuple(self.pitches[a] for a in order)
        )

    def cut(self, axis: int, start: int, count: int, step: int = 1) -> "Box":
        """`count` indices of an axis, from `start` on, `step` apart."""
        shape, pitches = list(self.shape), list(self.pitches)
        offset = self.offset + start * pitches[axis]
        shape[axis], pitches[axis] = count, pitches[axis] * step
        return Box(self.buffer, offset, tuple(shape), tuple(pitches))

    def split(self, axis: int, inner: int) -> "Box":
        """An axis as two: parts of `inner`, and the index inside a part."""
        shape = (*self.shape[:axis], self.shape[axis] // inner, inner, *self.shape[axis + 1 :])
        pitch = self.pitches[axis]
        return replace(
            self, shape=shape, pitches=(*self.pitches[:axis], pitch * inner, pitch, *self.pitches[axis + 1 :])
        )

    def repeated(self, axis: int, count: int) -> "Box":
        """A new axis behind `axis` that repeats the same bytes."""
        at = axis + 1
        return replace(
            self,
            shape=(*self.shape[:at], count, *self.shape[at:]),
            pitches=(*self.pitches[:at], 0, *self.pitches[at:]),
        )


def dense(buffer: str, shape: tuple[int, ...]) -> Box:
    """All bytes of a buffer, row-major."""
    pitches = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return Box(buffer, 0, shape, pitches)


def copy_moves(machine: Machine, src: Box, dst: Box, dst_bytes: int) -> list[Move] | Refusal:
    """The moves that copy `src` to `dst`, boxes of the same shape, cheapest order of the axes first."""
    assert src.shape == dst.shape, (src, dst)
    axes = [Axis(*axis) for axis in zip(src.shape, src.pitches, dst.pitches, strict=True) if axis[0] != 1]
    axes = _joined(sorted(axes, key=lambda axis: (-abs(axis.dst_pitch), -abs(axis.src_pitch))))
    nbytes = 1
    for axis in axes:
        if axis.src_pitch == axis.dst_pitch == 1:
            nbytes = axis.count
            axes.remove(axis)
            break
    outer = sorted(axes, key=lambda axis: axis.count)[: max(0, len(axes) - 3)]
    axes = [axis for axis in axes if axis not in outer]
    if prod(axis.count for axis in outer) > MOST_MOVES:
        return Refusal(f"a copy with {len(outer) + len(axes) + 1} levels of strides; the kernel has 4")
    order = min(permutations(axes), key=lambda axes: copy_cycles(machine, axes, nbytes))
    return [
        Move(
            Place(src.buffer, src.offset + sum(i * axis.src_pitch for i, axis in zip(at, outer, strict=True))),
            Place(dst.buffer),
            dst_bytes,
            order,
            nbytes,
            first=dst.offset + sum(i * axis.dst_pitch for i, axis in zip(at, outer, strict=True)),
        )
        for at in product(*(range(axis.count) for axis in outer))
    ]


def fill_moves(boxes: list[Box], value: int, dst_bytes: int) -> list[Move] | Refusal:
    """The moves that write one byte all over some boxes of a buffer."""
    moves = []
    for box in boxes:
        axes = [Axis(count, 0, pitch) for count, pitch in zip(box.shape, box.pitches, strict=True) if count != 1]
        axes = _joined(axes)
        nbytes = axes.pop().count if axes and axes[-1].dst_pitch == 1 else 1
        outer = sorted(axes, key=lambda axis: axis.count)[: max(0, len(axes) - 2)]
        axes = [axis for axis in axes if axis not in outer]
        if prod(axis.count for axis in outer) > MOST_MOVES:
            return Refusal(f"a border with {len(outer) + len(axes) + 1} levels of strides; the kernel has 3")
        planes, rows = (Axis(1, 0, 0),) * (2 - len(axes)) + tuple(axes)
        for at in product(*(range(axis.count) for axis in outer)):
            fill = Fill(
                box.offset + sum(i * axis.dst_pitch for i, axis in zip(at, outer, strict=True)),
                nbytes,
                value,
                rows.count,
                rows.dst_pitch,
                planes=planes.count,
                plane_pitch=planes.dst_pitch,
            )
            moves.append(Move(Place(box.buffer), Place(box.buffer), dst_bytes, fill=fill))
    return moves


def _joined(axes: list[Axis]) -> list[Axis]:
    """Neighbours that lie evenly apart on both sides as one axis."""
    joined: list[Axis] = []
    for axis in axes:
        outer = joined[-1] if joined else None
        if (
            outer
            and outer.src_pitch == axis.count * axis.src_pitch
            and outer.dst_pitch == axis.count * axis.dst_pitch
        ):
            axis = replace(axis, count=outer.count * axis.count)
            joined.pop()
        joined.append(axis)
    return joined
