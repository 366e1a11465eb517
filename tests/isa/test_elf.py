"""ELF images: what readers that aren't ours see, what comes back, what is refused."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection
from hypothesis import given
from hypothesis import strategies as st

from accelkit.assembler import assemble
from accelkit.isa import declarations
from accelkit.isa.elf import MACHINE, ElfError, read_elf, write_elf
from accelkit.isa.program import Allowance, Argument, ArgumentKind, Program, SourceLine, Symbol, Token
from accelkit.isa.table import ISA_VERSION
from accelkit.isa.units import CHANNELS

SOURCE = """\
# two lines before the first instruction
        .arg    M, value
        .arg    x, in, s8[M, *]
        .equ    MINUS, -1
        .token  full = load -> store
        .global start
start:  larg    t0, args[M]
        beqz    t0, end

loop:   addi    t0, t0, MINUS
        bnez    t0, loop
        larg    a0, args[data]
end:    halt
        .data
        .byte   1, 2, 3
table:  .word   5
"""
LINES = [7, 8, 10, 11, 12, 13]


@pytest.fixture(scope="module")
def image() -> bytes:
    """The file of SOURCE."""
    return write_elf(assemble(SOURCE, "dir/kernel.s"))


@pytest.fixture
def path(image: bytes, tmp_path: Path) -> Path:
    """The same on disk."""
    path = tmp_path / "kernel.elf"
    path.write_bytes(image)
    return path


def tool(name: str, *arguments: str | Path) -> str:
    """Output of a binutils program that says nothing on stderr."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} (binutils) is not installed")
    result = subprocess.run([name, *arguments], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    assert "arning" not in result.stdout
    return result.stdout


def test_readelf_reads_everything(path: Path) -> None:
    """`readelf -a` and its DWARF dumps have nothing to complain about and show machine, note, sections and arguments."""
    text = tool("readelf", "-a", "-W", path)
    assert f"<unknown>: {MACHINE:#x}" in text
    assert "accelkit" in text
    assert "EXEC" in text
    assert "kernel.s" in tool("readelf", "--debug-dump=info,abbrev,rawline,decodedline", path)
    assert "x in s8 M,*" in tool("readelf", "-p", ".accelkit.args", path)


def test_nm_lists_symbols(path: Path) -> None:
    """`nm` shows instruction addresses (16 bytes each), data offsets and constants, globals in capitals."""
    shown = {line.split()[2]: tuple(line.split()[:2]) for line in tool("nm", path).splitlines()}
    assert shown["start"] == ("0" * 16, "T")
    assert shown["loop"] == (f"{2 * 16:016x}", "t")
    assert shown["end"] == (f"{5 * 16:016x}", "t")
    assert shown["table"] == (f"{3:016x}", "r")
    assert shown["MINUS"] == ("f" * 16, "a")
    assert shown["x"] == (f"{1:016x}", "a")


def test_addr2line_finds_every_line(path: Path) -> None:
    """`addr2line` gives file and line of each instruction's address."""
    addresses = [hex(16 * number) for number in range(len(LINES))]
    assert tool("addr2line", "-e", path, *addresses).splitlines() == [f"dir/kernel.s:{line}" for line in LINES]


def test_size_counts_sections(path: Path) -> None:
    """`size` sees code and read-only data."""
    assert tool("size", "-A", path).split("\n")[2].split()[:2] == [".text", str(16 * len(LINES))]


def test_pyelftools_reads_everything(image: bytes) -> None:
    """pyelftools finds sections, symbols, the note and, through DWARF, line and column of each address."""
    elf = ELFFile(io.BytesIO(image))
    assert elf.get_section_by_name(".text")["sh_size"] == 16 * len(LINES)
    assert elf.get_section_by_name(".data").data() == bytes([1, 2, 3, 5, 0, 0, 0])
    assert elf.get_section_by_name(".symtab").get_symbol_by_name("loop")[0]["st_value"] == 32
    note = elf.get_section_by_name(".note.accelkit")
    assert isinstance(note, NoteSection)
    assert [entry["n_name"] for entry in note.iter_notes()] == ["accelkit"]
    dwarf = elf.get_dwarf_info()
    (unit,) = dwarf.iter_CUs()
    rows = [entry.state for entry in dwarf.line_program_for_CU(unit).get_entries() if entry.state is not None]
    places = [(row.address, row.line, row.column) for row in rows if not row.end_sequence]
    assert places == [(16 * number, line, 9) for number, line in enumerate(LINES)]
    assert rows[-1].address == 16 * len(LINES)


def test_same_source_gives_same_bytes(image: bytes) -> None:
    """Nothing but source text and the given name decides the bytes."""
    assert write_elf(assemble(SOURCE, "dir/kernel.s")) == image
    assert str(Path.cwd()).encode() not in image


def test_program_comes_back(image: bytes) -> None:
    """read_elf(write_elf(program)) is the program, up to the order of its symbols (local ones come first)."""
    program, again = assemble(SOURCE, "dir/kernel.s"), read_elf(image, "kernel.elf")
    assert sorted(again.symbols, key=lambda symbol: symbol.name) == sorted(program.symbols, key=lambda symbol: symbol.name)
    assert {**vars(again), "symbols": ()} == {**vars(program), "symbols": ()}


NAMES = st.from_regex(r"[A-Za-z_.][A-Za-z0-9_.]{0,20}", fullmatch=True)
PLACES = st.builds(SourceLine, st.sampled_from(["a.s", "lib/b.s", "é.s"]), st.integers(1, 1 << 20), st.integers(1, 5000))
SYMBOLS = st.one_of(
    st.builds(Symbol, NAMES, st.just("text"), st.integers(0, 1 << 40)),
    st.builds(Symbol, NAMES, st.just("data"), st.integers(0, 1 << 40)),
    st.builds(Symbol, NAMES, st.just("abs"), st.integers(-(1 << 63), (1 << 63) - 1)),
)
SHAPES = st.lists(st.one_of(st.integers(0, (1 << 31) - 1), NAMES, st.just("*")), min_size=1, max_size=4).map(tuple)
ARGUMENTS = st.one_of(
    st.builds(Argument, NAMES, st.just(ArgumentKind.VALUE)),
    st.builds(Argument, NAMES, st.sampled_from([ArgumentKind.IN, ArgumentKind.INOUT]), st.sampled_from(["s8", "f32"]), SHAPES),
)
TOKENS = st.builds(Token, NAMES, st.sampled_from([str(channel) for channel in CHANNELS]))
WORDS = st.lists(st.tuples(st.integers(0, (1 << 128) - 1), st.none() | PLACES), max_size=20)


@given(
    NAMES,
    WORDS,
    st.lists(SYMBOLS, max_size=8),
    st.lists(ARGUMENTS, max_size=8),
    st.lists(TOKENS, max_size=4),
    st.binary(max_size=100),
    st.integers(0, 99),
)
def test_any_program_comes_back(
    name: str,
    words: list[tuple[int, SourceLine | None]],
    symbols: list[Symbol],
    arguments: list[Argument],
    tokens: list[Token],
    data: bytes,
    minor: int,
) -> None:
    """read_elf(write_elf(program)) is the program, whatever is in it."""
    code, lines = tuple(word for word, _ in words), tuple(line for _, line in words)
    program = Program(name, code, lines, tuple(symbols), tuple(arguments), data, (1, minor), tokens=tuple(tokens))
    assert read_elf(write_elf(program), "any.elf") == program


def test_files_of_before_tokens_are_read() -> None:
    """A file that has no section for tokens, as earlier versions wrote it, has none."""
    program = assemble("nop\n")
    image = write_elf(program)
    assert image.count(b".accelkit.tokens\0") == 1
    assert read_elf(image.replace(b".accelkit.tokens\0", b".of.another.tool\0"), "k.elf") == program


def test_refuses_other_files(image: bytes) -> None:
    """A file that is no ELF, or an ELF file of another machine, each has its message, which names the file."""
    with pytest.raises(ElfError, match=r"^k\.elf: no ELF file; expected one that accel-as wrote$"):
        read_elf(b"PK\3\4" + image[4:], "k.elf")
    with pytest.raises(ElfError, match=r"^k\.elf: no ELF file"):
        read_elf(b"", "k.elf")
    with pytest.raises(ElfError, match=r"^k\.elf: made for another machine \(ELF machine 0x3e\); expected 0xacce"):
        read_elf(image[:18] + b"\x3e\0" + image[20:], "k.elf")
    with pytest.raises(ElfError, match="another machine"):
        read_elf(image[:4] + b"\1" + image[5:], "k.elf")


def test_refuses_other_major_version() -> None:
    """A program of another major ISA version is refused, one of another minor version is not."""
    other = Program("k", (0x31,), (None,), isa_version=(2, 3))
    ours = rf"{ISA_VERSION[0]}\.{ISA_VERSION[1]}"
    with pytest.raises(ElfError, match=rf"^k\.elf: made for ISA version 2\.3, this is {ours}; assemble it again$"):
        read_elf(write_elf(other), "k.elf")


def test_refuses_wrong_checksum(image: bytes) -> None:
    """A bit that changed in code, data or arguments is found by the CRC."""
    elf = ELFFile(io.BytesIO(image))
    for section in (".text", ".data", ".accelkit.args"):
        offset = elf.get_section_by_name(section)["sh_offset"]
        damaged = bytearray(image)
        damaged[offset] ^= 1
        with pytest.raises(ElfError, match=r"^k\.elf: damaged: CRC is 0x[0-9a-f]{8}, the file says 0x[0-9a-f]{8}; assemble it again$"):
            read_elf(bytes(damaged), "k.elf")


def test_names_of_files_that_are_no_utf_8_come_back() -> None:
    """A program's name, its lines' files and those of what the lint is told to allow, byte for byte."""
    odd = "na\udcefve.s"
    program = Program(odd, (0x31,), (SourceLine(odd, 3, 1),), (), (), allowances=(Allowance(odd, 3, ("W0701",), "so it is"),))
    image = write_elf(program)
    assert image.count(b"na\xefve.s\0") >= 2
    assert read_elf(image, "x.elf") == program


@pytest.mark.parametrize(
    ("writer", "section"),
    [
        ("tokens_text", b"full\0"),
        ("tokens_text", b"full load->store.0 more\0"),
        ("tokens_text", b"f\xffll load->store.0\0"),
        ("regions_text", b"tile scratchpad 0\0"),
        ("regions_text", b"tile scratchpad 0 4 other more\0"),
        ("arguments_text", b"x in\0"),
        ("arguments_text", b"x in s9 4\0"),
        ("arguments_text", b"x in 0..5\0"),
        ("arguments_text", b"M value s8 4\0"),
    ],
)
def test_refuses_declarations_of_another_form(writer: str, section: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sections whose checksum is right but whose text says something else than accel-as writes: damaged, not a traceback."""
    monkeypatch.setattr(declarations, writer, lambda _: section)
    image = write_elf(assemble("halt\n"))
    with pytest.raises(ElfError, match=r"x\.elf: damaged \("):
        read_elf(image, "x.elf")


def test_refuses_every_truncation(image: bytes) -> None:
    """However a file is cut off, the message says that it is truncated (or, without its first bytes, no ELF file)."""
    for size in range(len(image)):
        with pytest.raises(ElfError, match=r"^k\.elf: (truncated: \d+ bytes|no ELF file)"):
            read_elf(image[:size], "k.elf")


@given(st.data())
def test_damage_is_refused_or_harmless(data: st.DataObject) -> None:
    """Whatever bytes change, reading gives a program or an ElfError that names the file, nothing else."""
    image = bytearray(write_elf(assemble(SOURCE, "kernel.s")))
    for _ in range(data.draw(st.integers(1, 4))):
        image[data.draw(st.integers(4, len(image) - 1))] = data.draw(st.integers(0, 255))
    message, program = "", None
    try:
        program = read_elf(bytes(image), "k.elf")
    except ElfError as error:
        message = str(error)
    assert message.startswith("k.elf: ") if program is None else len(program.words) == len(program.lines)
