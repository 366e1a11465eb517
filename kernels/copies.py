"""Plans made of copies of boxes by the `move` kernel, and of lookups that write into a box, see docs/kernels.md."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.kernels.boxes import Box, copy_moves
from accelkit.kernels.checks import dram_problem
from accelkit.kernels.elementwise import lookup_launch
from accelkit.kernels.move import Move, move_cycles, move_step
from accelkit.kernels.plan import Buffer, Plan, Refusal, Step

Copy = tuple[Box, Box]  # source and destination, of one shape
Lookup = tuple[Box, Box, Buffer]  # and the table between them


def plan_copies(
    machine: Machine,
    kernel: str,
    inputs: Mapping[str, int],
    y_shape: tuple[int, ...],
    copies: Sequence[Copy],
    fills: Sequence[Move] = (),
    lookups: Sequence[Lookup] = (),
    workspaces: Mapping[str, int] | None = None,
) -> Plan | Refusal:
    """A plan that fills, then copies, then looks up, each in order. `inputs` and `workspaces` are bytes of buffers by name; the result
    is the bytes of "y"."""
    if min((*inputs.values(), *y_shape)) < 1:
        return Refusal(f"an empty tensor: {kernel} gives {list(y_shape)}")
    written = dict(workspaces or {}) | {"y": prod(y_shape)}
    buffers = (
        *(Buffer(name, nbytes) for name, nbytes in inputs.items()),
        *(table for *_, table in lookups),
        *(Buffer(name, nbytes, is_writable=True) for name, nbytes in written.items()),
    )
    if problem := dram_problem(machine, buffers):
        return Refusal(problem)
    moves = _moves(machine, copies, fills, written)
    if isinstance(moves, Refusal):
        return moves
    steps: list[Step] = []
    cycles = 0
    for move in moves:
        step = move_step(machine, move)
        if isinstance(step, Refusal):
            return step
        steps.append(step)
        cycles += move_cycles(machine, move)
    for source, result, table in lookups:
        launch = lookup_launch(machine, source, result, table.name, written[result.buffer])
        if isinstance(launch, Refusal):
            return launch
        steps.append(launch.step)
        cycles += launch.cycles
    tables = f", {len(lookups)} lookups" if lookups else ""
    return Plan(
        kernel=kernel,
        machine=machine,
        buffers=buffers,
        steps=tuple(steps),
        output="y",
        output_shape=y_shape,
        output_dtype=np.dtype(np.uint8),
        macs=0,
        estimate_cycles=cycles + (len(steps) - 1) * machine.launch_cycles,
        tiling=f"{len(moves)} moves{tables}",
    )


def _moves(
    machine: Machine, copies: Sequence[Copy], fills: Sequence[Move], written: Mapping[str, int]
) -> list[Move] | Refusal:
    moves = list(fills)
    for source, result in copies:
        found = copy_moves(machine, source, result, written[result.buffer])
        if isinstance(found, Refusal):
            return found
        if moves and moves[-1].nbytes == 0:  # one launch fills and copies
            found[0] = replace(found[0], fill=moves.pop().fill)
        moves += found
    return moves
