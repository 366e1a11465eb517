"""The kernels of this package as assembled programs."""

from importlib import resources

from accelkit.assembler import assemble_file
from accelkit.isa.machine import Machine
from accelkit.isa.program import Program
from accelkit.kernels.memo import remembered


@remembered
def kernel_program(kernel: str) -> Program:
    """The assembled kernel `asm/<kernel>.s`."""
    with resources.as_file(resources.files("accelkit.kernels.asm") / f"{kernel}.s") as path:
        return assemble_file(path)


def program_problem(machine: Machine, kernel: str) -> str | None:
    """Why the kernel's program can't run on the machine at all, None if it can."""
    program = kernel_program(kernel)
    if machine.array_rows != machine.array_columns:
        return f"an array of {machine.array_rows}x{machine.array_columns} PEs; kernels need as many rows as columns"
    if len(program.words) > machine.instruction_words:
        return f"{kernel} has {len(program.words)} instructions, {machine.name} has memory for {machine.instruction_words}"
    if len(program.arguments) > machine.argument_words:
        return f"{kernel} has {len(program.arguments)} arguments, {machine.name} has memory for {machine.argument_words}"
    return None
