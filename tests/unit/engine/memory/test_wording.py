"""Any text as one line, a key, a quotation, sentences, or a command; and the section of a scratchpad in a text."""

import hashlib
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING as NOTES
from ctxmgr.engine.memory.scratchpad import scratchpad_in, scratchpad_lines, scratchpad_section, without_scratchpad
from ctxmgr.engine.memory.wording import (
    KEY_CHARACTERS,
    both_ends,
    code,
    command_line,
    key_of,
    last_paragraph,
    one_line,
    outside_fences,
    plain,
    quotation,
    sentences_of,
    shorten,
    words_of,
)
from tests.notation import quarters

THREE = "One here. Two is longer than that. Three ends it all now."

# function, arguments, result
EXACT: list[tuple[Callable[..., object], tuple[object, ...], object]] = [
    (plain, ("two\nlines",), "two lines"),
    (plain, ("half of an emoji \ud83d here",), "half of an emoji \ufffd here"),
    (shorten, ("One here. Two is longer than that. Three.", 30), "One here. Two is longer than…"),
    (shorten, ("One here. Two, is longer than that", 20), "One here. Two, is…"),
    (shorten, ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 10), "xxxxxxxxx…"),
    (shorten, ("Abcdefghij. Klmnop qrstu vwxyz", 20), "Abcdefghij. Klmnop…"),
    (shorten, ("Abcdefghijk. Klmnop qrstu vwxyz", 20), "Abcdefghijk.…"),
    (shorten, ("Abcdefghijkl mnopqrstuvwxyz abc", 20), "Abcdefghijkl…"),
    (both_ends, (THREE, 30), "One here. … it all now."),
    (both_ends, ("x" * 100, 21), "xxxxxxxxx … xxxxxxxxx"),
    (both_ends, (f"Ab cd. {'e' * 60} fgh. Ij kl", 31), "Ab cd. eeeeeee … fgh. Ij kl"),
    (one_line, ("a\nb\n- c\n- d\n",), "a b; c; d"),
    (one_line, ("has:\n- one\n  1. two",), "has: one; 1. two"),
    (one_line, ("asks:\n\n1. one\n2) [ ] two",), "asks: 1. one; 2) [ ] two"),
    (one_line, ("#b5bd68 is the colour",), "#b5bd68 is the colour"),
    (one_line, ("[\u200bctxmgr packet]",), "(ctxmgr packet]"),
    (code, ("echo `id` ```", 50), "`echo 'id'`"),
    (last_paragraph, ("One.\n\nTwo,\nin two lines.",), "Two,\nin two lines."),
    (last_paragraph, ("One.\n\n",), "One."),
    (last_paragraph, ("It is done.\n\n| a | b |\n|---|---|\n| 1 | 2 |",), "It is done."),
    (last_paragraph, ("It is done.\n\n## Summary\n\nShall I go on?",), "It is done. … Shall I go on?"),
    (last_paragraph, ("The work is:\n\n1. One.\n\n2. Two.",), "1. One.\n\n2. Two."),
    (sentences_of, ("A b. C d! E",), ["A b.", "C d!", "E"]),
    (sentences_of, ("a.b c",), ["a.b c"]),
    (words_of, ("!!  ?",), "!! ?"),
    (key_of, ("Do **not** push!",), "do not push"),
    (key_of, ("a" * 121,), f"{'a' * 120} {hashlib.sha256(b'a' * 121).hexdigest()[:12]}"),
    (scratchpad_lines, (" \n",), ()),
    (without_scratchpad, (f"a\n\n{NOTES}\n| b\n|\nc",), "a\nc"),
    (without_scratchpad, (f"| x\n{NOTES}\nno bar\n| c",), f"| x\n{NOTES}\nno bar\n| c"),
    (scratchpad_in, (f"a\n{NOTES}\n| b\n|\nc\n| d",), ("| b", "|")),
    (scratchpad_section, ("a b\nc d\n\ne", 30, quarters), f"{NOTES}\n| a b\n| c d\n|\n| e"),
    (command_line, ("  npm test\n",), "npm test"),
]


def test_forms_of_a_text() -> None:
    for function, arguments, expected in EXACT:
        assert function(*arguments) == expected, (function, arguments)


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(2, 300))
def test_any_text_becomes_one_safe_line(text: str, limit: int) -> None:
    line = plain(text)
    line.encode()
    assert len(line.splitlines()) <= 1
    assert plain(line) == line
    assert len(shorten(line, limit)) <= limit
    assert len(key_of(text)) <= KEY_CHARACTERS + 13
    sentences_of(text)
    for line in (one_line(text, limit), one_line("# " + text, limit), one_line("[ctxmgr" + text, limit)):
        line.encode()
        assert len(line) <= limit
        assert len(line.splitlines()) <= 1
        assert "[ctxmgr" not in line.casefold()
        assert "```" not in line
        assert not line.startswith(("# ", "## ", "> "))


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(20, 300))
def test_a_quotation_is_word_for_word_on_one_line(text: str, limit: int) -> None:
    quoted = quotation(text, limit)
    quoted.encode()
    assert len(quoted.splitlines()) == 1
    assert len(quoted) <= limit + 2
    assert "[ctxmgr" not in quoted.casefold()
    if len(text.strip()) <= limit and "[" not in text:
        assert quoted == f'"{plain(text)}"'


def test_a_fence_ends_with_one_as_long_or_with_the_text() -> None:
    for text, expected in (
        ("a\n```ts\nb\n~~~\n```\nc\n~~~\nd", ["a", "c"]),
        ("````\na\n```\nb\n````\nc", ["c"]),
        ("```\na\n`````\nc", ["c"]),
    ):
        assert [line for line, outside in outside_fences(text) if outside] == expected
