"""Bank ports: who holds them until when, and the fault when a second unit wants one (docs/adr/0003)."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Config, Record


@njit
def hold(config: Config, rows: Record, timing: Record, record: Record) -> bool:
    """Take the bank ports of an instruction at its issue; True (and noted) if another unit holds one of them, which ends the launch.
    Instructions come in order of issue."""
    op = record.op
    unit = rows.unit[op]
    s = record.s
    for number in range(rows.accesses[op]):
        access = rows.access[op, number]
        memory, write = access[st.ACCESS_MEMORY], access[st.ACCESS_WRITE]
        if memory == g.MEMORY_DRAM or record.low[number] > record.high[number]:
            continue
        hold_end = footprint.hold_end(config, rows, access, record)
        for bank in range(record.first_bank[number], record.last_bank[number] + 1):
            latest = timing.bank_end[memory, write, bank]
            if timing.bank_unit[memory, write, bank] == unit:
                timing.bank_end[memory, write, bank] = max(hold_end, latest)
                continue
            if latest >= s:
                _note_fault(rows, timing, record, unit)
                return True
            timing.bank_unit[memory, write, bank] = unit
            timing.bank_end[memory, write, bank] = hold_end
    return False


@njit
def _note_fault(rows: Record, timing: Record, record: Record, unit: int) -> None:
    """Note the first port that is held: read ports come before write ports. (Ports that the instruction has taken already are none that
    another unit held.)"""
    op = record.op
    for write in range(2):
        for number in range(rows.accesses[op]):
            access = rows.access[op, number]
            memory = access[st.ACCESS_MEMORY]
            if access[st.ACCESS_WRITE] != write or memory == g.MEMORY_DRAM or record.low[number] > record.high[number]:
                continue
            for bank in range(record.first_bank[number], record.last_bank[number] + 1):
                if timing.bank_unit[memory, write, bank] != unit and timing.bank_end[memory, write, bank] >= record.s:
                    timing.status = st.PORT_FAULTED
                    timing.fault = g.FAULT_BANK_WRITE if write else g.FAULT_BANK_READ
                    timing.fault_pc = record.pc
                    timing.fault_cycle = record.s
                    timing.fault_value = bank
                    timing.fault_limit = timing.bank_end[memory, write, bank]
                    timing.fault_place = memory
                    timing.fault_other = timing.bank_unit[memory, write, bank]
                    return
