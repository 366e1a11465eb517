"""Before the first launch of a process: what launches and their accounts need of the core is compiled where the cache lacks it, side by
side."""

import numpy as np

from accelkit.isa.machine import Machine
from accelkit.isa.unused import drop_unused, mark_used
from accelkit.simulator import descriptors
from accelkit.simulator.core import account, again, cells, execute, jit, objects, timing
from accelkit.simulator.core import state as st
from accelkit.simulator.core.entry import request
from accelkit.simulator.core.memories import Memories, Shadow
from accelkit.simulator.decode import decode_program

_prepared: list[bool] = []


def prepare(machine: Machine, memories: Memories, shadow: Shadow) -> None:
    """Compile what is missing, with a message; nothing from the second time on. CompileError if it can't be compiled."""
    if _prepared or jit.IS_INTERPRETED:
        return
    config, rows = descriptors.config(machine), descriptors.rows()
    launch = descriptors.launch(machine, decode_program(()), [], 1, np.zeros(st.PORTS, np.int64), is_tracing=False)
    forms, words = np.zeros((1, again.FORM_FIELDS), np.int64), np.zeros(1, np.int64)
    is_missing = objects.prepare(
        [
            [request(timing.advance, config, rows, *launch), *_of_accounts(config, rows, launch)],
            [
                request(execute.execute, config, rows, memories, shadow, launch.chunk, 0, 0, again.NOTHING),
                request(again.keep, rows, launch.chunk, 0, words, forms, *again.NOTHING, words),
            ],
        ]
    )
    if is_missing:
        drop_unused()
    mark_used(objects.folder())
    _prepared.append(True)


def _of_accounts(config: st.Config, rows: st.Record, launch: st.Launch) -> list[objects.Request]:
    """What simulator/account.py calls, which `accel-sim run` always does."""
    state = descriptors.record(account.ACCOUNT)
    table = np.zeros(1, np.int64), np.zeros(1, np.int64)
    arrays = np.zeros((1, 1, account.POST_FIELDS), np.int64), *table, np.zeros((1, account.SPAN_FIELDS), np.int64)
    return [
        request(account.issued, config, rows, state, *arrays, launch.chunk, 0, 0),
        request(account.dispatched, state, *table, launch.log, 0, 0),
        request(account.rest, config, rows, state, *arrays, launch.timing, launch.ring, 0),
        request(cells.add, state, *table, 0, 0, 0, 0, 0),
        request(cells.copy, *table, *table),
    ]
