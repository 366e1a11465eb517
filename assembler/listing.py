"""The assembler's listing and map: what became of every line, and where everything lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accelkit.assembler.layout import Layout, PlacedLine
from accelkit.assembler.source import Source, split_lines
from accelkit.assembler.syntax import Line
from accelkit.isa.listing import byte_chunks
from accelkit.isa.program import Program


def listing(sources: Sequence[Source], layout: Layout, program: Program, word_bits: int = 128) -> Iterator[str]:
    """Every line of the sources with its place and its words or bytes. Lines of macros, repetitions and includes follow the line that
    called for them, with a + for each level. `layout.lines` must have been kept."""
    placed = iter(layout.lines)
    pending = next(placed, None)
    for source in sources:
        yield f"{source.file}:"
        shown: set[int] = set()  # lines of this source, those of repetitions included
        for number, text in enumerate(split_lines(source.text.removesuffix("\n")), start=1):
            while pending is not None and _is_of(pending.line, source.file, number):
                if pending.line.file == source.file:
                    shown.add(pending.line.number)
                if pending.line.text or pending.line.origin is None:
                    yield from _entry(pending, program, word_bits)
                pending = next(placed, None)
            if number not in shown:
                yield f"{number:6}  {'':14}  {text}".rstrip()
        while pending is not None and pending.line.file == source.file and not pending.line.text:
            pending = next(placed, None)  # what follows the last line end
        yield ""


def _is_of(line: Line, file: str, number: int) -> bool:
    """Whether a line stands there, or came from there."""
    while line.origin is not None:
        line = line.origin.line
    return (line.file, line.number) == (file, number) or line.file == "<command line>"


def _entry(placed: PlacedLine, program: Program, word_bits: int) -> Iterator[str]:
    line = placed.line
    depth = 0
    origin = line.origin
    while origin is not None:
        depth, origin = depth + 1, origin.line.origin
    chunks = _words(placed, program, word_bits) if placed.section == "text" else _bytes(placed, program)
    where = f"{line.number:6}{'+' * depth:2}"
    head, *rest = chunks or [f"{'':14}"]
    yield f"{where}{head}  {line.text}".rstrip()
    yield from (f"{'':8}{chunk}" for chunk in rest)


def _words(placed: PlacedLine, program: Program, word_bits: int) -> list[str]:
    digits = word_bits // 4
    found = []
    for number in range(placed.first, placed.last):
        text = f"{program.words[number]:0{digits}x}"
        groups = " ".join(text[place : place + 8] for place in range(0, digits, 8))
        found.append(f"{number:6}: {groups}")
    return found


def _bytes(placed: PlacedLine, program: Program) -> list[str]:
    chunks = byte_chunks(program.data, placed.first, placed.last)
    return [f"{offset:6}: {chunk.hex(' ')}" if chunk is not None else "     *" for offset, chunk in chunks]


def program_map(layout: Layout, program: Program) -> Iterator[str]:
    """Sections, arguments, regions, tokens and symbols with their places and definitions."""
    yield "Sections"
    yield f"  .text  {len(program.words):6} instructions"
    yield f"  .data  {len(program.data):6} bytes"
    if program.arguments:
        yield from ("", "Arguments")
        for index, argument in enumerate(program.arguments):
            shape = f" {argument.dtype}[{', '.join(map(str, argument.shape))}]" if argument.dtype else ""
            span = f" in {argument.range[0]} .. {argument.range[1]}" if argument.range else ""
            yield f"  {index:6}  {argument.name}: {argument.kind.value}{shape}{span}"
    if layout.regions:
        yield from ("", "Regions")
        for memory in ("sp", "acc"):
            for placed in sorted((one for one in layout.regions if one.region.memory == memory), key=lambda one: one.region.first_row):
                region = placed.region
                rows = f"{region.first_row}..{region.first_row + region.rows - 1}"
                shape = f"{memory}[{', '.join(map(str, region.shape))}]"
                over = f" over {region.over}" if region.over else ""
                yield f"  {memory:3} {rows:>13}  {region.name}: {shape}{over}  {_place(placed.line)}"
    if layout.tokens:
        yield from ("", "Tokens")
        yield from (f"  {token.channel!s:18}  {token.word.text}  {_place(token.line)}" for token in layout.tokens)
    yield from ("", "Symbols")
    for section in ("text", "data", "abs"):
        known = [one for one in layout.symbols.all() if one.section == section]
        for definition in sorted(known, key=lambda one: (one.value or 0, one.word.text)):
            mark = "global" if definition.is_global else "      "
            yield f"  {section:4} {definition.value:11}  {mark}  {definition.word.text}  {_place(definition.line)}"


def _place(line: Line) -> str:
    return f"{line.file}:{line.number}"
