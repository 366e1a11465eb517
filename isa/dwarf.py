"""The part of DWARF 4 that gives an address its source line: one compilation unit and its line table.

`addr2line`, `readelf` and pyelftools read it (DWARF Debugging Information Format, Version 4, sections 6.2 and 7).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from accelkit.isa.files import decode_names, encode_names
from accelkit.isa.program import SourceLine

ABBREVIATIONS = bytes(
    # code 1: DW_TAG_compile_unit without children; producer, name: string; language: data2; statements: offset; low, high pc
    [1, 0x11, 0, 0x25, 0x08, 0x03, 0x08, 0x13, 0x05, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0, 0]
)
_LANGUAGE_ASSEMBLER = 0x8001
_VERSION = 4
_OPCODE_LENGTHS = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])  # operands of the standard opcodes 1 to 12
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_END_SEQUENCE, _SET_ADDRESS = 1, 2


class DwarfError(ValueError):
    """A line table that this module did not write."""


def info_section(name: str, text_bytes: int) -> bytes:
    """`.debug_info`: a unit that covers all of `.text`."""
    die = b"\1" + b"accelkit\0" + encode_names(name) + b"\0"
    die += struct.pack("<HIQQ", _LANGUAGE_ASSEMBLER, 0, 0, text_bytes)
    header = struct.pack("<HIB", _VERSION, 0, 8)
    return struct.pack("<I", len(header) + len(die)) + header + die


def line_section(lines: Sequence[SourceLine | None], word_bytes: int) -> bytes:
    """`.debug_line`: a row for each word; line 0 says that nothing is known of it."""
    files = {file: place for place, file in enumerate(dict.fromkeys(line.file for line in lines if line is not None), 1)}
    table = struct.pack("<BBBbBB", word_bytes, 1, 1, -5, 14, len(_OPCODE_LENGTHS) + 1) + _OPCODE_LENGTHS
    table += b"\0" + b"".join(encode_names(file) + b"\0\0\0\0" for file in files) + b"\0"
    program = bytearray([0, 9, _SET_ADDRESS, *bytes(8)])
    file, number, column = 1, 1, 0
    for line in lines:
        seen = (files[line.file], line.line, line.column) if line else (file, 0, 0)
        if seen[0] != file:
            program += bytes([_SET_FILE]) + _unsigned(seen[0])
        if seen[1] != number:
            program += bytes([_ADVANCE_LINE]) + _signed(seen[1] - number)
        if seen[2] != column:
            program += bytes([_SET_COLUMN]) + _unsigned(seen[2])
        file, number, column = seen
        program += bytes([_COPY, _ADVANCE_PC, 1])
    program += bytes([0, 1, _END_SEQUENCE])
    header = struct.pack("<HI", _VERSION, len(table)) + table
    return struct.pack("<I", len(header) + len(program)) + header + bytes(program)


def read_lines(section: bytes, count: int, word_bytes: int) -> tuple[SourceLine | None, ...]:
    """The lines of `count` words. DwarfError if the section is not of the kind that `line_section` writes."""
    try:
        return _read_lines(section, count, word_bytes)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise DwarfError("line table is damaged") from error


def _read_lines(section: bytes, count: int, word_bytes: int) -> tuple[SourceLine | None, ...]:
    length, version, header_length = struct.unpack_from("<IHI", section)
    if version != _VERSION or length + 4 != len(section) or section[10] != word_bytes:
        raise DwarfError("line table is of a kind that accelkit does not write")
    program = 10 + header_length
    position = 10 + 6 + len(_OPCODE_LENGTHS) + 1
    files = []
    while section[position]:
        end = section.index(0, position)
        files.append(decode_names(section[position:end]))
        position = end + 4
    lines: list[SourceLine | None] = []
    file, number, column = 1, 1, 0
    position = program
    while len(lines) < count:
        opcode = section[position]
        position += 1
        if opcode == 0:
            position += 1 + section[position]
        elif opcode == _COPY:
            lines.append(SourceLine(files[file - 1], number, column) if number else None)
        elif opcode == _ADVANCE_LINE:
            delta, position = _read(section, position, is_signed=True)
            number += delta
        else:
            value, position = _read(section, position, is_signed=False)
            file = value if opcode == _SET_FILE else file
            column = value if opcode == _SET_COLUMN else column
    return tuple(lines)


def _unsigned(value: int) -> bytes:
    """LEB128."""
    parts = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        if not value:
            return bytes(parts + bytes([low]))
        parts.append(low | 0x80)


def _signed(value: int) -> bytes:
    """Signed LEB128."""
    parts = bytearray()
    while not -64 <= value < 64:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(parts + bytes([value & 0x7F]))


def _read(section: bytes, position: int, is_signed: bool) -> tuple[int, int]:
    """A LEB128 number and the position after it."""
    value, shift = 0, 0
    while True:
        byte = section[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value - (1 << shift) if is_signed and byte & 0x40 else value, position
