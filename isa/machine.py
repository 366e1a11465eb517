"""Machine description: the TOML file that configures simulator, RTL, kernels and documentation alike.

It stands beside the instruction table because both the assembler's checks and the simulator need it.
"""

import difflib
import math
import re
import tomllib
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from accelkit.isa.files import is_file

DEFAULT_MACHINE = "edge-16"
_MAX_SHOWN = 40  # problems of a file; there are no more keys than that to miss

_UNITS: dict[str, dict[str, float]] = {
    "bytes": {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30},
    "cycles": {"cycle": 1, "cycles": 1},
    "bytes per cycle": {"B/cycle": 1},
    "GHz": {"GHz": 1, "MHz": 1e-3},
    "count": {"": 1},
}


class MachineError(ValueError):
    """A machine file that can't be used; the text says what was seen, what was expected and where."""


@dataclass(frozen=True)
class Key:
    """A key of the machine file: its table and name, unit, permitted range (in the base unit), and meaning."""

    table: str
    name: str
    attribute: str
    unit: str
    low: int
    high: int
    meaning: str
    is_power_of_two: bool = False

    @property
    def path(self) -> str:
        """`table.name` as error messages and the documentation write it."""
        return f"{self.table}.{self.name}" if self.table else self.name


KEYS = (
    Key("array", "rows", "array_rows", "count", 2, 256, "rows of PEs: the K of one pass"),
    Key(
        "array",
        "columns",
        "array_columns",
        "count",
        2,
        256,
        "columns of PEs: the N of one pass; equal to rows",
    ),
    Key("scratchpad", "banks", "scratchpad_banks", "count", 1, 32, "banks, one read and one write port each"),
    Key(
        "scratchpad",
        "bank",
        "scratchpad_bank_bytes",
        "bytes",
        16,
        1 << 26,
        "size of one bank, a multiple of a row's bytes",
    ),
    Key(
        "accumulator", "banks", "accumulator_banks", "count", 1, 32, "banks, one read and one write port each"
    ),
    Key(
        "accumulator",
        "bank",
        "accumulator_bank_bytes",
        "bytes",
        16,
        1 << 26,
        "size of one bank, a multiple of a row's bytes",
    ),
    Key("dram", "size", "dram_bytes", "bytes", 1 << 12, 1 << 31, "bytes that addresses can reach"),
    Key(
        "dram",
        "read_latency",
        "dram_read_latency_cycles",
        "cycles",
        1,
        4095,
        "last beat to the data's write on chip",
    ),
    Key(
        "dram",
        "write_latency",
        "dram_write_latency_cycles",
        "cycles",
        1,
        4095,
        "last beat to completion of a store",
    ),
    Key(
        "dram", "bus", "bus_bytes", "bytes per cycle", 4, 1024, "width of the read and of the write bus", True
    ),
    Key(
        "dram", "page", "page_bytes", "bytes", 4, 1 << 20, "one page is open for reads, one for writes", True
    ),
    Key(
        "dram",
        "page_miss",
        "page_miss_cycles",
        "cycles",
        0,
        4095,
        "extra cycles of a beat outside the open page",
    ),
    Key("queues", "depth", "queue_depth", "count", 1, 256, "instructions that each unit's queue holds"),
    Key(
        "queues",
        "outstanding",
        "outstanding",
        "count",
        1,
        256,
        "instructions that each DMA may have in flight",
    ),
    Key(
        "sequencer", "instructions", "instruction_words", "count", 16, 1 << 20, "words of instruction memory"
    ),
    Key("sequencer", "arguments", "argument_words", "count", 1, 1024, "words of argument memory"),
    Key(
        "launch",
        "cycles",
        "launch_cycles",
        "cycles",
        0,
        1 << 30,
        "host's cost of one launch, added per kernel of a model",
    ),
)


