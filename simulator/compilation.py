"""Compiles the core in processes of its own, so that what the compiler needs (400 MB) doesn't stay with a run that has a large model.

Part by part, so that none needs much: `python -m accelkit.simulator.compilation timing`, then `execution`. What a process leaves in the
cache, the next one loads.
"""

import subprocess
import sys

import numpy as np

from accelkit.isa.machine import load_machine
from accelkit.isa.unused import drop_unused
from accelkit.simulator import descriptors, passes
from accelkit.simulator.core import jit, timing
from accelkit.simulator.core import state as st
from accelkit.simulator.decode import decode_program
from accelkit.simulator.session import DEFAULT_MAX_CYCLES, Session

PARTS = ("timing", "execution")


def compile_apart() -> None:
    """Fill the cache. Where that fails (no cache, no interpreter), the first launch compiles, as it would have done."""
    if jit.FOLDER is None or not sys.executable:
        return
    for part in PARTS:
        command = [sys.executable, "-m", "accelkit.simulator.compilation", part]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            return
    drop_unused()


def main(part: str) -> None:
    """Compile a part by a launch without instructions, which faults at once."""
    session = Session(load_machine("tiny-8"))
    ports = np.zeros(st.PORTS, np.int64)
    launch = descriptors.launch(session.machine, decode_program(()), [], DEFAULT_MAX_CYCLES, ports, False)
    if part == "timing":
        timing.advance(descriptors.config(session.machine), descriptors.rows(), *launch)
    else:
        passes.run(session.machine, launch, session.memories, session.shadow, True)


if __name__ == "__main__":
    main(sys.argv[1])
