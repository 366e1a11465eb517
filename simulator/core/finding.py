"""What the checker found: a fault noted for the shell (memories.Shadow.fault)."""

from accelkit.simulator.core import memories as mem
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.memories import Shadow


@njit
def note(shadow: Shadow, cls: int, index: int, value: int, limit: int, place: int, port: int, number: int) -> bool:
    """Note a checker fault: its class, the instruction's index in the chunk, the value seen and its limit, a memory or buffer, the other
    instruction's port and number (-1, 0 for none). Always True."""
    fault = shadow.fault
    fault[mem.F_CLASS] = cls
    fault[mem.F_INDEX] = index
    fault[mem.F_VALUE] = value
    fault[mem.F_LIMIT] = limit
    fault[mem.F_PLACE] = place
    fault[mem.F_OTHER_PORT] = port
    fault[mem.F_OTHER_NUMBER] = number
    return True
