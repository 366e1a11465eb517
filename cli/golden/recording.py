"""Recording of a case: run, compared with its reference, written in one step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from accelkit.cli.golden.case import Case, GoldenError, ProgramError, name_of, read_case
from accelkit.cli.golden.measure import measure
from accelkit.cli.golden.recorded import write


@dataclass(frozen=True)
class Record:
    """What became of a case: `problem` if nothing was written, and whether that is the program's fault or the case's."""

    path: str
    name: str
    cycles: int | None
    reference: str
    problem: str = ""
    is_usable: bool = True


def record(path_text: str) -> Record:
    """Record the case in a file. It raises nothing: a case that can't be recorded has a problem."""
    path = Path(path_text)
    try:
        case = read_case(path)
        run = measure(case, is_judged=True)
        if problem := run.fault or run.wrong:
            return Record(path_text, case.name, run.identity.cycles, _reference(case), problem)
        write(path, case.name, run.identity, run.data)
        return Record(path_text, case.name, run.identity.cycles, _reference(case))
    except ProgramError as error:
        return Record(path_text, name_of(path), None, "", str(error))
    except (GoldenError, OSError) as error:
        return Record(path_text, name_of(path), None, "", str(error), is_usable=False)
    except MemoryError:
        return Record(path_text, name_of(path), None, "", f"{path}: not enough memory on this computer", is_usable=False)


def _reference(case: Case) -> str:
    """What the outputs were compared with before they were recorded."""
    if case.model is not None:
        return "ONNX Runtime"
    return case.reference or ", ".join(case.expected.values()) or "nothing"
