"""Codes of the assembler's diagnostics, with what `accel-as --explain CODE` says of each. A code never changes its meaning."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """What a code stands for: a title, and an explanation with the usual fix."""

    title: str
    explanation: str


CODES = {
    "E0101": Code(
        "text that does not fit the syntax",
        "The line stops making sense at the marked place. The message lists what could stand there. A frequent cause is a missing comma"
        " between operands, or a bracket that is not closed.",
    ),
    "E0102": Code(
        "string or character without its closing quote",
        "A string ends on the line on which it begins. Write \\\" for a quote in it.",
    ),
    "E0103": Code(
        "malformed number",
        "Numbers are decimal (12), hexadecimal (0x1f), binary (0b101) or octal (0o17), with _ between digits. A leading 0 is refused,"
        " because C would read it as octal.",
    ),
    "E0104": Code(
        "malformed escape or character in a string",
        "Escapes are \\n \\t \\r \\0 \\\\ \\\" \\' and \\xHH. A character in single quotes must be one byte.",
    ),
    "E0105": Code("expression nested too deep", "Split the expression: .equ gives a part of it a name."),
    "E0106": Code("unknown directive", "Words that begin with a dot are directives. docs/assembly.md lists them."),
    "E0107": Code(
        "unknown instruction",
        "The first word of a line (after its labels) is an instruction, a directive or a macro that is defined further up. A label ends"
        " in a colon.",
    ),
    "E0108": Code("source that is no UTF-8 text", "Save the file as UTF-8."),
    "E0109": Code(
        "block that is not closed, or closed without having been opened",
        ".if, .ifdef and .ifndef end at .endif; .macro ends at .endm; .rept ends at .endr. A block ends in the file, macro or repetition in"
        " which it begins.",
    ),
    "E0201": Code("unknown register", "Registers are x0 to x31, or zero, ra, a0 to a7, t0 to t9, s0 to s11."),
    "E0202": Code(
        "operand missing",
        "The help shows the instruction's form; what stands in square brackets may be left out.",
    ),
    "E0203": Code(
        "operand too many, or in the wrong place",
        "Sequencer instructions take their operands in order. Tensor instructions take memory operands first; all others have names.",
    ),
    "E0204": Code("unknown operand name or flag", "The help shows the names and flags that the instruction has."),
    "E0205": Code("operand, flag or channel given twice", "Each stands once; wait(...) and post(...) take lists."),
    "E0206": Code(
        "operand of the wrong kind",
        "Operands of tensor instructions are registers: load a constant with li first. A branch goes to a label, not to data.",
    ),
    "E0207": Code(
        "unknown channel or token name",
        "A channel is written as in the help, or by a name that .token declares.",
    ),
    "E0208": Code(
        "channel that this instruction can't wait for or post",
        "An instruction waits for channels that lead to its unit, and posts channels that lead away from its port. A unit does its own work"
        " in order, so no channel leads from a unit to itself.",
    ),
    "E0301": Code(
        "undefined symbol",
        "No label, constant, argument or region of this name is visible here. Another source's needs .global.",
    ),
    "E0302": Code(
        "symbol defined twice",
        "The note shows the first definition. In a macro, .local makes a name differ between expansions.",
    ),
    "E0303": Code(
        "reserved name",
        "Words of the instruction set can't be names, nor can words that the assembler declares itself.",
    ),
    "E0304": Code("definition in terms of itself", "The constant's value would depend on itself."),
    "E0305": Code(
        "value needed before it is known",
        "Sizes of data and regions, counts of repetitions and conditions decide what follows: their names must be defined further up.",
    ),
    "E0401": Code("value outside its range", "The message gives the range."),
    "E0402": Code("division by zero", "The right side of / or % is zero."),
    "E0403": Code(
        "value outside 64 bits, or a shift by a senseless amount",
        "Expressions are calculated in signed 64-bit numbers and never wrap.",
    ),
    "E0404": Code(
        "register or string in an expression that must be a constant",
        "The value of a register is known at run time only; strings go into .ascii.",
    ),
    "E0501": Code("statement in the wrong section", "Instructions stand in .text, data in .data."),
    "E0502": Code(
        "malformed argument declaration",
        "See the form in the help. Sizes are constants or names of value arguments.",
    ),
    "E0503": Code(
        "malformed token declaration",
        "A token is a channel: .token name = producer -> consumer.0 or .1; without a number the first free one is taken. There are two"
        " between each port and unit.",
    ),
    "E0504": Code(
        "too much data, or a senseless alignment",
        "Data is meant for tables. Alignments are powers of two up to 64.",
    ),
    "E0505": Code(
        "malformed case",
        "A case names a machine (a preset or a machine file, by its path from the source file) and gives a value to every value argument.",
    ),
    "E0506": Code(
        "malformed comment for the lint",
        "A comment that begins with lint: allows findings: # lint: allow L0101 reason.",
    ),
    "E0601": Code("malformed region", "See the form in the help. Sizes must be known at once and are at least 1."),
    "E0602": Code(
        "region outside its memory",
        "The region ends past the last row of a machine on which the program is meant to run.",
    ),
    "E0603": Code(
        "regions that overlap",
        "Two regions share rows. If one is to take the other's place, declare it with over=other; without at= regions follow each other.",
    ),
    "E0604": Code("index outside a region", "Indices count from 0 and stay below the sizes of the declaration."),
    "E0605": Code(
        "program too large for a machine",
        "A machine of a case, or the one of -m, has too little instruction or argument memory.",
    ),
    "E0701": Code("malformed macro definition", "A macro's name is no instruction; its parameters differ."),
    "E0702": Code(
        "macro argument missing, unknown or too many",
        "The note shows the macro's parameters. Those without a default are needed.",
    ),
    "E0703": Code(
        "expansion without end",
        "Macros, repetitions and includes nest 64 deep at most; they make 16384 lines and 262144 characters at most (a line of a new form"
        " counts fourfold). What a file holds that is included once does not count.",
    ),
    "E0704": Code(
        "file that can't be included",
        "Files are searched in the folder of the including file, then in the folders of -I in order. A file can't include itself.",
    ),
    "E0705": Code("static assertion that does not hold", "The condition of .assert is 0."),
    "W0101": Code(
        "name that nothing uses (-W unused)",
        "A constant, macro or region is defined and never used. Remove it.",
    ),
    "W0102": Code(
        "number that binary32 can't hold exactly (-W precision)",
        "The integer given to .float has more than 24 significant bits and is rounded. Write it with a decimal point if that is meant.",
    ),
}
