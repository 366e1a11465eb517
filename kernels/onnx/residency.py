"""Which activations stay in the scratchpad between launches, see docs/adr/0011-residency.md: the pass between schedule and memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from accelkit.isa.machine import Machine
from accelkit.kernels.conv2d import Conv2dCase, plan_conv2d
from accelkit.kernels.epilogue import Residual
from accelkit.kernels.onnx.areas import Area, launch_areas
from accelkit.kernels.onnx.cost import plan_cycles
from accelkit.kernels.onnx.graph import Graph
from accelkit.kernels.onnx.schedule import Island, Launch, Step
from accelkit.kernels.plan import Plan, Refusal
from accelkit.kernels.pooling import PoolCase, plan_pool
from accelkit.kernels.residency import Frame, Stays

RESIDUAL = "residual"


@dataclass
class _Tensor:
    """A tensor in DRAM: the step that writes it, and the launches that read it, each with the buffer that it is there."""

    writer: int
    readers: list[tuple[int, str]]

    @property
    def last(self) -> int:
        """The step that needs it last."""
        return max(number for number, _ in self.readers)


def keep_on_chip(
    steps: Sequence[Step], graph: Graph, roots: Mapping[str, str], machine: Machine
) -> tuple[Step, ...]:
    """The same steps, with plans that leave tensors in the scratchpad wherever that is not expected to cost cycles."""
    keeper = _Keeper(list(steps), machine, _tensors(steps, graph, roots))
    for group in keeper.groups():
        keeper.keep(group)
    return tuple(keeper.steps)


def _tensors(steps: Sequence[Step], graph: Graph, roots: Mapping[str, str]) -> dict[Area, _Tensor]:
    """The tensors that nothing but kernels that can do so write and read, the latter after the former."""
    tensors: dict[Area, _Tensor] = {}
    barred: set[Area] = set()
    for number, step in enumerate(steps):
        if isinstance(step, Island):
            continue
        if not isinstance(step, Launch):
            barred.add(Area(step.tensor, step.layout))
            continue
        areas = launch_areas(step, number, graph, roots)
        for name, area in areas.items():
            if area.step >= 0:
                continue
            if list(areas.values()).count(area) > 1:
                barred.add(area)  # x and residual at once: array and vector unit would read one bank
            if name == step.task.plan.output:
                if area in tensors or not _can_leave(step):
                    barred.add(area)
                tensors[area] = _Tensor(number, [])
            elif area in tensors and _can_read(step, name):
                tensors[area].readers.append((number, name))
            else:
                barred.add(area)
    return {area: tensor for area, tensor in tensors.items() if tensor.readers and area not in barred}


def _can_leave(step: Launch) -> bool:
    case = step.task.call.case
    return isinstance(case, Conv2dCase | PoolCase) and case.x_shape[0] == 1


def _can_read(step: Launch, name: str) -> bool:
    case = step.task.call.case
    if isinstance(case, PoolCase):
        return name == "x" and (case.is_average or not any(case.pads))
    return isinstance(case, Conv2dCase) and name in ("x", RESIDUAL)


class _Keeper:
    """Keeps one group of tensors after the other, as long as cycles don't grow."""

    def __init__(self, steps: list[Step], machine: Machine, tensors: dict[Area, _Tensor]) -> None:
        self.steps = steps
        self._machine = machine
        self._tensors = tensors
        self._frames: dict[Area, Frame] = {}  # of what is kept
        self._of_step: dict[int, dict[str, Area]] = {}  # tensors of a step, by role
        for area, tensor in tensors.items():
            self._of_step.setdefault(tensor.writer, {})["y"] = area
            for number, name in tensor.readers:
                self._of_step.setdefault(number, {})[name] = area

    def groups(self) -> Iterator[list[Area]]:
        """Tensors that stay together or not at all, for a sum and its residual do; in the order in which they are made."""
        group_of = {area: {area} for area in self._tensors}
        lost: set[Area] = set()
        for number, step in enumerate(self.steps):
            case = step.task.call.case if isinstance(step, Launch) else None
            if not isinstance(case, Conv2dCase) or not isinstance(case.epilogue, Residual):
                continue
            roles = self._of_step.get(number, {})
            sides = [roles[role] for role in ("y", RESIDUAL) if role in roles]
            if len(sides) < 2:
                lost.update(sides)
                continue
            both = group_of[sides[0]] | group_of[sides[1]]
            group_of.update(dict.fromkeys(both, both))
        seen: set[Area] = set()
        for area in self._tensors:
            group = group_of[area]
            if area not in seen and not group & lost:
                yield sorted(group, key=lambda area: self._tensors[area].writer)
            seen |= group

    def keep(self, group: list[Area]) -> None:
        """Keep the tensors if there is room, all launches meanwhile can be planned, and they are not expected to take longer."""
        frames = self._place(group)
        if frames is None:
            return
        tried = self._frames | frames
        numbers = sorted({n for area in group for n in range(self._tensors[area].writer, self._tensors[area].last + 1)})
        launches = {n: step for n in numbers if isinstance(step := self.steps[n], Launch)}
        changed: dict[int, Launch] = {}
        for number, step in launches.items():
            stays = self._stays(number, tried)
            plan = _plan(self._machine, step, stays)
            if isinstance(plan, Refusal):
                return
            changed[number] = replace(step, task=replace(step.task, plan=plan), stays=stays)
        if _cycles(changed.values()) <= _cycles(launches.values()):
            self._frames = tried
            for number, step in changed.items():
                self.steps[number] = step

    def _place(self, group: list[Area]) -> dict[Area, Frame] | None:
        """Frames in whole banks, as high as those leave room that are kept at the same time; bank 0 stays free."""
        frames: dict[Area, Frame] = {}
        frame, bank_rows = self._frame(group), self._machine.scratchpad_bank_rows
        for area in group:
            met = {other: f for other, f in (self._frames | frames).items() if self._meet(area, other)}
            end = self._machine.scratchpad_banks
            for other, f in sorted(met.items(), key=lambda item: -item[1].first):
                first = f.first // bank_rows
                if end - first - self._banks(other, f) >= self._banks(area, frame):
                    break
                end = first
            first, borders = end - self._banks(area, frame), self._borders(area)
            if first < 1 or len(borders) > 1:
                return None
            frames[area] = replace(frame, first=first * bank_rows, border=min(borders, default=0))
        return frames

    def _banks(self, area: Area, frame: Frame) -> int:
        rows = frame.block_rows * -(-self._case(self._tensors[area].writer).y_shape[3] // self._machine.lanes)
        return -(-rows // self._machine.scratchpad_bank_rows)

    def _meet(self, one: Area, other: Area) -> bool:
        a, b = self._tensors[one], self._tensors[other]
        return a.writer <= b.last and b.writer <= a.last

    def _case(self, number: int) -> Conv2dCase | PoolCase:
        step = self.steps[number]
        assert isinstance(step, Launch)
        assert isinstance(step.task.call.case, Conv2dCase | PoolCase)
        return step.task.call.case

    def _frame(self, group: list[Area]) -> Frame:
        """One for all: with room for the padding of every reader."""
        pads = [(0, 0, 0, 0), *(case.pads for area in group for case in self._padding(area))]
        top, left, bottom, right = (max(pad[side] for pad in pads) for side in range(4))
        _, height, width, _ = self._case(self._tensors[group[0]].writer).y_shape
        return Frame(0, top + height + bottom, left + width + right, top, left)

    def _borders(self, area: Area) -> set[int]:
        """The bytes that readers want for padding: mostly one, the tensor's zero point."""
        return {case.x.zero_point for case in self._padding(area) if any(case.pads)}

    def _padding(self, area: Area) -> Iterator[Conv2dCase]:
        """The convolutions of a tensor."""
        for number, name in self._tensors[area].readers:
            step = self.steps[number]
            if name == "x" and isinstance(step, Launch) and isinstance(step.task.call.case, Conv2dCase):
                yield step.task.call.case

    def _stays(self, number: int, frames: Mapping[Area, Frame]) -> Stays:
        live = [
            frame.first // self._machine.scratchpad_bank_rows
            for area, frame in frames.items()
            if self._tensors[area].writer <= number <= self._tensors[area].last
        ]
        roles = {role: frames[area] for role, area in self._of_step.get(number, {}).items() if area in frames}
        return Stays(roles.get("x"), roles.get("y"), roles.get(RESIDUAL), min(live, default=None))


def _plan(machine: Machine, step: Launch, stays: Stays) -> Plan | Refusal:
    case = step.task.call.case
    if isinstance(case, Conv2dCase):
        return plan_conv2d(machine, case, stays=stays)
    if isinstance(case, PoolCase):
        return plan_pool(machine, case, stays)
    plan = step.task.call.plan(stays.within(machine))
    return plan if isinstance(plan, Refusal) else replace(plan, machine=machine)


def _cycles(launches: Iterable[Launch]) -> int:
    return sum(plan_cycles(launch.task.plan) for launch in launches)
