"""Handles: short, of the key alone, with one spelling; found again whatever is wrapped around them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting.marker import CHARACTERS, handle, handles_in


@given(st.text())
def test_a_handle_is_short_and_in_one_spelling(key: str) -> None:
    assert re.fullmatch(rf"[a-z2-7]{{{CHARACTERS}}}", handle(key))
    assert list(handles_in(handle(key))) == [handle(key)]


def test_a_handle_is_the_same_in_every_process() -> None:
    """Markers hold it: a restart must not change a byte. So this one stands here for good."""
    assert handle("9f86d081884c7d65#1/2") == "w4cirztp"


def test_what_may_be_a_handle_in_a_text() -> None:
    for text, found in (
        ("abcdefgh", ["abcdefgh"]),
        ("abcdefgh, 2222aaaa", ["abcdefgh", "2222aaaa"]),
        ("abcdefghi", []),
        ("abcdefg", []),
    ):
        assert list(handles_in(text)) == found, text
