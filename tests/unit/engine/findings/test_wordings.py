"""What a sentence states: something done, something wrong, something that could be."""

import pytest

from ctxmgr.engine.findings import done, proposes, wrong

DONE = [
    "Fixed `parse_date` for leap years.",
    "I've ported the screen to the theme.",
    "Done! Committed as 1a2b3c on main.",
    "`config.ts` moved to `src/`, all imports updated.",
    "All core refactoring is now complete.",
    "The tests now pass on both machines.",
    "All clean, all committed.",
    "The footer now uses the dim colour.",
    "The build passes and the tests are green.",
]
NOT_DONE = [
    "The `Text` component doesn't implement `invalidate()`!",
    "We could have moved it to `src/`.",
    "I'll now update the imports of it.",
    "If the tests pass, it is fixed.",
    "The listener was never removed from it.",
    "Fixed it.",
    "A skill is a set of instructions.",
    "The tests should now pass.",
    "Option A: added a table for it",
]


@pytest.mark.parametrize("sentence", DONE)
def test_an_outcome(sentence: str) -> None:
    assert done(sentence)
    assert not proposes(sentence)
    assert not wrong(sentence)


@pytest.mark.parametrize("sentence", NOT_DONE)
def test_what_is_none(sentence: str) -> None:
    assert not done(sentence)


def test_faults_and_proposals() -> None:
    assert wrong("The loader fails because of the alias.")
    assert wrong("The footer isn’t red in `a.ts`.")
    assert wrong("`read_all` closes the file twice.")
    assert not wrong("Fixed the crash of the loader because of the alias.")
    assert proposes("We could move it to `src/`.")
    assert not proposes("It is in `src/` today.")
