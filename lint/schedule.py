"""The machine without times: what issues, in an order that respects happens-before, which post each wait takes, and what is stuck.

Queues and channels are FIFOs with one producer and one consumer, so the outcome does not depend on the order of evaluation: what is
stuck here is stuck at every timing (docs/adr/0007).
"""

from collections import deque
from dataclasses import dataclass, field

from accelkit.isa.units import CHANNELS, QUEUED_UNITS, Unit
from accelkit.lint.capture import Captured
from accelkit.lint.sequencer import Trace

FENCE = -1


@dataclass
class Schedule:
    """Numbers are those of `Trace.tensors`.

    `order` is the order of issue, with FENCE where the sequencer passes one. `taken[n]` are the numbers of the posts that n's waits
    take, in the order of `Captured.waits`. `stuck` has the oldest instruction of each unit that never issues, with the channels
    whose post is missing; `blocked` is the instruction (fence: its number in `Trace.fences` is `blocked_fence`) that the sequencer
    can't dispatch, None if it came to its end. `posts[channel]` are all posts made; those from `waited[channel]` on are left over.
    """

    order: list[int] = field(default_factory=list)
    taken: dict[int, list[int]] = field(default_factory=dict)
    stuck: list[tuple[int, list[int]]] = field(default_factory=list)
    queued: int = 0
    blocked: int | None = None
    is_fence_blocked: bool = False
    posts: list[list[int]] = field(default_factory=lambda: [[] for _ in CHANNELS])
    waited: list[int] = field(default_factory=lambda: [0] * len(CHANNELS))

    @property
    def is_deadlock(self) -> bool:
        """Whether something waits for ever. (After a dispatch fault what is left in queues does not count: ask the trace.)"""
        return bool(self.stuck) or self.blocked is not None


def schedule(trace: Trace, queue_depth: int) -> Schedule:
    """Evaluate a trace on queues of that depth."""
    result = Schedule()
    queues: dict[Unit, deque[int]] = {unit: deque() for unit in QUEUED_UNITS}
    fences = deque(trace.fences)
    for number, tensor in enumerate(trace.tensors):
        if not _pass_fences(number, fences, queues, result):
            break
        queue = queues[tensor.unit]
        if len(queue) >= queue_depth:
            result.blocked = number
            break
        queue.append(number)
        if len(queue) == 1:
            _issue(tensor.unit, trace.tensors, queues, result)
    else:
        _pass_fences(len(trace.tensors), fences, queues, result)
    for queue in queues.values():
        if queue:
            missing = [c for c in trace.tensors[queue[0]].waits if result.waited[c] >= len(result.posts[c])]
            result.stuck.append((queue[0], missing))
            result.queued += len(queue)
    return result


def _pass_fences(number: int, fences: deque[int], queues: dict[Unit, deque[int]], result: Schedule) -> bool:
    """Let the sequencer pass the fences before tensor instruction `number`; False if it can't."""
    while fences and fences[0] == number:
        if any(queues.values()):
            result.blocked, result.is_fence_blocked = number, True
            return False
        result.order.append(FENCE)
        fences.popleft()
    return True


def _issue(unit: Unit, tensors: list[Captured], queues: dict[Unit, deque[int]], result: Schedule) -> None:
    """Issue what the unit can, and what its posts set free in others."""
    ready = [unit]
    while ready:
        queue = queues[ready.pop()]
        while queue:
            number = queue[0]
            tensor = tensors[number]
            if any(result.waited[channel] >= len(result.posts[channel]) for channel in tensor.waits):
                break
            queue.popleft()
            result.order.append(number)
            if tensor.waits:
                result.taken[number] = [result.posts[c][result.waited[c]] for c in tensor.waits]
            for channel in tensor.waits:
                result.waited[channel] += 1
            for channel in tensor.posts:
                result.posts[channel].append(number)
                ready.append(CHANNELS[channel].consumer)
