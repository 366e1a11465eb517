"""Sequencer: scalar arithmetic, control flow, arguments. Each takes one dispatch cycle; a taken branch or jump adds one bubble."""

from accelkit.isa.faults import Fault
from accelkit.isa.row import Alias, Instruction, Kind, Operand
from accelkit.isa.units import Unit

RD = Operand("rd", Kind.RD, "destination register")
RS1 = Operand("rs1", Kind.RS1, "first source register")
RS2 = Operand("rs2", Kind.RS2, "second source register")
IMM = Operand("imm", Kind.IMMEDIATE, "32-bit immediate, -2147483648..4294967295")
TARGET = Operand("target", Kind.TARGET, "label; encoded as a signed distance in instructions from this one")


def _row(
    mnemonic: str,
    opcode: int,
    operands: tuple[Operand, ...],
    meaning: str,
    example: str,
    faults: tuple[Fault, ...] = (),
    **more: str,
) -> Instruction:
    return Instruction(
        mnemonic,
        opcode,
        Unit.SEQUENCER,
        operands,
        meaning,
        cycles=more.get("cycles", "scalar"),
        execute=more.get("execute", "arithmetic"),
        example=example,
        faults=faults,
        notes=more.get("notes", ""),
    )


# mnemonic, number (opcode 0x00 + number from registers, 0x10 + number with an immediate), immediate form, meaning
_ARITHMETIC = (
    ("add", 0x01, "addi", "rd = rs1 + {b}, modulo 2^32"),
    ("sub", 0x02, "", "rd = rs1 - {b}, modulo 2^32"),
    ("mul", 0x03, "muli", "rd = low 32 bits of rs1 * {b}"),
    ("and", 0x04, "andi", "rd = rs1 & {b}"),
    ("or", 0x05, "ori", "rd = rs1 | {b}"),
    ("xor", 0x06, "xori", "rd = rs1 ^ {b}"),
    ("sll", 0x07, "slli", "rd = rs1 << ({b} & 31)"),
    ("srl", 0x08, "srli", "rd = rs1 >> ({b} & 31), zeros shifted in"),
    ("sra", 0x09, "srai", "rd = rs1 >> ({b} & 31), the sign shifted in"),
    ("slt", 0x0A, "slti", "rd = 1 if rs1 < {b} else 0, both signed"),
    ("sltu", 0x0B, "sltiu", "rd = 1 if rs1 < {b} else 0, both unsigned"),
    ("min", 0x0C, "mini", "rd = the smaller of rs1 and {b}, both signed"),
    ("max", 0x0D, "maxi", "rd = the larger of rs1 and {b}, both signed"),
)

_BRANCHES = (
    ("beq", 0x28, "rs1 = rs2"),
    ("bne", 0x29, "rs1 != rs2"),
    ("blt", 0x2A, "rs1 < rs2, both signed"),
    ("bge", 0x2B, "rs1 >= rs2, both signed"),
    ("bltu", 0x2C, "rs1 < rs2, both unsigned"),
    ("bgeu", 0x2D, "rs1 >= rs2, both unsigned"),
)

IMMEDIATE_FORM = 0x10

ROWS = (
    *(
        _row(name, code, (RD, RS1, RS2), meaning.format(b="rs2"), f"{name} t0, t1, t2")
        for name, code, _, meaning in _ARITHMETIC
    ),
    *(
        _row(
            immediate,
            code + IMMEDIATE_FORM,
            (RD, RS1, IMM),
            meaning.format(b="imm"),
            f"{immediate} t0, t1, 5",
        )
        for _, code, immediate, meaning in _ARITHMETIC
        if immediate
    ),
    _row("li", 0x20, (RD, IMM), "rd = imm", "li t0, 0x1000", execute="load_immediate"),
    _row(
        "larg",
        0x21,
        (RD, Operand("args", Kind.ARGUMENT, "word rs1 + imm of the argument memory")),
        "rd = argument word rs1 + imm (modulo 2^32); a fault if the launch passed no such argument",
        "larg a0, args[2]",
        execute="read_argument",
    ),
    _row(
        "rdcycle",
        0x22,
        (RD,),
        "rd = low 32 bits of this instruction's own dispatch cycle",
        "rdcycle t0",
        execute="read_cycle",
    ),
    *(
        _row(
            name,
            code,
            (RS1, RS2, TARGET),
            f"continue at target if {condition}",
            f"{name} t0, t1, .+2",
            cycles="branch",
            execute="branch",
        )
        for name, code, condition in _BRANCHES
    ),
    _row(
        "jal",
        0x2E,
        (RD, TARGET),
        "rd = number of the next instruction; continue at target",
        "jal ra, .+2",
        cycles="branch",
        execute="jump",
    ),
    _row(
        "jalr",
        0x2F,
        (RD, RS1, IMM),
        "rd = number of the next instruction; continue at instruction rs1 + imm (modulo 2^32)",
        "jalr zero, ra, 0",
        cycles="branch",
        execute="jump",
    ),
    _row(
        "fence",
        0x30,
        (),
        "dispatches when all earlier instructions have completed: all that follows is ordered after all that went before",
        "fence",
        cycles="fence",
        execute="fence",
    ),
    _row(
        "halt", 0x31, (), "ends the program; work in queues and in flight completes", "halt", execute="halt"
    ),
    _row(
        "trap",
        0x32,
        (IMM,),
        "dispatch fault with imm as its code: nothing later dispatches, earlier work completes",
        "trap 3",
        faults=(Fault.TRAP,),
        execute="trap",
    ),
)

ALIASES = (
    Alias("nop", "addi", (), (("rd", 0), ("rs1", 0), ("imm", 0)), "does nothing for one cycle"),
    Alias("mv", "addi", ("rd", "rs1"), (("imm", 0),), "rd = rs1"),
    Alias("j", "jal", ("target",), (("rd", 0),), "continue at target"),
    Alias(
        "call", "jal", ("target",), (("rd", 1),), "ra = number of the next instruction; continue at target"
    ),
    Alias("ret", "jalr", (), (("rd", 0), ("rs1", 1), ("imm", 0)), "continue at the instruction in ra"),
    Alias("beqz", "beq", ("rs1", "target"), (("rs2", 0),), "continue at target if rs1 = 0"),
    Alias("bnez", "bne", ("rs1", "target"), (("rs2", 0),), "continue at target if rs1 != 0"),
)
