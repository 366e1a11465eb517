"""Each fixture in findings/ carries the whole text that lint has for it, after `# expected:`; those in fixes/ the whole diff."""

from pathlib import Path

import pytest

from accelkit.assembler import assemble
from accelkit.lint.check import lint_program
from accelkit.lint.codes import CODES
from accelkit.lint.effort import Effort
from accelkit.lint.fix import proposed_diff
from accelkit.lint.order import Judge
from accelkit.lint.render import report_text
from accelkit.lint.sources import Sources

HERE = Path(__file__).parent
FINDINGS = sorted((HERE / "findings").glob("*.s"))
FIXES = sorted((HERE / "fixes").glob("*.s"))
MARK = "# expected:\n"


def split(path: Path) -> tuple[str, str]:
    """The source of a fixture and the text that it expects."""
    source, _, expected = path.read_text().partition(MARK)
    return source, "\n".join(line.removeprefix("#").removeprefix("   ") for line in expected.splitlines())


def text_of(path: Path, is_fixing: bool) -> str:
    """What lint says of a fixture, or the diff that it proposes."""
    source, _ = split(path)
    program = assemble(source, path.name)
    sources = Sources({path.name: source})
    report = lint_program(program, sources, path.parent)
    if is_fixing:
        return proposed_diff(program, report, {path.name: source}, path.parent).rstrip("\n")
    return report_text(report, program, sources)


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_text(path: Path, is_updating_golden: bool) -> None:
    """Codes, places, words, help and notes are what the fixture says, and nothing else is found."""
    check(path, text_of(path, is_fixing=False), is_updating_golden)


@pytest.mark.parametrize("path", FIXES, ids=lambda path: path.stem)
def test_diff(path: Path, is_updating_golden: bool) -> None:
    """The diff is the fixture's."""
    check(path, text_of(path, is_fixing=True), is_updating_golden)


def check(path: Path, found: str, is_updating: bool) -> None:
    """Compare, or write, what a fixture expects."""
    source, expected = split(path)
    if is_updating:
        lines = [f"#   {line}".rstrip() for line in found.splitlines()]
        path.write_text(source + MARK + "".join(f"{line}\n" for line in lines))
    else:
        assert "\n".join(line.rstrip() for line in found.splitlines()) == expected


def test_every_code_has_a_fixture() -> None:
    """Each code of the lint stands in the expected text of some fixture."""
    text = "".join(split(path)[1] for path in FINDINGS)
    assert [code for code in CODES if f"[{code}]" not in text] == []


def test_what_takes_long_is_left_out_and_said() -> None:
    """A case that takes more than the effort is named, and nothing is said that would rest on it; the other case is judged as ever."""
    source = ".arg n, value\n.case one, machine=edge-16, n=1\n.case many, machine=edge-16, n=1000\n"
    source += "larg t0, args[n]\nli t1, 16\nloop: fill.b sp[t1]\nsync.vector post(store.0)\nsync.store wait(vector.0)\n"
    source += "addi t0, t0, -1\nbnez t0, loop\nhalt\n"
    program = assemble(source)
    whole = lint_program(program, Sources())
    assert {finding.code for finding in whole.findings} == {"W0908", "W0909"}
    part = lint_program(program, Sources(), effort=Effort(2000))
    assert part.findings == []
    assert part.uncovered == ["case many takes long, or does not end: accel-lint runs it"]
    assert part.cases == ["one"]


def test_redundant_tokens_are_tried_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred redundant tokens are found in a handful of passes over the trace, not in one for each."""
    passes = []
    run = Judge.run
    monkeypatch.setattr(Judge, "run", lambda judge: passes.append(1) or run(judge))
    program = assemble("sync.load post(array.0)\nsync.array wait(load.0)\n" * 200 + "halt\n")
    assert len(lint_program(program, Sources()).findings) == 200
    assert len(passes) < 10
