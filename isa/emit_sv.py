"""SystemVerilog packages of the RTL's constants: `isa_pkg` from the instruction table, `machine_pkg` from a machine description.

`python -m accelkit.isa.emit_sv [machine]` prints both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from accelkit.isa.faults import Fault
from accelkit.isa.machine import DEFAULT_MACHINE, Machine, load_machine
from accelkit.isa.registers import REGISTER_COUNT
from accelkit.isa.row import MAX_COUNT, SLOT_BITS, SLOT_LSB, WORD_BITS, Access, Instruction, Kind, Memory
from accelkit.isa.rows.vector import MAX_TAPS
from accelkit.isa.table import FLAG_LSB, IMM, OPCODE, POST, RD, RS1, RS2, TABLE, WAIT, Table, fields
from accelkit.isa.units import (
    CHANNELS,
    QUEUED_UNITS,
    CycleClass,
    Port,
    SequencerClass,
    channels_posted,
    channels_waited,
)

LEVELS = 4  # of the deepest walk: planes, rows, lines and columns of a window
SELECT_BITS = 5  # selects an operand slot or one of the values below
SELECTS = {"": 26, "@one": 27, "@blocks": 28, "@parameters": 29, "@table": 30, "@taps": 31}  # "": not used
MOST_BITS = 16
MOSTS = {"@rows": 0xFFFE, "@columns": 0xFFFF}  # what a count is at most, besides numbers
LIMIT_BITS = SELECT_BITS + MOST_BITS

_ACCESS_TYPE = """\
  // One level of a walk: `count` steps of `step`, each an operand slot or SELECT_*.
  typedef struct packed {
    logic [SELECT_BITS-1:0] count;
    logic [SELECT_BITS-1:0] step;
  } level_t;

  // A walk over one memory; it takes place if the instruction's flags under flag_mask equal flag_value.
  typedef struct packed {
    logic                   is_used;
    logic [1:0]             memory;
    logic                   is_write;
    logic                   is_preface;     // its beats come first, and its bank ports are free after them
    logic [FLAGS-1:0]       flag_mask;
    logic [FLAGS-1:0]       flag_value;
    logic [SELECT_BITS-1:0] base;
    level_t [LEVELS-1:0]    levels;
  } access_t;

  // A count, or SELECT_NONE, that must be at most a number or MOST_*.
  typedef struct packed {
    logic [SELECT_BITS-1:0] count;
    logic [MOST_BITS-1:0]   most;
  } limit_t;

  // What the sequencer has to know of an instruction. Masks have a bit per operand slot.
  typedef struct packed {
    logic [WORD_BITS-1:0]   reserved;       // bits that must be zero
    logic                   is_tensor;      // goes through the queue of `unit`
    logic [1:0]             unit;
    logic                   writes_rd;
    logic                   has_immediate;  // the second operand is the immediate, not rs2
    logic [SLOTS-1:0]       is_count;       // 1..MAX_COUNT
    logic [SLOTS-1:0]       is_one;         // x0 means 1
    logic [SLOTS-1:0]       is_byte;        // -128..255
    logic [SLOTS-1:0]       is_zero_point;  // -128..127, or 0..255 if a flag of its unsigned_mask is set
    logic [SLOTS-1:0]       is_aligned;     // a multiple of 4
    logic [SLOTS-1:0][FLAGS-1:0] unsigned_mask;
    logic [SELECT_BITS-1:0] low;            // slot of the lower clamp bound, or SELECT_NONE
    logic [SELECT_BITS-1:0] high;
    logic [SELECT_BITS-1:0] bytes;          // slot of the DRAM row's bytes, or SELECT_NONE
    limit_t [LIMITS-1:0]    limits;
    access_t [ACCESSES-1:0] accesses;
  } row_t;
