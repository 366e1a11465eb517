"""Which cases a program is to be examined on."""

from accelkit.isa.program import ANY_SIZE, ArgumentKind, Case, Program

OWN_CASE = "(no arguments)"  # of a program that needs none


def cases_of(program: Program) -> tuple[Case, ...]:
    """The declared cases; if there are none and the program takes no value, its one case on the default machine."""
    if program.cases:
        return program.cases
    is_open = any(a.kind is ArgumentKind.VALUE or ANY_SIZE in a.shape for a in program.arguments)
    if is_open:
        return ()
    # Here, for whoever has no case need not wait for what reads machines.
    from accelkit.isa.machine import DEFAULT_MACHINE

    return (Case(OWN_CASE, DEFAULT_MACHINE, ()),)
