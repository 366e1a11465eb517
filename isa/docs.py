"""`docs/isa.md` from the instruction table: syntax, bit picture, meaning, operands, accesses, cycles, faults, example of each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accelkit.isa.cycle_source import rule_sources
from accelkit.isa.faults import FAULTS, Fault, FaultKind
from accelkit.isa.picture import bit_picture
from accelkit.isa.registers import ABI_NAMES
from accelkit.isa.row import MAX_COUNT, Access, Alias, Instruction, Kind, Level, Memory, Operand
from accelkit.isa.table import ISA_VERSION, TABLE, Table
from accelkit.isa.text import form_of
from accelkit.isa.units import PORT_UNIT, QUEUED_UNITS, Port, Unit, channels_posted, channels_waited

_KIND_TEXT = {
    Kind.RD: "register, written",
    Kind.RS1: "register",
    Kind.RS2: "register",
    Kind.IMMEDIATE: "constant",
    Kind.TARGET: "label",
    Kind.FIELD: "constant",
    Kind.ARGUMENT: "argument word",
    Kind.SCRATCHPAD: "scratchpad row",
    Kind.ACCUMULATOR: "accumulator row",
    Kind.DRAM: "DRAM byte address",
    Kind.COUNT: f"count, 1..{MAX_COUNT}",
    Kind.STEP: "rows, signed",
    Kind.STRIDE: "bytes, signed",
    Kind.ZERO_POINT: "-128..127; with `{operand.unsigned_flag}` 0..255",
    Kind.BYTE: "-128..255",
    Kind.WORD: "32 bits",
    Kind.FLAG: "flag",
}
_DEFAULTS = {Kind.COUNT: "1", Kind.STEP: "1", Kind.STRIDE: "0", Kind.ZERO_POINT: "0", Kind.BYTE: "0", Kind.WORD: "0"}
_MEMORY_TEXT = {Memory.SCRATCHPAD: "scratchpad rows", Memory.ACCUMULATOR: "accumulator rows", Memory.DRAM: "`bytes` bytes of DRAM at"}
_COUNTS = {
    "@blocks": "column blocks",
    "@parameters": "rows of the parameter block",
    "@table": "rows of 256 bytes",
    "@taps": "lines * columns",
}
_STEPS = {"@one": "1"}
_HOLD_TEXT = {
    "last": "its last beat",
    "complete": "completion",
    "preface": "the last of the beats that come first",
    "accumulate": "one cycle before completion",
}
_UNIT_TITLES = {
    Unit.SEQUENCER: "Sequencer",
    Unit.LOAD: "Load DMA",
    Unit.STORE: "Store DMA",
    Unit.ARRAY: "Systolic array",
    Unit.VECTOR: "Vector unit",
}
_INTRODUCTION = """\
<!-- Made from the instruction table (isa/) by isa/docs.py; `pytest tests/isa --update-golden` writes it again. -->
# Instruction set {version}

How a source file is written stands in [assembly.md](assembly.md), when instructions issue and complete in
[ADR 0003](adr/0003-timed-event-graph.md), why the encoding is as it is in [ADR 0001](adr/0001-one-instruction-table.md).

