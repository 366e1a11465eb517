"""Proposed edits of a source, each tried before it is proposed: assembled and linted again, the finding is gone and none has come."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelkit.assembler import AssemblyError, assemble
from accelkit.isa.program import Program
from accelkit.isa.units import CHANNELS, PORT_UNIT, Channel
from accelkit.lint.channels import between, free_channel, posts_of, run_after, waits_of
from accelkit.lint.check import lint_program
from accelkit.lint.edit import add_token, drop_token
from accelkit.lint.finding import Finding, Report
from accelkit.lint.sources import Sources
from accelkit.lint.words import Word, decode

MOST_CREDITS = 2  # times that a channel is primed in a proposal: the halves of a double buffer
_TOKEN = re.compile(r"\.token\s+([\w.]+)\s*=\s*(\w+)\s*->\s*([\w.]+)")


@dataclass(frozen=True)
class _State:
    """A source with its program and report."""

    text: str
    program: Program
    report: Report


def proposed_diff(program: Program, report: Report, texts: Mapping[str, str], folder: Path) -> str:
    """A unified diff of the one source in `texts` that mends what can be mended; empty if nothing can."""
    ((file, original),) = texts.items()
    lines = difflib.unified_diff(_lines(original), _lines(_mended(program, report, file, original, folder)), file, file)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def proposed_source(program: Program, texts: Mapping[str, str], folder: Path) -> str:
    """The one source in `texts` with what can be mended."""
    ((file, original),) = texts.items()
    return _mended(program, lint_program(program, Sources(texts, folder), folder), file, original, folder)


def _mended(program: Program, report: Report, file: str, original: str, folder: Path) -> str:
    state = _State(original, program, report)
    while (better := _improved(state, file, folder)) is not None:
        state = better
    return state.text


def _improved(state: _State, file: str, folder: Path) -> _State | None:
    before = Counter(finding.code for finding in state.report.findings)
    for finding in state.report.findings:
        for text in _candidates(finding, state, file):
            try:
                program = assemble(text, file)
            except AssemblyError:
                continue
            report = lint_program(program, Sources({file: text}, folder), folder)
            after = Counter(found.code for found in report.findings)
            if after[finding.code] < before[finding.code] and not after - before:
                return _State(text, program, report)
    return None


def _candidates(finding: Finding, state: _State, file: str) -> Iterator[str]:
    lines = _lines(state.text)
    source = _Source(lines, state.program, file)
    if finding.token is not None:
        yield from source.ordered(finding.token.producer, finding.token.consumer)
    elif finding.drop is not None:
        posts, waits, channel = finding.drop
        yield from source.without(posts, waits, CHANNELS[channel])
    elif finding.code == "W0803" and finding.line is not None:
        yield "".join(lines[: finding.line[1] - 1] + lines[finding.line[1] :])


class _Source:
    """The lines of a source, with the program that they make."""

    def __init__(self, lines: list[str], program: Program, file: str) -> None:
        self.lines, self.program, self.file = lines, program, file
        self.code = decode(program.words)
        self.names = {
            (producer, consumer): name for name, producer, consumer in _TOKEN.findall("".join(lines))
        }

    def ordered(self, producer: int, consumer: int) -> Iterator[str]:
        """Sources in which one instruction posts a token and the other waits for it."""
        first, second = self._word(producer), self._word(consumer)
        for channel in between(first.row, second.row):
            if channel in posts_of(first) and channel not in waits_of(second):
                yield from self._edited({(consumer, "wait"): channel})
            if channel in waits_of(second) and channel not in posts_of(first):
                yield from self._edited({(producer, "post"): channel})
        for poster in (producer, run_after(self.code, producer)):
            channel_left = None if poster is None else free_channel(self.code, poster, consumer)
            if poster is not None and channel_left is not None:
                for credits in (0, *range(MOST_CREDITS, 0, -1)):
                    yield from self._edited({(poster, "post"): channel_left, (consumer, "wait"): channel_left}, credits)

    def without(self, posts: tuple[int, ...], waits: tuple[int, ...], channel: Channel) -> Iterator[str]:
        """The source without a group of tokens."""
        lines = list(self.lines)
        for keyword, pcs in (("post", posts), ("wait", waits)):
            for pc in pcs:
                place = self._line(pc)
                if place is None:
                    return
                lines[place] = drop_token(lines[place], keyword, (self._name(channel, keyword), _text(channel, keyword)))
        yield "".join(line for line in lines if not self._declares(line, channel))
        yield "".join(lines)

    def _word(self, pc: int) -> Word:
        word = self.code[pc]
        assert word is not None
        return word

    def _line(self, pc: int) -> int | None:
        """Index of the line of an instruction, None if it stands in another file or two of them on one line (a macro)."""
        here = self.program.lines[pc]
        if here is None or here.file != self.file:
            return None
        same = sum(line is not None and (line.file, line.line) == (here.file, here.line) for line in self.program.lines)
        return here.line - 1 if same == 1 else None

    def _declares(self, line: str, channel: Channel) -> bool:
        declared = _TOKEN.search(line)
        return declared is not None and declared[1] == self._name(channel, "post")

    def _name(self, channel: Channel, keyword: str) -> str:
        declared = self.names.get((channel.producer.name.lower(), channel.post_text))
        return declared or _text(channel, keyword)

    def _edited(self, tokens: Mapping[tuple[int, str], Channel], credits: int = 0) -> Iterator[str]:
        """The source with tokens added, the channel primed at the start and drained before every halt `credits` times."""
        lines = list(self.lines)
        for (pc, keyword), channel in tokens.items():
            place = self._line(pc)
            if place is None:
                return
            ending = lines[place][len(lines[place].rstrip("\r\n")) :]
            lines[place] = add_token(lines[place].rstrip("\r\n"), keyword, self._name(channel, keyword)) + ending
        if credits:
            (channel,) = set(tokens.values())
            prime = f"sync.{PORT_UNIT[channel.producer].name.lower()} post({self._name(channel, 'post')})"
            drain = f"sync.{channel.consumer.name.lower()} wait({self._name(channel, 'wait')})"
            halts = [pc for pc, word in enumerate(self.code) if word is not None and word.row.execute == "halt"]
            for pc, text in [*((pc, drain) for pc in reversed(halts)), (0, prime)]:
                place = self._line(pc)
                if place is None or not self._insert(lines, place, pc, [text] * credits):
                    return
        yield "".join(lines)

    def _insert(self, lines: list[str], place: int, pc: int, texts: list[str]) -> bool:
        """Put instructions before the one in a line, behind its labels: a jump to it takes them along."""
        where = self.program.lines[pc]
        assert where is not None
        labels, rest = lines[place][: where.column - 1], lines[place][where.column - 1 :]
        indent = " " * len(labels.expandtabs(8))
        if labels.strip():
            lines[place] = f"{labels}{texts[0]}\n" + "".join(f"{indent}{text}\n" for text in texts[1:]) + indent + rest
        else:
            lines[place] = "".join(f"{labels}{text}\n" for text in texts) + lines[place]
        return bool(rest)


def _lines(text: str) -> list[str]:
    """Lines with their ends, as the assembler counts them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]


def _text(channel: Channel, keyword: str) -> str:
    return channel.wait_text if keyword == "wait" else channel.post_text
