"""What the cases of a program leave open."""

from collections.abc import Sequence

from accelkit.isa.program import Program
from accelkit.lint.run import Run
from accelkit.lint.sequencer import End
from accelkit.lint.words import Code


def uncovered(program: Program, code: Code, runs: Sequence[Run]) -> list[str]:
    """What the cases leave open, a line each."""
    found = []
    for run in runs:
        name, trace = run.setup.name, run.trace
        if trace.end is End.TIMED:
            found.append(f"case {name} ends at {_place(program, trace.last_pc)}: what follows depends on rdcycle")
        elif trace.end is End.CUT:
            found.append(f"case {name} takes long, or does not end: accel-lint runs it")
        elif trace.end is End.ENDLESS and run.made.blocked is None:
            found.append(f"case {name} does not end: it still runs at {_place(program, trace.last_pc)}")
    dispatched = set().union(*(run.trace.dispatched for run in runs))
    missed = [pc for pc, word in enumerate(code) if pc not in dispatched and word is not None and word.row.is_tensor]
    if runs and missed:
        listed = ", ".join(_place(program, pc) for pc in missed[:8])
        more = f" and {len(missed) - 8} more" if len(missed) > 8 else ""
        found.append(f"no case dispatches {len(missed)} tensor instruction{'s' if len(missed) > 1 else ''}: {listed}{more}")
    return found


def _place(program: Program, pc: int) -> str:
    line = program.lines[pc] if 0 <= pc < len(program.lines) else None
    return f"{line.file}:{line.line}" if line else f"instruction {pc}"
