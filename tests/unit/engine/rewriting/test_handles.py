"""Handles: short, of the key alone, with one spelling; found again whatever is wrapped around them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting.marker import CHARACTERS, handle, handles_in


@given(st.text())
def test_a_handle_is_short_and_in_one_spelling(key: str) -> None:
    assert re.fullmatch(rf"[a-z2-7]{{{CHARACTERS}}}", handle(key))
    assert list(handles_in(handle(key))) == [handle(key)]


def test_keys_of_one_message_have_handles_of_their_own() -> None:
    keys = [f"{number:016x}{tail}" for number in range(5_000) for tail in ("", "#1", "/2")]
    assert len({handle(key) for key in keys}) == len(keys)


def test_a_handle_is_the_same_in_every_process() -> None:
    """Markers hold it: a restart must not change a byte. So this one stands here for good."""
    assert handle("9f86d081884c7d65#1/2") == "w4cirztp"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("abcdefgh", ["abcdefgh"]),
        ("ctxmgr:abcdefgh", ["abcdefgh"]),
        ("[abcdefgh]", ["abcdefgh"]),
        ("abcdefgh, 2222aaaa", ["abcdefgh", "2222aaaa"]),
        ("abcdefghi", []),
        ("abcdefg", []),
        ("abcdefg8", []),
        ("ABCDEFGH", []),
        ("", []),
    ],
)
def test_what_may_be_a_handle_in_a_text(text: str, found: list[str]) -> None:
    assert list(handles_in(text)) == found
