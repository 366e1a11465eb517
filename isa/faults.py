"""Fault classes. Dispatch faults are found by the sequencer in program order, port faults by the bank ports at issue, checker
faults by the simulator's checker alone."""

from enum import IntEnum
from typing import NamedTuple


class FaultKind(IntEnum):
    """Who raises a fault, and so what is exact afterwards (docs/adr/0003)."""

    DISPATCH = 0
    PORT = 1
    CHECKER = 2


class Fault(IntEnum):
    """Fault classes; numbers are shared by simulator and RTL. Dispatch faults of one instruction are tested in this order."""

    NONE = 0
    FETCH = 1
    ILLEGAL = 2
    TRAP = 3
    ARGUMENT = 4
    COUNT = 5
    VALUE = 6
    SHAPE = 7
    NO_WEIGHTS = 8
    ALIGNMENT = 9
    SCRATCHPAD_RANGE = 10
    ACCUMULATOR_RANGE = 11
    DRAM_RANGE = 12
    BANK_READ = 20
    BANK_WRITE = 21
    RACE = 30
    BANK_ORDER = 31
    UNINITIALISED = 32
    BUFFER = 33
    OVERFLOW = 34
    TOKEN_LEAK = 35


class FaultText(NamedTuple):
    """What the documentation and messages say of a class: `meaning`, then the likely `fix`."""

    kind: FaultKind
    meaning: str
    fix: str


FAULTS: dict[Fault, FaultText] = {
    Fault.FETCH: FaultText(
        FaultKind.DISPATCH, "fetch outside the program", "end the program with halt; check branch targets"
    ),
    Fault.ILLEGAL: FaultText(
        FaultKind.DISPATCH, "illegal instruction word", "assemble for this ISA version; don't run into data"
    ),
    Fault.TRAP: FaultText(FaultKind.DISPATCH, "trap", "the program asked for it: see the code beside it"),
    Fault.ARGUMENT: FaultText(
        FaultKind.DISPATCH, "read past the launch's arguments", "pass the argument, or correct the index"
    ),
    Fault.COUNT: FaultText(
        FaultKind.DISPATCH, "count outside 1..65535", "skip the instruction when there is nothing to do"
    ),
    Fault.VALUE: FaultText(
        FaultKind.DISPATCH,
        "zero point, fill byte or clamp bound outside its range",
        "match the value to s8 or u8",
    ),
    Fault.SHAPE: FaultText(FaultKind.DISPATCH, "more rows or columns than the array has, or more taps than the weight registers",
        "split the tile or the window"),
    Fault.NO_WEIGHTS: FaultText(
        FaultKind.DISPATCH, "run before any preload of this launch", "preload weights first"
    ),
    Fault.ALIGNMENT: FaultText(
        FaultKind.DISPATCH,
        "32-bit data not on a multiple of 4 bytes",
        "align address, bytes and strides to 4",
    ),
    Fault.SCRATCHPAD_RANGE: FaultText(
        FaultKind.DISPATCH, "walk outside the scratchpad", "check base, counts and steps"
    ),
    Fault.ACCUMULATOR_RANGE: FaultText(
        FaultKind.DISPATCH, "walk outside the accumulator", "check base, counts and steps"
    ),
    Fault.DRAM_RANGE: FaultText(FaultKind.DISPATCH, "walk outside DRAM", "check address, counts and strides"),
    Fault.BANK_READ: FaultText(
        FaultKind.PORT,
        "read port of a bank is held by another unit",
        "use different banks, or order the two by a token",
    ),
    Fault.BANK_WRITE: FaultText(
        FaultKind.PORT,
        "write port of a bank is held by another unit",
        "use different banks, or order the two by a token",
    ),
    Fault.RACE: FaultText(
        FaultKind.CHECKER,
        "two units access the same place in no order",
        "post a token from the first, wait for it in the second",
    ),
    Fault.BANK_ORDER: FaultText(
        FaultKind.CHECKER,
        "two units use the same port of a bank in no order",
        "use different banks, or order the two by a token",
    ),
    Fault.UNINITIALISED: FaultText(FaultKind.CHECKER, "read of what nothing wrote", "load or fill it first"),
    Fault.BUFFER: FaultText(
        FaultKind.CHECKER,
        "DRAM access outside a declared buffer, or a store to an input",
        "check address, bytes and strides",
    ),
    Fault.OVERFLOW: FaultText(FaultKind.CHECKER, "int32 overflow in the accumulator", "split K, or rescale"),
    Fault.TOKEN_LEAK: FaultText(
        FaultKind.CHECKER, "tokens left at halt", "wait for every token that is posted"
    ),
}