"""


def emit(machine: Machine, table: Table = TABLE) -> str:
    """Both packages as SystemVerilog text."""
    return emit_isa(table) + "\n" + emit_machine(machine)


def emit_isa(table: Table = TABLE) -> str:
    """`isa_pkg`: opcodes, fields, slots, fault, class and channel numbers, and a `row_t` for each instruction."""
    lines = ["// Made by accelkit.isa.emit_sv from the instruction table; do not edit.", "package isa_pkg;"]
    lines += [f"  localparam int {name} = {value};" for name, value in _sizes(table).items()]
    lines += _enumerations()
    lines += [
        f"  localparam logic [7:0] OP_{_name(row.mnemonic)} = 8'h{row.opcode:02x};" for row in table.rows
    ]
    for row in table.rows:
        stem = _name(row.mnemonic)
        lines += [
            f"  localparam int SLOT_{stem}_{_name(slot.name)} = {place};"
            for place, slot in enumerate(row.slots)
        ]
        lines += [
            f"  localparam int FLAG_{stem}_{_name(flag.name)} = {place};"
            for place, flag in enumerate(row.flags)
        ]
    lines += ["", _ACCESS_TYPE]
    for row in table.rows:
        lines += _row_constant(row, table)
    lines += _row_function(table) + _channel_functions()
    return "\n".join([*lines, "endpackage", ""])


def emit_machine(machine: Machine) -> str:
    """`machine_pkg`: sizes and times of a machine, and the widths that follow. DRAM is outside: its size is an input of the RTL."""
    values = {
        "ROWS": machine.array_rows,
        "COLUMNS": machine.array_columns,
        "LANES": machine.lanes,
        "SP_BANKS": machine.scratchpad_banks,
        "SP_BANK_ROWS": machine.scratchpad_bank_rows,
        "SP_ROWS": machine.scratchpad_rows,
        "ACC_BANKS": machine.accumulator_banks,
        "ACC_BANK_ROWS": machine.accumulator_bank_rows,
        "ACC_ROWS": machine.accumulator_rows,
        "PARAMETER_ROWS": machine.parameter_rows,
        "TABLE_ROWS": machine.table_rows,
        "READ_LATENCY": machine.dram_read_latency_cycles,
        "WRITE_LATENCY": machine.dram_write_latency_cycles,
        "BUS": machine.bus_bytes,
        "PAGE": machine.page_bytes,
        "PAGE_MISS": machine.page_miss_cycles,
        "QUEUE_DEPTH": machine.queue_depth,
        "OUTSTANDING": machine.outstanding,
        "INSTRUCTION_WORDS": machine.instruction_words,
        "ARGUMENT_WORDS": machine.argument_words,
        "SP_ROW_BITS": _bits(machine.scratchpad_rows),
        "ACC_ROW_BITS": _bits(machine.accumulator_rows),
        "ROW_BITS": _bits(max(machine.scratchpad_rows, machine.accumulator_rows)),
        "PC_BITS": _bits(machine.instruction_words),
        "ARGUMENT_BITS": _bits(machine.argument_words),
    }
    lines = [
        "// Made by accelkit.isa.emit_sv from a machine description; do not edit.",
        "package machine_pkg;",
    ]
    lines += [f"  localparam int {name} = {value};" for name, value in values.items()]
    return "\n".join([*lines, "endpackage", ""])


def _name(text: str) -> str:
    return text.replace(".", "_").upper()


def _bits(values: int) -> int:
    """Bits of a number below `values`, at least one."""
    return max(1, (values - 1).bit_length())


def _sizes(table: Table) -> dict[str, int]:
    """Sizes and fields."""
    values = {
        "WORD_BITS": WORD_BITS,
        "REGISTERS": REGISTER_COUNT,
        "SLOTS": max(len(row.slots) for row in table.rows),
        "SLOT_LSB": SLOT_LSB,
        "SLOT_BITS": SLOT_BITS,
        "FLAGS": max(len(row.flags) for row in table.rows),
        "FLAG_LSB": FLAG_LSB,
        "ACCESSES": max(len(row.accesses) for row in table.rows),
        "LEVELS": LEVELS,
        "LIMITS": max(len(row.limits) for row in table.rows),
        "MOST_BITS": MOST_BITS,
        "MAX_TAPS": MAX_TAPS,
        "SELECT_BITS": SELECT_BITS,
        "SLOT_SELECT_BITS": _bits(max(len(row.slots) for row in table.rows)),
        "CHANNELS": len(CHANNELS),
        "UNITS": len(QUEUED_UNITS),
        "PORTS": len(Port),
        "MAX_COUNT": MAX_COUNT,
    }
    for bits in (OPCODE, RD, RS1, RS2, IMM, WAIT, POST):
        values |= {f"{bits.name.upper()}_LSB": bits.lsb, f"{bits.name.upper()}_BITS": bits.width}
    return values


def _enumerations() -> list[str]:
    def constants(prefix: str, width: int, members: Iterable[IntEnum]) -> list[str]:
        return [
            f"  localparam logic [{width - 1}:0] {prefix}_{member.name} = {width}'d{member.value};"
            for member in members
        ]

    return [
        *(
            f"  localparam logic [{SELECT_BITS - 1}:0] SELECT_{_name(name.removeprefix('@')) or 'NONE'} = {SELECT_BITS}'d{code};"
            for name, code in SELECTS.items()
        ),
        *(
            f"  localparam logic [{MOST_BITS - 1}:0] MOST_{_name(name.removeprefix('@'))} = {MOST_BITS}'d{code};"
            for name, code in MOSTS.items()
        ),
        *constants("UNIT", 2, QUEUED_UNITS),
        *(f"  localparam int PORT_{port.name} = {port.value};" for port in Port),
        *constants("MEMORY", 2, Memory),
        *constants("FAULT", 6, Fault),
        *constants("CLASS", 4, CycleClass),
        *constants("SEQ", 4, SequencerClass),
    ]


def _mask(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _row_constant(row: Instruction, table: Table) -> list[str]:
    """`ROW_<mnemonic>`, fields in the order of row_t."""
    slots = {slot.name: place for place, slot in enumerate(row.slots)}
    flags = {flag.name: place for place, flag in enumerate(row.flags)}

    def of_kind(*kinds: Kind) -> int:
        return _mask(place for place, slot in enumerate(row.slots) if slot.kind in kinds)

    memories = {access.memory for access in row.accesses}
    is_words = {Memory.DRAM, Memory.ACCUMULATOR} <= memories
    aligned = of_kind(Kind.DRAM, Kind.STRIDE) | (1 << slots["bytes"]) if is_words else 0
    kinds = {operand.kind for operand in row.operands}
    values = {
        "reserved": sum(bits.mask for bits in fields(row) if not bits.name),
        "is_tensor": row.is_tensor,
        "unit": row.unit.value if row.is_tensor else 0,
        "writes_rd": Kind.RD in kinds,
        "has_immediate": Kind.IMMEDIATE in kinds,
        "is_count": of_kind(Kind.COUNT),
        "is_one": of_kind(Kind.COUNT, Kind.STEP),
        "is_byte": of_kind(Kind.BYTE),
        "is_zero_point": of_kind(Kind.ZERO_POINT),
        "is_aligned": aligned,
        "unsigned_mask": _unsigned_mask(row, flags, table),
        "low": slots.get("min", SELECTS[""]),
        "high": slots.get("max", SELECTS[""]),
        "bytes": slots.get("bytes", SELECTS[""]),
        "limits": _limits(row, slots, table),
    }
    return _row(
        _name(row.mnemonic), values, [_access(access, slots, flags, table) for access in row.accesses], table
    )


def _row(name: str, values: Mapping[str, int], accesses: Sequence[str], table: Table) -> list[str]:
    """A row_t constant; fields that have no value are 0."""
    sizes = _sizes(table)
    widths = {"reserved": WORD_BITS, "is_tensor": 1, "unit": 2, "writes_rd": 1, "has_immediate": 1}
    widths |= dict.fromkeys(("is_count", "is_one", "is_byte", "is_zero_point", "is_aligned"), sizes["SLOTS"])
    widths |= {"unsigned_mask": sizes["SLOTS"] * sizes["FLAGS"]}
    widths |= {"low": SELECT_BITS, "high": SELECT_BITS, "bytes": SELECT_BITS, "limits": sizes["LIMITS"] * LIMIT_BITS}
    unused = f"{{1'b0, 2'd0, 1'b0, 1'b0, {sizes['FLAGS']}'h0, {sizes['FLAGS']}'h0, {SELECT_BITS}'d0, {{{LEVELS}{{10'd0}}}}}}"
    walks = [*accesses, *[unused] * (sizes["ACCESSES"] - len(accesses))]
    return [
        f"  localparam row_t ROW_{name} = {{",
        *(f"      {width}'h{int(values.get(field, 0)):x},  // {field}" for field, width in widths.items()),
        ",\n".join(f"      {walk}" for walk in reversed(walks)),
        "  };",
    ]


def _unsigned_mask(row: Instruction, flags: Mapping[str, int], table: Table) -> int:
    """For each slot, lowest first, the mask of the flag that makes its zero point unsigned."""
    flag_count = _sizes(table)["FLAGS"]
    return _mask(
        flag_count * place + flags[slot.unsigned_flag]
        for place, slot in enumerate(row.slots)
        if slot.kind is Kind.ZERO_POINT
    )


def _limits(row: Instruction, slots: Mapping[str, int], table: Table) -> int:
    """The row's limit_t, lowest first."""
    packed = [
        SELECTS.get(limit.count, slots.get(limit.count, 0)) << MOST_BITS
        | (MOSTS[limit.most] if isinstance(limit.most, str) else limit.most)
        for limit in row.limits
    ]
    packed += [SELECTS[""] << MOST_BITS] * (_sizes(table)["LIMITS"] - len(packed))
    return sum(bits << LIMIT_BITS * place for place, bits in enumerate(packed))


