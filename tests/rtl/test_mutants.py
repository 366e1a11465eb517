"""The list of mutants stays true to the RTL; `make mutants` runs them."""

import pytest

from tests.rtl.mutants import Mutant, changed_text, mutants


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_the_text_that_a_mutant_changes_is_there_once(mutant: Mutant) -> None:
    """Each mutant changes exactly one place, and it does change it."""
    assert mutant.old != mutant.new
    assert mutant.new in changed_text(mutant)


def test_mutants_have_names_of_their_own() -> None:
    """A mutant can be run alone by its name."""
    names = [mutant.name for mutant in mutants()]
    assert len(set(names)) == len(names) >= 25