@dataclass(frozen=True)
class Machine:
    """A machine, every size in bytes and every time in cycles (see KEYS for meanings and the permitted ranges)."""

    name: str
    description: str
    clock_ghz: float
    array_rows: int
    array_columns: int
    scratchpad_banks: int
    scratchpad_bank_bytes: int
    accumulator_banks: int
    accumulator_bank_bytes: int
    dram_bytes: int
    dram_read_latency_cycles: int
    dram_write_latency_cycles: int
    bus_bytes: int
    page_bytes: int
    page_miss_cycles: int
    queue_depth: int
    outstanding: int
    instruction_words: int
    argument_words: int
    launch_cycles: int

    @property
    def lanes(self) -> int:
        """Bytes of a scratchpad row."""
        return max(self.array_rows, self.array_columns)

    @property
    def scratchpad_bank_rows(self) -> int:
        """Rows of one scratchpad bank."""
        return self.scratchpad_bank_bytes // self.lanes

    @property
    def accumulator_bank_rows(self) -> int:
        """Rows of one accumulator bank."""
        return self.accumulator_bank_bytes // (4 * self.array_columns)

    @property
    def scratchpad_rows(self) -> int:
        """Rows of the whole scratchpad."""
        return self.scratchpad_banks * self.scratchpad_bank_rows

    @property
    def accumulator_rows(self) -> int:
        """Rows of the whole accumulator."""
        return self.accumulator_banks * self.accumulator_bank_rows

    @property
    def parameter_rows(self) -> int:
        """Scratchpad rows of a parameter block: a 32-bit bias and a binary32 scale per array column."""
        return 8 * self.array_columns // self.lanes

    @property
    def table_rows(self) -> int:
        """Scratchpad rows of a table of 256 bytes."""
        return -(-256 // self.lanes)

    @property
    def peak_macs_per_cycle(self) -> int:
        """Multiply-accumulates a cycle when every PE is busy."""
        return self.array_rows * self.array_columns

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with any value that changes results or cycles."""
        text = repr(
            [(f.name, getattr(self, f.name)) for f in fields(self) if f.name not in ("name", "description")]
        )
        return sha256(text.encode()).hexdigest()[:12]


def presets() -> list[str]:
    """Names of the machines that ship with the package, the default first."""
    names = sorted(
        p.name.removesuffix(".toml")
        for p in resources.files("accelkit.isa.machines").iterdir()
        if p.name.endswith(".toml")
    )
    return sorted(names, key=lambda name: name != DEFAULT_MACHINE)


def load_machine(name_or_path: str | Path = DEFAULT_MACHINE) -> Machine:
    """A preset by name, or a TOML file by path. MachineError says what is wrong."""
    text_name = str(name_or_path)
    if text_name in presets():
        return parse_machine(
            (resources.files("accelkit.isa.machines") / f"{text_name}.toml").read_text(), f"{text_name}.toml"
        )
    path = Path(name_or_path)
    if not is_file(path):
        close = difflib.get_close_matches(text_name, presets(), 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise MachineError(f"{text_name}: no such preset ({', '.join(presets())}) and no such file{hint}")
    try:
        return parse_machine(path.read_text(), text_name)
    except (OSError, UnicodeDecodeError) as error:
        raise MachineError(f"{text_name}: can't be read: {error}") from error


def parse_machine(text: str, source: str) -> Machine:
    """A machine from TOML text; `source` names it in errors. MachineError lists every problem, a line each."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets in brackets
        raise MachineError(f"{source}: not valid TOML: {error}") from error
    problems: list[str] = []
    values: dict[str, Any] = {}
    for name, kind in (
        ("name", "a string"),
        ("description", "a string"),
        ("clock", 'a frequency like "1 GHz"'),
    ):
        if not isinstance(document.get(name), str):
            problems.append(f"{name}: expected {kind}, found {document.get(name, 'nothing')!r}")
    problems += _unknown_keys(document)
    for key in KEYS:
        table = document.get(key.table)
        if not isinstance(table, dict) or key.name not in table:
            problems.append(f"{key.path}: missing; expected {_expected(key)} ({key.meaning})")
            continue
        value = _quantity(table[key.name], key.unit)
        if value is None or value != int(value):
            problems.append(f"{key.path}: {table[key.name]!r} is not {_expected(key)}")
        elif not key.low <= value <= key.high or (key.is_power_of_two and int(value) & int(value) - 1):
            power = "a power of two in " if key.is_power_of_two else ""
            problems.append(
                f"{key.path}: {table[key.name]!r} is outside {power}{key.low}..{key.high} {key.unit}"
            )
        else:
            values[key.attribute] = int(value)
    clock = _quantity(document.get("clock"), "GHz")
    if isinstance(document.get("clock"), str) and (clock is None or not 0 < clock <= 100):
        problems.append(
            f'clock: {document["clock"]!r} is not a frequency like "1 GHz" or "700 MHz", at most 100 GHz'
        )
    if not problems:
        machine = Machine(
            name=document["name"], description=document["description"], clock_ghz=float(clock or 0), **values
        )
        problems = _impossible(machine)
        if not problems:
            return machine
    if len(problems) > _MAX_SHOWN:
        problems[_MAX_SHOWN:] = [f"and {len(problems) - _MAX_SHOWN} problems more"]
    raise MachineError("\n".join(f"{source}: {problem}" for problem in problems))


def _quantity(value: object, unit: str) -> float | None:
    """A number in the base unit from TOML's `16`, `"32 KiB"`; None if the unit or the text is wrong. Counts are bare numbers."""
    if unit == "count":
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    match = (
        re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/]+)\s*", value) if isinstance(value, str) else None
    )
    if match is None or match[2] not in _UNITS[unit]:
        return None
    number = float(match[1])
    if math.isinf(number):  # digits without end
        return None
    return round(number * _UNITS[unit][match[2]], 9)  # 700 MHz is 0.7 GHz, not 0.7000000000000001


