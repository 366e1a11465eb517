"""What the sequencer makes of a word: scalar instructions executed, tensor instructions with their operand values, dispatch faults.

Written from docs/adr/0001, docs/adr/0003 and the rows' meanings; nothing here is shared with the simulator.
"""

from collections.abc import Sequence

from accelkit.isa.codec import CODEC, Decoded, IllegalWord
from accelkit.isa.faults import Fault
from accelkit.isa.machine import Machine
from accelkit.isa.row import Kind

WORDS = 1 << 32
MOST_TAPS = 64


def signed(value: int) -> int:
    """The signed reading of 32 bits."""
    value %= WORDS
    return value - WORDS if value >= WORDS // 2 else value


def decode(word: int) -> Decoded | None:
    """The instruction of a word, None if it is illegal."""
    try:
        return CODEC.decode(word)
    except IllegalWord:
        return None


def arithmetic(operation: str, a: int, b: int) -> int:
    """The 32-bit result of an operation (the mnemonic without its final i) on two 32-bit values."""
    shift = b % 32
    results = {
        "add": a + b,
        "sub": a - b,
        "mul": a * b,
        "and": a & b,
        "or": a | b,
        "xor": a ^ b,
        "sll": a << shift,
        "srl": a >> shift,
        "sra": signed(a) >> shift,
        "slt": int(signed(a) < signed(b)),
        "sltu": int(a < b),
        "min": min(signed(a), signed(b)),
        "max": max(signed(a), signed(b)),
    }
    return results[operation] % WORDS


def is_taken(mnemonic: str, a: int, b: int) -> bool:
    """Whether a conditional branch is taken."""
    results = {
        "beq": a == b,
        "bne": a != b,
        "blt": signed(a) < signed(b),
        "bge": signed(a) >= signed(b),
        "bltu": a < b,
        "bgeu": a >= b,
    }
    return results[mnemonic]


def operand_values(decoded: Decoded, registers: Sequence[int]) -> dict[str, int]:
    """Values of all slots and flags of a tensor instruction: x0 is 1 as a count or step, steps and values are signed."""
    values = {flag.name: decoded.values[flag.name] for flag in decoded.row.flags}
    for operand in decoded.row.slots:
        register = decoded.values[operand.name]
        if register == 0:
            values[operand.name] = 1 if operand.kind in (Kind.COUNT, Kind.STEP) else 0
        elif operand.kind in (Kind.COUNT, Kind.SCRATCHPAD, Kind.ACCUMULATOR, Kind.DRAM):
            values[operand.name] = registers[register]
        else:
            values[operand.name] = signed(registers[register])
    return values


def tensor_fault(decoded: Decoded, values: dict[str, int], has_weights: bool, machine: Machine) -> Fault:
    """The first dispatch fault of a tensor instruction, in the order of docs/adr/0003."""
    row, name = decoded.row, decoded.row.mnemonic
    for operand in row.slots:
        if operand.kind is Kind.COUNT and not 1 <= values[operand.name] <= 65535:
            return Fault.COUNT
    for operand in row.slots:
        value = values[operand.name]
        if operand.kind is Kind.BYTE and not -128 <= value <= 255:
            return Fault.VALUE
        if operand.kind is Kind.ZERO_POINT:
            is_unsigned = values["weights_u8" if operand.name == "weights_zp" else "u8"]
            low, high = (0, 255) if is_unsigned else (-128, 127)
            if not low <= value <= high:
                return Fault.VALUE
    if "min" in values and values["min"] > values["max"]:
        return Fault.VALUE
    if name == "depthwise" and values["lines"] * values["columns"] > MOST_TAPS:
        return Fault.SHAPE
    if name == "preload" and (
        values["rows"] > machine.array_rows or values["columns"] > machine.array_columns
    ):
        return Fault.SHAPE
    if name == "run" and not has_weights:
        return Fault.NO_WEIGHTS
    if name in ("load.w", "store.w") and any(
        values[n] % 4 for n in ("dram", "bytes", "stride", "plane_stride")
    ):
        return Fault.ALIGNMENT
    for fault, size, walks in (
        (Fault.SCRATCHPAD_RANGE, machine.scratchpad_rows, scratchpad_walks(name, values, machine)),
        (Fault.ACCUMULATOR_RANGE, machine.accumulator_rows, accumulator_walks(name, values, machine)),
        (Fault.DRAM_RANGE, machine.dram_bytes, dram_walks(name, values)),
    ):
        for base, levels, width in walks:
            if base + lowest(levels) < 0 or base + highest(levels) + width - 1 >= size:
                return fault
    return Fault.NONE


