"""What a program declares, as text in sections of the ELF file, so that `readelf -p .accelkit.args` shows it. Lines end in NUL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accelkit.isa.program import Allowance, Argument, ArgumentKind, Case


def arguments_text(arguments: Sequence[Argument]) -> bytes:
    """`name kind`, and for buffers `type size,size,...`."""
    shapes = [f" {argument.dtype} {','.join(map(str, argument.shape))}" if argument.dtype else "" for argument in arguments]
    return _join(f"{argument.name} {argument.kind.value}{shape}" for argument, shape in zip(arguments, shapes, strict=True))


def read_arguments(section: bytes) -> tuple[Argument, ...]:
    """The inverse of `arguments_text`. ValueError if the text isn't of this form, as in the functions below."""
    arguments = []
    for line in _split(section):
        name, kind, *buffer = line.split(" ")
        dtype = buffer[0] if buffer else ""
        shape = buffer[1].split(",") if buffer else []
        arguments.append(Argument(name, ArgumentKind(kind), dtype, tuple(int(size) if size.isdecimal() else size for size in shape)))
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


def allowances_text(allowances: Sequence[Allowance]) -> bytes:
    """`line codes file`, and the reason after a tab."""
    return _join(f"{allowance.line} {','.join(allowance.codes)} {allowance.file}\t{allowance.reason}" for allowance in allowances)


def read_allowances(section: bytes) -> tuple[Allowance, ...]:
    """The inverse of `allowances_text`."""
    found = []
    for line in _split(section):
        place, reason = line.split("\t", 1)
        number, codes, file = place.split(" ", 2)
        found.append(Allowance(file, int(number), tuple(codes.split(",")), reason))
    return tuple(found)


def _join(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\0" for line in lines).encode()


def _split(section: bytes) -> list[str]:
    return section.decode().split("\0")[:-1]
