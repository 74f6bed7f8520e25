import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.text.wording import KEY_CHARACTERS, key_of, plain, sentences_of, shorten, unfenced


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nlines", "two lines"),
        ("\x1b[31mred\x1b[0m alert\x07", "red alert"),
        ("\x1b]0;title\x07prompt", "prompt"),
        ("a\u200bb\u202ec\ufeff", "abc"),
        ("half of an emoji \ud83d here", "half of an emoji \ufffd here"),
        ("line\u2028separator\x85next", "line separator next"),
        (" \t ", ""),
    ],
)
def test_plain(text: str, line: str) -> None:
    assert plain(text) == line


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("short", 10, "short"),
        ("one two three four", 12, "one two…"),
        ("It was done. Then came more of it", 18, "It was done.…"),
        ("unbreakablewordthatgoeson", 10, "unbreakab…"),
        ("ab", 1, "…"),
    ],
)
def test_shorten(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Do **not** push.", "do not push", True),
        ("Use `npm run check`", "use npm run check!", True),
        ("use tabs", "use spaces", False),
        ("→→", "←←", False),
        ("x" * 500 + "a", "x" * 500 + "b", False),
    ],
)
def test_key_of(one: str, other: str, same: bool) -> None:
    assert (key_of(one) == key_of(other)) is same


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Stop. Use tabs!", ["Stop.", "Use tabs!"]),
        ("see main.ts for it", ["see main.ts for it"]),
        ("use a tool, e.g. `rg`, always", ["use a tool, e.g. `rg`, always"]),
        ("first line\nsecond line", ["first line", "second line"]),
        ('he said "no." Then "yes."', ['he said "no."', 'Then "yes."']),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert sentences_of(text) == found


def test_unfenced_leaves_out_code_and_what_an_open_fence_runs_over() -> None:
    assert unfenced("a\n```ts\nb\n~~~\n```\nc\n~~~\nd") == ["a", "c"]


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(0, 300))
def test_no_text_is_too_strange(text: str, limit: int) -> None:
    line = plain(text)
    line.encode()
    assert len(line.splitlines()) <= 1
    assert plain(line) == line
    assert len(shorten(line, limit)) <= max(limit, 1)
    assert len(key_of(text)) <= KEY_CHARACTERS + 13
    sentences_of(text)
    unfenced(text)