def _select(slots: dict[str, int], name: str) -> str:
    return f"{SELECT_BITS}'d{SELECTS[name] if name in SELECTS else slots[name]}"


def _access(access: Access, slots: dict[str, int], flags: dict[str, int], table: Table) -> str:
    """An access_t; levels from the last (innermost) to the first, as packed arrays are written."""
    flag_count = _sizes(table)["FLAGS"]
    flag = access.when.removeprefix("!")
    mask = _mask([flags[flag]]) if flag else 0
    value = 0 if access.when.startswith("!") else mask
    levels = [(level.count, level.step) for level in access.levels]
    levels += [("", "")] * (LEVELS - len(levels))
    walk = ", ".join(f"{_select(slots, count)}, {_select(slots, step)}" for count, step in reversed(levels))
    kind = f"2'd{access.memory.value}, 1'b{int(access.is_write)}, 1'b{int(access.hold_end == 'preface')}"
    head = f"1'b1, {kind}, {flag_count}'h{mask:x}, {flag_count}'h{value:x}"
    return f"{{{head}, {_select(slots, access.base)}, {walk}}}"


def _row_function(table: Table) -> list[str]:
    return [
        "  // Of an unknown opcode every bit of the word is reserved, so that it is illegal.",
        *_row("UNKNOWN", {"reserved": (1 << WORD_BITS) - 1}, [], table),
        "  function automatic row_t row_of(input logic [7:0] opcode);",
        "    case (opcode)",
        *(f"      OP_{_name(row.mnemonic)}: row_of = ROW_{_name(row.mnemonic)};" for row in table.rows),
        "      default: row_of = ROW_UNKNOWN;",
        "    endcase",
        "  endfunction",
    ]


