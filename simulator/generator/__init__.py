"""Random programs made from the instruction table, for lockstep tests of simulator, RTL and reference.

`generate(machine, kind, seed)` gives a `Case`: words, argument words, memories, declared buffers. The same arguments give the same
case on every machine and Python; there is no other state. `shrink(case, still_fails)` makes a failing case small.
"""

from accelkit.simulator.generator.case import Buffer, Case, Step
from accelkit.simulator.generator.kinds import KINDS, generate
from accelkit.simulator.generator.shrink import shrink

__all__ = ["KINDS", "Buffer", "Case", "Step", "generate", "shrink"]
