"""Programs as ELF files (docs/adr/0004): ELF64, little-endian, with symbols, a line table and a note with ISA version and CRC."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from accelkit.isa import declarations, dwarf
from accelkit.isa.files import decode_names, encode_names
from accelkit.isa.program import Program, Symbol
from accelkit.isa.table import TABLE, Table

MACHINE = 0xACCE  # e_machine: own and unregistered
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_IDENTIFICATION = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)  # 64 bits, little-endian, version 1
_NOTE = ".note.accelkit"
_ARGUMENTS = ".accelkit.args"
_CASES = ".accelkit.cases"
_REGIONS = ".accelkit.regions"
_ALLOWANCES = ".accelkit.allow"
_TOKENS = ".accelkit.tokens"  # files of earlier versions lack it
_PROGBITS, _SYMTAB, _STRTAB, _NOTE_TYPE = 1, 2, 3, 7
_NOTES = (_ARGUMENTS, _CASES, _REGIONS, _ALLOWANCES)
_ALLOCATED, _EXECUTABLE = 2, 4
_ABSOLUTE = 0xFFF1
_FILE_SYMBOL = 4
_SECTION_NUMBERS = {"text": 1, "data": 2, "abs": _ABSOLUTE}


class ElfError(ValueError):
    """A file that is no usable program; the text says which file, what was found and what was expected."""


class _Section(NamedTuple):
    name: str
    kind: int
    content: bytes
    flags: int = 0
    alignment: int = 1
    link: int = 0
    info: int = 0
    entry_bytes: int = 0


def write_elf(program: Program, table: Table = TABLE) -> bytes:
    """The file of a program. Equal programs give equal bytes."""
    word_bytes = table.word_bits // 8
    text = b"".join(word.to_bytes(word_bytes, "little") for word in program.words)
    notes = (
        declarations.arguments_text(program.arguments),
        declarations.cases_text(program.cases),
        declarations.regions_text(program.regions),
        declarations.allowances_text(program.allowances),
    )
    tokens = declarations.tokens_text(program.tokens)
    files = dict.fromkeys(line.file for line in program.lines if line is not None)
    symbols, names, first_global = _symbol_table(program, word_bytes)
    sections = [
        _Section("", 0, b""),
        _Section(".text", _PROGBITS, text, _ALLOCATED | _EXECUTABLE, word_bytes),
        _Section(".data", _PROGBITS, program.data, _ALLOCATED, 64),
        _Section(_NOTE, _NOTE_TYPE, _note(program.isa_version, _checksum(text, program.data, *notes, tokens)), alignment=4),
        *(_Section(name, _PROGBITS, content) for name, content in zip(_NOTES, notes, strict=True)),
        _Section(".debug_info", _PROGBITS, dwarf.info_section(next(iter(files), program.name), len(text))),
        _Section(".debug_abbrev", _PROGBITS, dwarf.ABBREVIATIONS),
        _Section(".debug_line", _PROGBITS, dwarf.line_section(program.lines, word_bytes)),
        _Section(".symtab", _SYMTAB, symbols, alignment=8, link=12, info=first_global, entry_bytes=_SYMBOL.size),
        _Section(".strtab", _STRTAB, names),
        _Section(_TOKENS, _PROGBITS, tokens),
    ]
    return _file(sections)


def read_elf(data: bytes, source: str, table: Table = TABLE) -> Program:
    """The program in a file's bytes; `source` names the file in errors. ElfError if the file can't be used."""
    word_bytes = table.word_bits // 8
    sections = _sections(data, source)
    try:
        version, checksum = _read_note(sections[_NOTE])
        if version[0] != table.version[0]:
            ours = f"{table.version[0]}.{table.version[1]}"
            raise ElfError(f"{source}: made for ISA version {version[0]}.{version[1]}, this is {ours}; assemble it again")
        text, contents, notes = sections[".text"], sections[".data"], [sections[name] for name in _NOTES]
        tokens = sections.get(_TOKENS, b"")
        actual = _checksum(text, contents, *notes, tokens)
        if checksum != actual:
            raise ElfError(f"{source}: damaged: CRC is {actual:#010x}, the file says {checksum:#010x}; assemble it again")
        if len(text) % word_bytes:
            raise ElfError(f"{source}: .text has {len(text)} bytes, no multiple of {word_bytes}; assemble it again")
        words = [int.from_bytes(text[i : i + word_bytes], "little") for i in range(0, len(text), word_bytes)]
        name, symbols = _read_symbols(sections[".symtab"], sections[".strtab"], word_bytes)
        return Program(
            name=name,
            words=tuple(words),
            lines=dwarf.read_lines(sections[".debug_line"], len(words), word_bytes),
            symbols=symbols,
            arguments=declarations.read_arguments(notes[0]),
            data=contents,
            isa_version=version,
            cases=declarations.read_cases(notes[1]),
            regions=declarations.read_regions(notes[2]),
            allowances=declarations.read_allowances(notes[3]),
            tokens=declarations.read_tokens(tokens),
        )
    except KeyError as error:
        raise ElfError(f"{source}: lacks {error.args[0]}; expected a file that accel-as wrote") from None
    except ElfError:
        raise
    except (struct.error, IndexError, ValueError) as error:
        raise ElfError(f"{source}: damaged ({error}); assemble it again") from None


# ---- container


def _file(sections: Sequence[_Section]) -> bytes:
    """Header, segments, contents, section headers."""
    names = b"\0"
    name_offsets = []
    for section in (*sections, _Section(".shstrtab", _STRTAB, b"")):
        name_offsets.append(len(names) if section.name else 0)
        names += section.name.encode() + b"\0" if section.name else b""
    sections = [*sections, _Section(".shstrtab", _STRTAB, names)]
    loaded = [section for section in sections if section.flags & _ALLOCATED]
    body = bytearray(_HEADER.size + _SEGMENT.size * len(loaded))
    headers, segments = bytearray(), bytearray()
    for section, name_offset in zip(sections, name_offsets, strict=True):
        body += bytes(-len(body) % section.alignment)
        offset = len(body) if section.kind else 0
        body += section.content
        headers += _SECTION.pack(
            *(name_offset, section.kind, section.flags, 0, offset, len(section.content)),
            *(section.link, section.info, section.alignment if section.kind else 0, section.entry_bytes),
        )
        if section in loaded:
            access = 5 if section.flags & _EXECUTABLE else 4  # readable, executable
            size = len(section.content)
            segments += _SEGMENT.pack(1, access, offset, 0, 0, size, size, section.alignment)
    body += bytes(-len(body) % 8)
    body[: _HEADER.size] = _HEADER.pack(
        *(_IDENTIFICATION, 2, MACHINE, 1, 0, _HEADER.size, len(body), 0),
        *(_HEADER.size, _SEGMENT.size, len(loaded), _SECTION.size, len(sections), len(sections) - 1),
    )
    body[_HEADER.size : _HEADER.size + len(segments)] = segments
    return bytes(body + headers)


class SectionHeader(NamedTuple):
    """A section of a file: its name, and where its content lies."""

    name: str
    offset: int
    size: int


def _sections(data: bytes, source: str) -> Mapping[str, bytes]:
    """Contents by section name."""
    return {header.name: data[header.offset : header.offset + header.size] for header in section_headers(data, source)}


def section_headers(data: bytes, source: str) -> list[SectionHeader]:
    """The sections of a file, the nameless first one included. ElfError if this is no file of ours or part of it is missing."""
    if data[:4] != _IDENTIFICATION[:4]:
        raise ElfError(f"{source}: no ELF file; expected one that accel-as wrote")
    if len(data) < _HEADER.size:
        raise ElfError(f"{source}: truncated: {len(data)} bytes, the header alone takes {_HEADER.size}")
    fields = _HEADER.unpack_from(data)
    if fields[0][:7] != _IDENTIFICATION[:7] or fields[2] != MACHINE:
        raise ElfError(f"{source}: made for another machine (ELF machine {fields[2]:#x}); expected {MACHINE:#x}, 64 bits, little-endian")
    offset, count, names_index = fields[6], fields[12], fields[13]
    if fields[11] != _SECTION.size or offset + count * _SECTION.size > len(data):
        raise ElfError(f"{source}: truncated: {len(data)} bytes, the section headers end at {offset + count * _SECTION.size}")
    headers = [_SECTION.unpack_from(data, offset + index * _SECTION.size) for index in range(count)]
    for header in headers:
        if header[4] + header[5] > len(data):
            raise ElfError(f"{source}: truncated: {len(data)} bytes, a section ends at {header[4] + header[5]}")
    names_header = headers[names_index] if names_index < count else (0,) * 6
    names = data[names_header[4] : names_header[4] + names_header[5]]
    return [SectionHeader(_string(names, header[0], source), header[4], header[5]) for header in headers]


def _string(table: bytes, offset: int, source: str) -> str:
    end = table.find(0, offset)
    if end < 0:
        raise ElfError(f"{source}: damaged: a name at {offset} lies outside its string table; assemble it again")
    return table[offset:end].decode(errors="replace")


# ---- contents


def _checksum(*contents: bytes) -> int:
    value = 0
    for content in contents:
        value = zlib.crc32(content, value)
    return value


def _note(version: tuple[int, int], checksum: int) -> bytes:
    name = b"accelkit\0\0\0\0"  # padded to a multiple of 4
    return struct.pack("<III", 9, 12, 1) + name + struct.pack("<III", *version, checksum)


def _read_note(note: bytes) -> tuple[tuple[int, int], int]:
    major, minor, checksum = struct.unpack_from("<III", note, 24)
    return (major, minor), checksum


def _symbol_table(program: Program, word_bytes: int) -> tuple[bytes, bytes, int]:
    """`.symtab`, `.strtab` and the number of the first global symbol: local ones come first, a file symbol before all."""
    ordered = sorted(program.symbols, key=lambda symbol: symbol.is_global)
    names = bytearray(b"\0" + encode_names(program.name) + b"\0")
    table = bytearray(_SYMBOL.size) + _SYMBOL.pack(1, _FILE_SYMBOL, 0, _ABSOLUTE, 0, 0)
    for symbol in ordered:
        value = symbol.value * word_bytes if symbol.section == "text" else symbol.value
        table += _SYMBOL.pack(
            len(names), symbol.is_global << 4, 0, _SECTION_NUMBERS[symbol.section], value % (1 << 64), 0
        )
        names += symbol.name.encode() + b"\0"
    return bytes(table), bytes(names), 2 + sum(not symbol.is_global for symbol in ordered)


def _read_symbols(table: bytes, names: bytes, word_bytes: int) -> tuple[str, tuple[Symbol, ...]]:
    sections = {number: section for section, number in _SECTION_NUMBERS.items()}
    program_name, symbols = "", []
    for name_offset, info, _, section, value, _ in _SYMBOL.iter_unpack(table):
        content = names[name_offset : names.index(0, name_offset)]
        if info & 15 == _FILE_SYMBOL:
            program_name = decode_names(content)
        elif name := content.decode():
            signed = value - (1 << 64) if value >> 63 else value
            if section not in sections:
                raise ValueError(f"symbol {name} is in section {section}")
            kind = sections[section]
            symbols.append(Symbol(name, kind, signed // word_bytes if kind == "text" else signed, bool(info >> 4)))
    return program_name, tuple(symbols)
