"""A program as lines of text: arguments, instructions with labels and source, data, symbols, sections; and all of it as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from accelkit.isa.codec import CODEC, Codec, IllegalWord
from accelkit.isa.program import Argument, Program
from accelkit.isa.text import disassemble

BYTES_PER_LINE = 16  # of data
SourceText = Callable[[str], Sequence[str] | None]  # the lines of a file, None if it can't be had


def listing(program: Program, codec: Codec = CODEC) -> Iterator[str]:
    """Arguments, instructions and data, each with a heading."""
    if program.arguments:
        yield "Arguments:"
        yield from (f"{index:6}  {argument.name}: {argument_text(argument)}" for index, argument in enumerate(program.arguments))
        yield ""
    yield "Instructions:"
    yield from instruction_lines(program, codec)
    if program.data:
        yield ""
        yield "Data:"
        yield from _data_lines(program)


def argument_text(argument: Argument) -> str:
    """Kind and, of a buffer, type and shape, of a value, its range."""
    if argument.dtype:
        return f"{argument.kind.value} {argument.dtype}[{', '.join(map(str, argument.shape))}]"
    return argument.kind.value + (f" in {argument.range[0]} .. {argument.range[1]}" if argument.range else "")


def instruction_lines(program: Program, codec: Codec = CODEC, source: SourceText | None = None) -> Iterator[str]:
    """`number: word text` for each instruction, labels on lines of their own. A word that is no instruction says why. With `source` the
    line that an instruction was written on stands before it."""
    labels = _labels(program, "text")
    digits = codec.table.word_bits // 4
    shown: tuple[str, int] | None = None
    for number, (word, text) in enumerate(zip(program.words, instruction_texts(program, codec), strict=True)):
        yield from (f"{name}:" for name in labels.get(number, ()))
        place = program.lines[number]
        if source is not None and place is not None and place[:2] != shown:
            shown = place[:2]
            lines = source(place.file)
            yield f"; {place.file}:{place.line}: {lines[place.line - 1].strip() if lines and place.line <= len(lines) else '(no source)'}"
        groups = f"{word:0{digits}x}"
        yield f"{number:6}:  {' '.join(groups[cut : cut + 8] for cut in range(0, digits, 8))}  {text}"
    for number in sorted(number for number in labels if number >= len(program.words)):
        yield from (f"{name}:" for name in labels[number])


def instruction_texts(program: Program, codec: Codec = CODEC) -> Iterator[str]:
    """The text of each word, with labels and arguments by name."""
    first = {number: names[0] for number, names in _labels(program, "text").items()}
    arguments = [argument.name for argument in program.arguments]
    for number, word in enumerate(program.words):
        try:
            yield disassemble(word, number, first, arguments, codec)
        except IllegalWord as error:
            yield f"<illegal: {error}>"


def symbol_lines(program: Program) -> Iterator[str]:
    """`value g section name` for each symbol, in order of section and value."""
    order = {"text": 0, "data": 1, "abs": 2}
    for symbol in sorted(program.symbols, key=lambda known: (order[known.section], known.value, known.name)):
        yield f"{symbol.value:11} {'g' if symbol.is_global else 'l'} {symbol.section:4}  {symbol.name}"


def _data_lines(program: Program) -> Iterator[str]:
    labels = _labels(program, "data")
    cuts = sorted({0, len(program.data), *(offset for offset in labels if 0 <= offset <= len(program.data))})
    for start, end in zip(cuts, [*cuts[1:], len(program.data)], strict=True):
        yield from (f"{name}:" for name in labels.get(start, ()))
        for offset, chunk in byte_chunks(program.data, start, end):
            if chunk is None:
                yield "     *"
                continue
            shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in chunk)
            yield f"{offset:6}:  {chunk.hex(' '):{3 * BYTES_PER_LINE}} {shown}"
    for offset in sorted(labels.keys() - set(cuts)):
        yield from (f"{name}: (outside, at {offset})" for name in labels[offset])


def byte_chunks(data: bytes, start: int, end: int) -> Iterator[tuple[int, bytes | None]]:
    """Offsets and bytes of the lines that show a part of the data. One None stands for all lines that repeat the one before it, as in
    hexdump: a single `.space` can be a million lines."""
    before, is_left_out = b"", False
    for offset in range(start, end, BYTES_PER_LINE):
        chunk = data[offset : min(end, offset + BYTES_PER_LINE)]
        if chunk != before or offset + BYTES_PER_LINE >= end:  # the last one always stands there, to show where it ends
            yield offset, chunk
            is_left_out = False
        elif not is_left_out:
            yield offset, None
            is_left_out = True
        before = chunk


def as_data(program: Program, codec: Codec = CODEC) -> dict[str, Any]:
    """Everything that a program holds, as JSON values."""
    digits = codec.table.word_bits // 4
    texts = instruction_texts(program, codec)
    return {
        "name": program.name,
        "isa_version": list(program.isa_version),
        "instructions": [
            {"number": number, "word": f"{word:0{digits}x}", "text": text} | _place(program, number)
            for number, (word, text) in enumerate(zip(program.words, texts, strict=True))
        ],
        "data": program.data.hex(),
        "symbols": [
            {"name": one.name, "section": one.section, "value": one.value, "global": one.is_global} for one in program.symbols
        ],
        "arguments": [
            {"name": one.name, "kind": one.kind.value, "type": one.dtype, "shape": list(one.shape), "range": list(one.range or ())}
            for one in program.arguments
        ],
        "regions": [
            {"name": one.name, "memory": one.memory, "first_row": one.first_row, "shape": list(one.shape), "over": one.over}
            for one in program.regions
        ],
        "cases": [{"name": case.name, "machine": case.machine, "values": dict(case.values)} for case in program.cases],
        "allowances": [
            {"file": one.file, "line": one.line, "codes": list(one.codes), "reason": one.reason} for one in program.allowances
        ],
    }


def _place(program: Program, number: int) -> dict[str, Any]:
    place = program.lines[number]
    return {"file": place.file, "line": place.line, "column": place.column} if place is not None else {}


def _labels(program: Program, section: str) -> dict[int, list[str]]:
    labels: dict[int, list[str]] = {}
    for symbol in program.symbols:
        if symbol.section == section:
            labels.setdefault(symbol.value, []).append(symbol.name)
    return labels