Levels = list[tuple[int, int]]  # (count, step) of each level
Walk = tuple[int, Levels, int]  # base, levels, places touched at each step


def lowest(levels: Levels) -> int:
    """The least distance from the base that a walk reaches."""
    return sum(min(0, (count - 1) * step) for count, step in levels)


def highest(levels: Levels) -> int:
    """The largest distance from the base that a walk reaches."""
    return sum(max(0, (count - 1) * step) for count, step in levels)


def _on_chip_dma(values: dict[str, int], width: int) -> Levels:
    blocks = (values["bytes"] + width - 1) // width
    return [
        (values["planes"], values["plane_step"]),
        (values["rows"], values["step"]),
        (blocks, values["block_step"]),
    ]


def scratchpad_walks(name: str, v: dict[str, int], machine: Machine) -> list[Walk]:
    """Scratchpad rows that an instruction reads or writes."""
    if name in ("load.b", "store.b"):
        return [(v["sp"], _on_chip_dma(v, machine.lanes), 1)]
    if name in ("fill.b", "run"):
        return [(v["sp"], [(v["planes"], v["plane_step"]), (v["rows"], v["step"])], 1)]
    if name == "preload":
        return [(v["sp"], [(v["columns"] if v["transposed"] else v["rows"], v["step"])], 1)]
    if name == "dequantise":
        return [(v["sp"], _two_levels(v, ""), 1)]
    if name in VECTOR_NAMES:
        return [*_preface_walks(name, v, machine), *_source_walks(name, v), (v["sp"], _two_levels(v, ""), 1)]
    return []


def _two_levels(v: dict[str, int], prefix: str) -> Levels:
    return [(v["planes"], v[f"{prefix}plane_step"]), (v["rows"], v[f"{prefix}step"])]


def _preface_walks(name: str, v: dict[str, int], machine: Machine) -> list[Walk]:
    """Scratchpad rows that a vector instruction reads first: parameters, weights, a table."""
    parameters = (v.get("params", 0), [(8 * machine.array_columns // machine.lanes, 1)], 1)
    if name == "depthwise":
        return [parameters, (v["weights"], [(v["lines"] * v["columns"], 1)], 1)]
    if name == "lookup":
        return [(v["table"], [((256 + machine.lanes - 1) // machine.lanes, 1)], 1)]
    return [parameters] if name in ("requantise", "average") else []


def preface_beats(name: str, v: dict[str, int], machine: Machine) -> int:
    """Beats of a vector instruction before the first source row."""
    return sum(count for _, levels, _ in _preface_walks(name, v, machine) for count, _ in levels)


def _source_walks(name: str, v: dict[str, int]) -> list[Walk]:
    """Scratchpad rows that a vector instruction streams."""
    if name == "lookup":
        return [(v["src"], _two_levels(v, "src_"), 1)]
    if name in PAIR_NAMES:
        return [(v[side], _two_levels(v, f"{side}_"), 1) for side in ("left", "right")]
    if name in WINDOW_NAMES:
        window = [(v["lines"], v["line_step"]), (v["columns"], v["column_step"])]
        return [(v["src"], _two_levels(v, "src_") + window, 1)]
    return []


WINDOW_NAMES = ("depthwise", "average", "maximum")
PAIR_NAMES = ("add.b", "multiply.b")
VECTOR_NAMES = ("requantise", *WINDOW_NAMES, "lookup", *PAIR_NAMES, "quantise")


def accumulator_walks(name: str, v: dict[str, int], machine: Machine) -> list[Walk]:
    """Accumulator rows that an instruction reads or writes."""
    if name in ("load.w", "store.w"):
        return [(v["acc"], _on_chip_dma(v, 4 * machine.array_columns), 1)]
    if name == "fill.w":
        return [(v["acc"], [(v["planes"], v["plane_step"]), (v["rows"], v["step"])], 1)]
    if name in ("run", "requantise", "quantise", "dequantise"):
        return [(v["acc"], [(v["planes"], v["acc_plane_step"]), (v["rows"], v["acc_step"])], 1)]
    return []


def dram_walks(name: str, v: dict[str, int]) -> list[Walk]:
    """DRAM bytes that an instruction reads or writes."""
    if name in ("load.b", "load.w", "store.b", "store.w"):
        return [(v["dram"], [(v["planes"], v["plane_stride"]), (v["rows"], v["stride"])], v["bytes"])]
    return []
