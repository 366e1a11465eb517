"""What a program declares, as text in sections of the ELF file, so that `readelf -p .accelkit.args` shows it. Lines end in NUL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accelkit.isa.files import decode_names, encode_names
from accelkit.isa.program import DTYPES, Allowance, Argument, ArgumentKind, Case, Region, Token


def arguments_text(arguments: Sequence[Argument]) -> bytes:
    """`name kind`, for buffers `type size,size,...`, for values with a range `low..high`."""
    return _join(f"{argument.name} {argument.kind.value}{_details(argument)}" for argument in arguments)


def _details(argument: Argument) -> str:
    if argument.dtype:
        return f" {argument.dtype} {','.join(map(str, argument.shape))}"
    return f" {argument.range[0]}..{argument.range[1]}" if argument.range else ""


def read_arguments(section: bytes) -> tuple[Argument, ...]:
    """The inverse of `arguments_text`. ValueError if the text isn't of this form, as in the functions below."""
    arguments = []
    for line in _split(section):
        name, kind, *details = line.split(" ")
        is_buffer = ArgumentKind(kind) is not ArgumentKind.VALUE
        if is_buffer != (len(details) == 2) or (is_buffer and details[0] not in DTYPES):
            raise ValueError(f"argument {name} is a {kind} of {' '.join(details) or 'no type'}")
        if is_buffer:
            shape = tuple(int(size) if size.isdecimal() else size for size in details[1].split(","))
            arguments.append(Argument(name, ArgumentKind(kind), details[0], shape))
        elif details:
            low, high = details[0].split("..")
            arguments.append(Argument(name, ArgumentKind(kind), range=(int(low), int(high))))
        else:
            arguments.append(Argument(name, ArgumentKind(kind)))
    return tuple(arguments)


def cases_text(cases: Sequence[Case]) -> bytes:
    """`name argument=value ... machine=...`: the machine comes last, because a path may hold spaces."""
    return _join(
        " ".join([case.name, *(f"{name}={value}" for name, value in case.values), f"machine={case.machine}"]) for case in cases
    )


def read_cases(section: bytes) -> tuple[Case, ...]:
    """The inverse of `cases_text`."""
    cases = []
    for line in _split(section):
        head, machine = line.split(" machine=", 1)
        name, *settings = head.split(" ")
        pairs = [setting.split("=") for setting in settings]
        cases.append(Case(name, machine, tuple((key, int(value)) for key, value in pairs)))
    return tuple(cases)


def regions_text(regions: Sequence[Region]) -> bytes:
    """`name memory first-row size,size,...`, and the region whose place it takes."""
    return _join(
        f"{region.name} {region.memory} {region.first_row} {','.join(map(str, region.shape))} {region.over}".rstrip() for region in regions
    )


def read_regions(section: bytes) -> tuple[Region, ...]:
    """The inverse of `regions_text`."""
    regions = []
    for line in _split(section):
        name, memory, first_row, shape, over = (f"{line} " if line.count(" ") == 3 else line).split(" ")
        regions.append(Region(name, memory, int(first_row), tuple(map(int, shape.split(","))), over))
    return tuple(regions)


def tokens_text(tokens: Sequence[Token]) -> bytes:
    """`name channel`."""
    return _join(f"{token.name} {token.channel}" for token in tokens)


def read_tokens(section: bytes) -> tuple[Token, ...]:
    """The inverse of `tokens_text`."""
    return tuple(Token(name, channel) for name, channel in (line.split(" ") for line in _split(section)))


def allowances_text(allowances: Sequence[Allowance]) -> bytes:
    """`line codes file`, and the reason after a tab."""
    return _join(f"{allowance.line} {','.join(allowance.codes)} {allowance.file}\t{allowance.reason}" for allowance in allowances)


def read_allowances(section: bytes) -> tuple[Allowance, ...]:
    """The inverse of `allowances_text`."""
    found = []
    for line in decode_names(section).split("\0")[:-1]:  # files may have names that are no UTF-8
        place, reason = line.split("\t", 1)
        number, codes, file = place.split(" ", 2)
        found.append(Allowance(file, int(number), tuple(codes.split(",")), reason))
    return tuple(found)


def _join(lines: Iterable[str]) -> bytes:
    return encode_names("".join(f"{line}\0" for line in lines))


def _split(section: bytes) -> list[str]:
    return section.decode().split("\0")[:-1]
