"""Bank ports: who holds them until when, and the fault when a second unit wants one (docs/adr/0003)."""

from accelkit.simulator.core import footprint
from accelkit.simulator.core import generated as g
from accelkit.simulator.core import state as st
from accelkit.simulator.core.jit import njit
from accelkit.simulator.core.state import Array, Config, Rows, Timing


@njit
def hold(config: Config, rows: Rows, timing: Timing, record: Array) -> bool:
    """Take the bank ports of an instruction at its issue; True (and noted) if another unit holds one of them. Instructions come in
    order of issue."""
    op = record[st.R_OP]
    unit = rows.unit[op]
    s = record[st.R_S]
    for write in range(2):
        for number in range(rows.accesses[op]):
            access = rows.access[op, number]
            memory = access[st.ACCESS_MEMORY]
            if (
                access[st.ACCESS_WRITE] != write
                or memory == g.MEMORY_DRAM
                or not footprint.takes_place(access, record[st.R_FLAGS])
            ):
                continue
            low, high = footprint.extent(config, op, access, record[st.R_VALUES :])
            per_bank = footprint.bank_rows(config, memory)
            for bank in range(low // per_bank, high // per_bank + 1):
                if (
                    timing.bank_unit[memory, write, bank] != unit
                    and timing.bank_end[memory, write, bank] >= s
                ):
                    scalar = timing.scalar
                    scalar[st.S_STATUS] = st.PORT_FAULTED
                    scalar[st.S_FAULT] = g.FAULT_BANK_WRITE if write else g.FAULT_BANK_READ
                    scalar[st.S_FAULT_PC] = record[st.R_PC]
                    scalar[st.S_FAULT_CYCLE] = s
                    scalar[st.S_FAULT_VALUE] = bank
                    scalar[st.S_FAULT_LIMIT] = timing.bank_end[memory, write, bank]
                    scalar[st.S_FAULT_PLACE] = memory
                    scalar[st.S_FAULT_OTHER] = timing.bank_unit[memory, write, bank]
                    return True
    for number in range(rows.accesses[op]):
        access = rows.access[op, number]
        memory = access[st.ACCESS_MEMORY]
        if memory != g.MEMORY_DRAM and footprint.takes_place(access, record[st.R_FLAGS]):
            low, high = footprint.extent(config, op, access, record[st.R_VALUES :])
            per_bank = footprint.bank_rows(config, memory)
            write = access[st.ACCESS_WRITE]
            end = footprint.hold_end(config, access, record)
            for bank in range(low // per_bank, high // per_bank + 1):
                if timing.bank_unit[memory, write, bank] == unit:
                    end = max(end, timing.bank_end[memory, write, bank])
                timing.bank_unit[memory, write, bank] = unit
                timing.bank_end[memory, write, bank] = end
    return False
