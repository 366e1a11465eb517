"""pytest plugin `accelkit`: golden cases as tests, and programs from tests. Heavy imports happen when one is run.

    [tool.pytest.ini_options]
    accelkit_goldens = ["goldens"]
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

if TYPE_CHECKING:
    from accelkit.cli.golden.verdict import Checked
    from accelkit.simulator import LaunchResult


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting that names the folders of goldens."""
    parser.addini("accelkit_goldens", "folders whose golden cases are tests", type="paths", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Each case file under the folders of the setting is collected."""
    if file_path.suffix != ".toml" or not any(file_path.is_relative_to(path) for path in parent.config.getini("accelkit_goldens")):
        return None
    from accelkit.cli.golden.case import is_case

    return CaseFile.from_parent(parent, path=file_path) if is_case(file_path) else None


class CaseFile(pytest.File):
    """A file that is one case."""

    def collect(self) -> Iterator[pytest.Item]:
        """The case."""
        from accelkit.cli.golden.case import name_of

        yield CaseItem.from_parent(self, name=name_of(self.path))


class CaseItem(pytest.Item):
    """A case as a test: it fails unless all is as recorded."""

    funcargs: ClassVar[dict[str, object]] = {}  # pytest-lsp fails at items that have none

    def runtest(self) -> None:
        """Check the case."""
        from accelkit.cli.golden.verdict import Verdict, check

        checked = check(str(self.path))
        if checked.verdict is not Verdict.OK:
            raise CaseFailure(checked)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *arguments: Any, **options: Any) -> Any:
        """The verdict without a traceback."""
        if isinstance(excinfo.value, CaseFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *arguments, **options)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case is, and its name."""
        return self.path, None, f"golden {self.name}"


class CaseFailure(Exception):
    """A case that isn't as recorded."""

    def __init__(self, checked: Checked) -> None:
        super().__init__(f"{checked.verdict.value}: {checked.detail}")


class Runner:
    """Runs programs from tests; a program's path is as seen from the test's file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, program: str | Path, machine: str = "edge-16", /, **values: object) -> LaunchResult:
        """Assemble (.s) or read (.elf) a program and launch it with its declared arguments. LaunchError, AssemblyError, ArgumentError."""
        from accelkit.assembler import assemble_file
        from accelkit.isa.elf import read_elf
        from accelkit.isa.files import read_bytes
        from accelkit.simulator import Session

        path = self._folder / program
        loaded = assemble_file(str(path)) if path.suffix == ".s" else read_elf(read_bytes(path), str(path))
        beside = self._folder / machine
        return Session(str(beside) if beside.is_file() else machine).run(loaded, **values)


@pytest.fixture
def accelkit(request: pytest.FixtureRequest) -> Runner:
    """Runs programs: `accelkit.run("add.s", n=64, a=a, b=b)["c"]` is the output buffer c."""
    return Runner(request.path.parent)
