"""Bank ports: who holds them until when, and the fault when a second unit wants one (docs/adr/0003)."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Config, Record


@njit
def hold(config: Config, rows: Record, timing: Record, record: Record) -> bool:
    """Take the bank ports of an instruction at its issue; True (and noted) if another unit holds one of them. Instructions come in
    order of issue."""
    op = record.op
    unit = rows.unit[op]
    s = record.s
    for write in range(2):
        for number in range(rows.accesses[op]):
            access = rows.access[op, number]
            memory = access[st.ACCESS_MEMORY]
            if (
                access[st.ACCESS_WRITE] != write
                or memory == g.MEMORY_DRAM
                or not footprint.takes_place(access, record.flag_bits)
            ):
                continue
            low, high = footprint.extent(config, op, access, record.values)
            per_bank = footprint.bank_rows(config, memory)
            for bank in range(low // per_bank, high // per_bank + 1):
                if (
                    timing.bank_unit[memory, write, bank] != unit
                    and timing.bank_end[memory, write, bank] >= s
                ):
                    timing.status = st.PORT_FAULTED
                    timing.fault = g.FAULT_BANK_WRITE if write else g.FAULT_BANK_READ
                    timing.fault_pc = record.pc
                    timing.fault_cycle = s
                    timing.fault_value = bank
                    timing.fault_limit = timing.bank_end[memory, write, bank]
                    timing.fault_place = memory
                    timing.fault_other = timing.bank_unit[memory, write, bank]
                    return True
    for number in range(rows.accesses[op]):
        access = rows.access[op, number]
        memory = access[st.ACCESS_MEMORY]
        if memory != g.MEMORY_DRAM and footprint.takes_place(access, record.flag_bits):
            low, high = footprint.extent(config, op, access, record.values)
            per_bank = footprint.bank_rows(config, memory)
            write = access[st.ACCESS_WRITE]
            end = footprint.hold_end(config, rows, access, record)
            for bank in range(low // per_bank, high // per_bank + 1):
                if timing.bank_unit[memory, write, bank] == unit:
                    end = max(end, timing.bank_end[memory, write, bank])
                timing.bank_unit[memory, write, bank] = unit
                timing.bank_end[memory, write, bank] = end
    return False
