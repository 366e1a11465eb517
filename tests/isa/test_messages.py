"""Messages and what they quote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelkit.isa.machine import MachineError, load_machine, parse_machine
from accelkit.isa.messages import shortened

LONG = "a" * 100_000


@given(st.lists(st.sampled_from(["\n", " ", "word", "w" * 299, LONG]), max_size=40).map("".join))
def test_messages_are_cut_in_the_middle_of_words_and_lines(text: str) -> None:
    """Lines are at most a few thousand characters long; what has no long words or lines is left as it is."""
    short = shortened(text)
    assert short.count("\n") == text.count("\n")
    assert all(len(line) <= 3000 for line in short.split("\n"))
    assert all(len(word) <= 600 for word in short.split())
    if all(len(line) <= 3000 for line in text.split("\n")) and all(len(word) <= 300 for word in text.split()):
        assert short == text


def test_both_ends_and_the_number_of_characters_between_are_shown() -> None:
    """Who wrote the word finds it again."""
    assert shortened(f"no '{'x' * 1000}y' here") == f"no '{'x' * 99}...(803 more characters)...{'x' * 98}y' here"


@pytest.mark.parametrize("name", [LONG, "a/" * 50_000, "\0", "a\0b"])
def test_no_text_is_too_odd_for_the_name_of_a_machine(name: str) -> None:
    """What can't be a file's name is the name of no file."""
    with pytest.raises(MachineError, match="no such preset"):
        load_machine(name)


def test_a_machine_file_of_nothing_but_mistakes() -> None:
    """The first forty problems are listed, the others counted."""
    with pytest.raises(MachineError) as caught:
        parse_machine("\n".join(f"key{number} = 1" for number in range(10_000)), "m.toml")
    lines = str(caught.value).split("\n")
    assert len(lines) == 41
    assert lines[0] == "m.toml: name: expected a string, found 'nothing'"
    assert lines[-1].startswith("m.toml: and 99")
    assert lines[-1].endswith("problems more")