def _channel_functions() -> list[str]:
    """Where masks of waits and posts lead: channels of a consumer are consecutive, in the order of its wait bits."""
    lines = ["  // Channels are numbered by consumer, then by wait bit."]
    for unit in QUEUED_UNITS:
        waited = channels_waited(unit)
        assert [channel.number for channel in waited] == list(
            range(waited[0].number, waited[0].number + len(waited))
        )
        lines.append(f"  localparam int WAITS_{unit.name} = {len(waited)};")
        lines.append(f"  localparam int FIRST_CHANNEL_{unit.name} = {waited[0].number};")
    lines += _case_function(
        "wait_class",
        "logic [3:0]",
        "Class of a cycle in which a unit's wait bit is unmet.",
        ("logic [1:0] unit", "logic [2:0] wait_bit"),
        [
            (f"{{UNIT_{unit.name}, 3'd{channel.wait_bit}}}", f"CLASS_WAIT_{channel.producer.name}")
            for unit in QUEUED_UNITS
            for channel in channels_waited(unit)
        ],
        "CLASS_BUSY",
    )
    lines += _case_function(
        "channel_posted",
        "logic [CHANNELS-1:0]",
        "Channel, one-hot, of a port's post bit.",
        ("logic [2:0] port", "logic [2:0] post_bit"),
        [
            (f"{{3'd{port.value}, 3'd{channel.post_bit}}}", f"{len(CHANNELS)}'h{1 << channel.number:x}")
            for port in Port
            for channel in channels_posted(port)
        ],
        "'0",
    )

    return lines


def _case_function(
    name: str,
    result: str,
    comment: str,
    arguments: Sequence[str],
    cases: Sequence[tuple[str, str]],
    default: str,
) -> list[str]:
    names = ", ".join(argument.split()[-1] for argument in arguments)
    return [
        f"  // {comment}",
        f"  function automatic {result} {name}({', '.join('input ' + argument for argument in arguments)});",
        f"    case ({{{names}}})",
        *(f"      {key}: {name} = {value};" for key, value in cases),
        f"      default: {name} = {default};",
        "    endcase",
        "  endfunction",
    ]


def main() -> None:
    """Print the packages of a machine (a preset or a file)."""
    print(emit(load_machine(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_MACHINE)))


if __name__ == "__main__":
    main()
