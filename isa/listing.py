"""A program as lines of text: arguments, instructions with labels, data."""

from __future__ import annotations

from collections.abc import Iterator

from accelkit.isa.codec import CODEC, Codec, IllegalWord
from accelkit.isa.program import Program
from accelkit.isa.text import disassemble

_BYTES_PER_LINE = 16


def listing(program: Program, codec: Codec = CODEC) -> Iterator[str]:
    """Arguments, instructions and data, each with a heading."""
    if program.arguments:
        yield "Arguments:"
        for index, argument in enumerate(program.arguments):
            shape = f" {argument.dtype}[{', '.join(map(str, argument.shape))}]" if argument.dtype else ""
            yield f"{index:6}  {argument.name}: {argument.kind.value}{shape}"
        yield ""
    yield "Instructions:"
    yield from instruction_lines(program, codec)
    if program.data:
        yield ""
        yield "Data:"
        yield from _data_lines(program)


def instruction_lines(program: Program, codec: Codec = CODEC) -> Iterator[str]:
    """`number: word text` for each instruction, labels on lines of their own. A word that is no instruction says why."""
    labels = _labels(program, "text")
    first = {number: names[0] for number, names in labels.items()}
    arguments = [argument.name for argument in program.arguments]
    for number, word in enumerate(program.words):
        yield from (f"{name}:" for name in labels.get(number, ()))
        try:
            text = disassemble(word, number, first, arguments, codec)
        except IllegalWord as error:
            text = f"<illegal: {error}>"
        digits = f"{word:032x}"
        yield f"{number:6}:  {' '.join(digits[place : place + 8] for place in range(0, 32, 8))}  {text}"
    for number in sorted(number for number in labels if number >= len(program.words)):
        yield from (f"{name}:" for name in labels[number])


def _data_lines(program: Program) -> Iterator[str]:
    labels = _labels(program, "data")
    cuts = sorted({0, len(program.data), *labels})
    for start, end in zip(cuts, [*cuts[1:], len(program.data)], strict=True):
        yield from (f"{name}:" for name in labels.get(start, ()))
        for offset in range(start, end, _BYTES_PER_LINE):
            chunk = program.data[offset : min(end, offset + _BYTES_PER_LINE)]
            shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in chunk)
            yield f"{offset:6}:  {chunk.hex(' '):{3 * _BYTES_PER_LINE}} {shown}"


def _labels(program: Program, section: str) -> dict[int, list[str]]:
    labels: dict[int, list[str]] = {}
    for symbol in program.symbols:
        if symbol.section == section:
            labels.setdefault(symbol.value, []).append(symbol.name)
    return labels