Words have 128 bits, stored little-endian. Bits marked 0 are reserved: a word that sets one, or has an opcode of no instruction, is
illegal. Operands of tensor instructions are registers, read at dispatch; square brackets in a form mark what may be left out. A register
that is left out is `x0`, which reads 0 and as a count or step means 1."""


def isa_document(table: Table = TABLE, cycle_rules: str = "", timing: str = "") -> str:
    """The document. `cycle_rules` is the source of simulator/core/cycles.py, without which no cycle rules are shown; `timing` is
    docs/adr/0003, which has the rule of DMA beats in words (the simulator counts them by a shorter way)."""
    rules = rule_sources(cycle_rules, {row.cycles for row in table.rows})
    parts = [_INTRODUCTION.format(version=".".join(map(str, ISA_VERSION))), *_summary(table), *_registers(), *_channels()]
    for unit in _UNIT_TITLES:
        rows = [row for row in table.rows if row.unit is unit]
        parts += [f"## {_UNIT_TITLES[unit]}"] if rows else []
        for row in rows:
            parts += _instruction(row, table, {name for name, _ in rules})
    parts += [*_aliases(table.aliases, table), *_faults()]
    if rules:
        parts += ["## Cycle rules", _CYCLE_TEXT, *_paragraph(timing, "DMA beats"), _fence("python", "\n\n".join(text for _, text in rules))]
    return "\n\n".join(parts) + "\n"


_CYCLE_TEXT = """\
From `simulator/core/cycles.py`: `s` is the cycle of issue, `e` of the last beat, `c` of completion. A sequencer instruction takes one
dispatch cycle; a taken branch or jump leaves one cycle more unused. Beats and page misses of a load or store, which `beats.walk` counts:"""


def _paragraph(text: str, title: str) -> list[str]:
    """The paragraph of a text in Markdown that begins with a title in bold: one, or none."""
    return [part.strip() for part in text.split("\n\n") if part.lstrip().startswith(f"**{title}.**")]


def _summary(table: Table) -> Iterator[str]:
    yield "## Summary"
    cells = [(f"`0x{row.opcode:02x}`", f"[`{row.mnemonic}`](#{_anchor(row.mnemonic)})", _UNIT_TITLES[row.unit]) for row in table.rows]
    yield markdown_table(("opcode", "instruction", "unit"), cells)


def _registers() -> Iterator[str]:
    yield "## Registers"
    yield markdown_table(("register", "name"), [(f"`x{number}`", f"`{name}`") for number, name in enumerate(ABI_NAMES)])


def _channels() -> Iterator[str]:
    yield "## Channels"
    yield "What each unit can wait for, and what completions of each port can post. The bits of the masks are in this order, from bit 0."
    waits = [(f"`{unit.name.lower()}`", ", ".join(f"`{channel.wait_text}`" for channel in channels_waited(unit))) for unit in QUEUED_UNITS]
    yield markdown_table(("instructions of the unit", "wait for"), waits)
    posts = [
        (f"`{port.name.lower()}`", f"`{PORT_UNIT[port].name.lower()}`", ", ".join(f"`{c.post_text}`" for c in channels_posted(port)))
        for port in Port
    ]
    yield markdown_table(("port", "of the unit", "posts"), posts)


def _instruction(row: Instruction, table: Table, rules: set[str]) -> Iterator[str]:
    yield f"### {row.mnemonic}"
    yield _fence("", form_of(row.mnemonic, table))
    yield _fence("", "\n".join(bit_picture(row)))
    yield row.meaning[0].upper() + row.meaning[1:].rstrip(".") + "."
    if row.notes:
        yield row.notes
    if row.operands:
        yield markdown_table(("operand", "is", "if left out", "meaning"), [operand_cells(operand, row) for operand in row.operands])
    if row.accesses:
        yield "\n".join(["Accesses:", "", *(f"- {access_text(access)}" for access in row.accesses)])
    if row.cycles in rules:
        yield f"Cycles: [`{row.cycles}`](#cycle-rules)."
    elif not row.is_tensor:
        yield "Cycles: one dispatch cycle" + (", and one more if taken." if row.cycles == "branch" else ".")
    if row.is_tensor and row.port is not None:
        yield f"Completes on port `{row.port.name.lower()}`."
    if row.dispatch_faults:
        yield "Faults: " + ", ".join(f"[{fault.name}](#faults)" for fault in row.dispatch_faults) + "."
    yield _fence("asm", row.example)


def operand_cells(operand: Operand, row: Instruction) -> tuple[str, str, str, str]:
    """An operand as the documentation's tables show it: name, what it is, what it is if left out, meaning."""
    if operand.kind is Kind.FLAG:
        absent = "clear"
    elif not row.is_tensor or not operand.is_optional:
        absent = ""
    else:
        absent = _DEFAULTS.get(operand.kind, "")
    return f"`{operand.name}`", _KIND_TEXT[operand.kind].format(operand=operand), absent, operand.doc


def access_text(access: Access) -> str:
    """A walk over a memory in words: what is read or written, where, and how long the banks' ports are held."""
    verb = "writes" if access.is_write else "reads"
    place = " + ".join([access.base, *(f"{index} * {_STEPS.get(level.step, level.step)}" for index, level in _walk(access))])
    walk = ", ".join(f"{index} < {_COUNTS.get(level.count, level.count)}" for index, level in _walk(access))
    hold = "" if access.memory is Memory.DRAM else f"; holds the banks' {verb[:-1]} ports until {_HOLD_TEXT[access.hold_end]}"
    unless, flag = access.when.startswith("!"), access.when.removeprefix("!")
    condition = f"{'without' if unless else 'with'} `{flag}`: " if flag else ""
    return f"{condition}{verb} {_MEMORY_TEXT[access.memory]} `{place}`{f' for {walk}' if walk else ''}{hold}"


def _walk(access: Access) -> Iterator[tuple[str, Level]]:
    return zip("ijkl", access.levels, strict=False)


def _aliases(aliases: Iterable[Alias], table: Table) -> Iterator[str]:
    cells = [(f"`{form_of(alias.mnemonic, table)}`", f"`{alias_expansion(alias, table)}`", alias.meaning) for alias in aliases]
    if cells:
        yield "## Aliases"
        yield markdown_table(("text", "stands for", "meaning"), cells)


def alias_expansion(alias: Alias, table: Table) -> str:
    """The instruction that an alias stands for, as in `addi rd, zero, imm` for `li`."""
    given = dict(alias.fixed)
    operands = [str(_fixed(given[op.name], op)) if op.name in given else op.name for op in table.by_mnemonic[alias.target].operands]
    return f"{alias.target} {', '.join(operands)}"


def _fixed(value: int, operand: Operand) -> str | int:
    return ABI_NAMES[value] if operand.kind in (Kind.RD, Kind.RS1, Kind.RS2) else value


def _faults() -> Iterator[str]:
    yield "## Faults"
    yield "Every instruction can also raise FETCH and ILLEGAL, every access the port and checker faults."
    kinds = {FaultKind.DISPATCH: "dispatch", FaultKind.PORT: "port", FaultKind.CHECKER: "checker"}
    cells = [(fault.name, kinds[FAULTS[fault].kind], FAULTS[fault].meaning, FAULTS[fault].fix) for fault in Fault if fault in FAULTS]
    yield markdown_table(("fault", "kind", "meaning", "fix"), cells)


def markdown_table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _anchor(heading: str) -> str:
    """The anchor that GitHub and GitLab give a heading."""
    return heading.replace(".", "")