def _expected(key: Key) -> str:
    examples = {
        "bytes": '"32 KiB"',
        "cycles": '"100 cycles"',
        "bytes per cycle": '"16 B/cycle"',
        "count": "16",
    }
    return f"{'a number' if key.unit == 'count' else key.unit + ' as text'} like {examples[key.unit]}"


def _unknown_keys(document: dict[str, Any]) -> list[str]:
    known = {key.path for key in KEYS} | {"name", "description", "clock"}
    found: list[str] = []
    for name, value in document.items():
        if isinstance(value, dict):
            found += [f"{name}.{inner}" for inner in value]
        else:
            found.append(name)
    problems = []
    for path in found:
        if path not in known:
            close = difflib.get_close_matches(path, sorted(known), 1)
            problems.append(f"{path}: unknown key" + (f"; did you mean {close[0]}?" if close else ""))
    return problems


def _impossible(machine: Machine) -> list[str]:
    """Sizes that are each in range but can't be together."""
    problems = []
    if machine.array_rows != machine.array_columns:
        problems.append(
            f"array.rows = {machine.array_rows}, array.columns = {machine.array_columns}: only square arrays are supported"
        )
    for name, size, row in (
        ("scratchpad.bank", machine.scratchpad_bank_bytes, machine.lanes),
        ("accumulator.bank", machine.accumulator_bank_bytes, 4 * machine.array_columns),
    ):
        if size % row:
            problems.append(f"{name} = {size} bytes: not a multiple of its row of {row} bytes")
    if machine.page_bytes < machine.bus_bytes:
        problems.append(
            f"dram.page = {machine.page_bytes} bytes: smaller than the bus word of {machine.bus_bytes} bytes"
        )
    if machine.dram_bytes % machine.page_bytes:
        problems.append(
            f"dram.size = {machine.dram_bytes} bytes: not a multiple of the page of {machine.page_bytes} bytes"
        )
    return problems
