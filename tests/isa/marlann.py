"""The MARLANN accelerator's instruction set as a table, from its public description (SymbioticEDA/MARLANN, docs/isa.md): facts only.

32-bit words: opcode in bits 5..0, a coefficient or code address (or a small argument) in 14..6, a main memory address in 31..15; `Execute`
has a length in 24..15 instead. Operands come in the order main address, coefficient address, argument or length. There are no registers, no
units and no tokens. The description's diagram gives MMAXN two coefficient addresses, its text ("like MMAX") a main address: as the text.
"""

from __future__ import annotations

from accelkit.isa.row import Instruction, Kind, Operand
from accelkit.isa.table import BitField, Table, complete
from accelkit.isa.units import Unit

WORD_BITS = 32
OPCODE = BitField("opcode", 0, 6)
_MADDR = Operand("maddr", Kind.FIELD, "main memory address")
_CADDR = Operand("caddr", Kind.FIELD, "address in code memory or coefficient storage")
_ARG = Operand("arg", Kind.FIELD, "a small argument: a shift, or a number of words")
_LEN = Operand("len", Kind.FIELD, "how many instructions")
_FIELDS = {
    "maddr": BitField("maddr", 15, 17),
    "caddr": BitField("caddr", 6, 9),
    "arg": BitField("arg", 6, 9),
    "len": BitField("len", 15, 10),
}

_NONE: tuple[Operand, ...] = ()
_FORMS: dict[tuple[Operand, ...], tuple[tuple[int, str], ...]] = {
    _NONE: ((0, "Sync"), (2, "Return")),
    (_CADDR, _LEN): ((3, "Execute"),),
    (_ARG,): ((7, "ContinueLoad"),),
    (_CADDR,): ((12, "SetCBP"), (13, "AddCBP")),
    (_MADDR, _CADDR): (
        *((4, "LoadCode"), (5, "LoadCoeff0"), (6, "LoadCoeff1")),
        *((40, "MACC"), (41, "MMAX"), (42, "MMACZ"), (43, "MMAXZ"), (45, "MMAXN")),
    ),
    (_MADDR, _ARG): ((16, "Store"), (17, "Store0"), (18, "Store1"), (20, "ReLU"), (21, "ReLU0"), (22, "ReLU1")),
    (_MADDR,): (
        *((1, "Call"), (8, "SetLBP"), (9, "AddLBP"), (10, "SetSBP"), (11, "AddSBP")),
        *((24, "Save"), (25, "Save0"), (26, "Save1"), (28, "LdSet"), (29, "LdSet0"), (30, "LdSet1")),
        *((32, "LdAdd"), (33, "LdAdd0"), (34, "LdAdd1"), (36, "LdMax"), (37, "LdMax0"), (38, "LdMax1")),
    ),
}


def _fields(row: Instruction) -> tuple[BitField, ...]:
    return complete([OPCODE, *(_FIELDS[operand.name] for operand in row.operands)], WORD_BITS)


ROWS = tuple(
    Instruction(
        mnemonic=mnemonic,
        opcode=opcode,
        unit=Unit.SEQUENCER,
        operands=operands,
        meaning=mnemonic,
        cycles="none",
        execute="none",
        example=" ".join([mnemonic, ", ".join("0" for _ in operands)]).rstrip(),
    )
    for opcode, mnemonic, operands in sorted(
        ((opcode, mnemonic, operands) for operands, rows in _FORMS.items() for opcode, mnemonic in rows), key=lambda row: row[0]
    )
)

MARLANN = Table(
    rows=ROWS,
    aliases=(),
    word_bits=WORD_BITS,
    opcode=OPCODE,
    is_zero_legal=True,
    registers={},
    channels=(),
    fields=_fields,
)
