from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING as NOTES
from ctxmgr.engine.memory.scratchpad import (
    scratchpad_in,
    scratchpad_lines,
    scratchpad_section,
    without_scratchpad,
)
from ctxmgr.engine.memory.wording import (
    KEY_CHARACTERS,
    both_ends,
    coded_command,
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
        (
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\U0001f469\u200d\U0001f467", "\U0001f469\u200d\U0001f467"),
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


def unfenced(text: str) -> list[str]:
    return [line for line, outside in outside_fences(text) if outside]


def test_unfenced_leaves_out_code_and_what_an_open_fence_runs_over() -> None:
    assert unfenced("a\n```ts\nb\n~~~\n```\nc\n~~~\nd") == ["a", "c"]


def test_a_fence_ends_with_one_as_long() -> None:
    assert unfenced("````\na\n```\nb\n````\nc") == ["c"]
    assert unfenced("```\na\n`````\nc") == ["c"]


def test_a_key_of_more_than_120_characters_keeps_its_start_and_a_digest() -> None:
    assert key_of("a" * 120) == "a" * 120
    start, digest = key_of("a" * 121).split(" ")
    assert start == "a" * 120
    assert len(digest) == 12
    assert key_of("two words") == "two words"


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(0, 300))
def test_no_text_is_too_strange(text: str, limit: int) -> None:
    line = plain(text)
    line.encode()
    assert len(line.splitlines()) <= 1
    assert plain(line) == line
    assert len(shorten(line, limit)) <= max(limit, 1)
    assert len(key_of(text)) <= KEY_CHARACTERS + 13
    sentences_of(text)
    list(outside_fences(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "请把令牌存储在内存中。不要使用Redis！好吗？好",
            ["请把令牌存储在内存中。", "不要使用Redis！", "好吗？", "好"],
        ),
        ("「直してください。」はい。次へ", ["「直してください。」", "はい。", "次へ"]),
        ("本当ですか！？はい", ["本当ですか！？", "はい"]),
        ("`a.py`を直す。`b.py`は残す。", ["`a.py`を直す。", "`b.py`は残す。"]),
        ("हाँ। नहीं", ["हाँ।", "नहीं"]),
    ],
)
def test_a_sentence_of_another_script_ends_at_its_mark(text: str, found: list[str]) -> None:
    assert sentences_of(text) == found
    assert shorten(text, len(text) - 1).endswith("…")


TALKS = [
    "First we parse it. Then a good deal more has to be done with what was found. It ends like this.",
    "Zuerst lesen wir es ein. Danach ist noch sehr viel mehr damit zu tun als gedacht. So endet es.",
    "首先我们读取它。然后还有很多很多其他的事情要做才能完成这项工作。它就这样结束了。",
    "unbrokenwordwithoutanyspace" * 5,
]


@pytest.mark.parametrize("text", TALKS)
@pytest.mark.parametrize("limit", [10, 25, 38])
def test_of_a_long_text_it_is_told_how_it_begins_and_how_it_ends(text: str, limit: int) -> None:
    head, _, tail = both_ends(text, limit).partition(" … ")
    assert head
    assert text.startswith(head)
    assert tail
    assert text.endswith(tail)
    assert len(both_ends(text, limit)) <= limit < len(text)
    assert both_ends(text, len(text)) == text


def test_of_a_long_text_whole_sentences_are_told_where_they_are_short_enough() -> None:
    assert both_ends(TALKS[0], 45) == "First we parse it. … It ends like this."


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("One.\n\nTwo,\nin two lines.", "Two,\nin two lines."),
        ("One.\n\n", "One."),
        ("See:\n\n```\na\n\nb\n```", "See:\n\n```\na\n\nb\n```"),
        ("It is done.\n\n| a | b |\n|---|---|\n| 1 | 2 |", "It is done."),
        ("| a | b |", "| a | b |"),
        ("It is done.\n\n## Summary\n\nShall I go on?", "It is done. … Shall I go on?"),
        ("The work is:\n\n| a | b |\n|---|---|\n\nIs it right?", "The work is: … Is it right?"),
        ("The work is:\n\n1. One.\n\n2. Two.", "1. One.\n\n2. Two."),
        ("It is done.\n\nShall I go on?", "It is done.\n\nShall I go on?"),
        ("Read. \n\nWhen?\n\nA) Now.\nB) Later.", "When?\n\nA) Now.\nB) Later."),
        ("When?\n\n- Now.\n- Later.", "When?\n\n- Now.\n- Later."),
        ("## Summary", "## Summary"),
        ("", ""),
    ],
)
def test_the_last_paragraph(text: str, last: str) -> None:
    assert last_paragraph(text) == last


EXACT: list[tuple[Callable[..., object], tuple[object, ...], object]] = [
    (both_ends, ("One here. Two is longer than that. Three ends it all now.", 30), "One here. … it all now."),
    (
        both_ends,
        ("One here. Two is longer than that. Three ends it all now.", 40),
        "One here. Two is … ends it all now.",
    ),
    (
        both_ends,
        (
            "word " * 30,
            40,
        ),
        "word word word … word word word ",
    ),
    (
        both_ends,
        (
            "x" * 100,
            21,
        ),
        "xxxxxxxxx … xxxxxxxxx",
    ),
    (
        both_ends,
        ("aaaa bbbb. " * 8, 33),
        "aaaa bbbb. … aaaa bbbb. ",
    ),
    (shorten, ("One here. Two is longer than that. Three.", 30), "One here. Two is longer than…"),
    (shorten, ("One here. Two, is longer than that", 20), "One here. Two, is…"),
    (shorten, ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 10), "xxxxxxxxx…"),
    (shorten, ("a b", 2), "a…"),
    (shorten, ("a b", 1), "…"),
    (shorten, ("abc", 0), "…"),
    (one_line, ("a\nb\n- c\n- d\n",), "a b; c; d"),
    (one_line, ("x:\n- a\n- b",), "x: a; b"),
    (one_line, ("# h\n**b**",), "h **b**"),
    (one_line, ("1. a\n2) b",), "1. a; 2) b"),
    (one_line, ("> q",), "q"),
    (one_line, ("```py\ncode\n```",), "code"),
    (one_line, ("[ctxmgr packet] a [CTXMGR x",), "(ctxmgr packet] a (CTXMGR x"),
    (one_line, ("a\x1b[31mb\u200b\ud83d",), "ab�"),
    (one_line, ("- [x] done",), "done"),
    (last_paragraph, ("a.\n\nb",), "b"),
    (last_paragraph, ("a:\n\n- b\n- c",), "a:\n\n- b\n- c"),
    (last_paragraph, ("a\n\n| t |",), "a"),
    (last_paragraph, ("a\n\n# h",), "a"),
    (last_paragraph, ("a\n\nb?",), "a\n\nb?"),
    (last_paragraph, ("a\n\nx\n\n(A) b",), "x\n\n(A) b"),
    (last_paragraph, ("a\n\n```\nb\n\nc\n```",), "a\n\n```\nb\n\nc\n```"),
    (last_paragraph, ("a\n\n::x{}\n\nb?",), "a … b?"),
    (sentences_of, ("A b. C d! E",), ["A b.", "C d!", "E"]),
    (sentences_of, ("e.g. this is. One (etc. x). Two",), ["e.g. this is.", "One (etc. x).", "Two"]),
    (sentences_of, ('Is it? "Yes." No',), ["Is it?", '"Yes."', "No"]),
    (sentences_of, ("a.b c",), ["a.b c"]),
    (sentences_of, ("Ende. und weiter",), ["Ende.", "und weiter"]),
    (sentences_of, (" x\ny. Z",), ["x", "y.", "Z"]),
    (quotation, (" a\nb ", 20), '"a b"'),
    (coded_command, ("make (2 lines, sha256 0123abcd)", 3), "`ma…` (2 lines, sha256 0123abcd)"),
    (words_of, ("A-b_C!?",), "a b c"),
    (words_of, ("!!  ?",), "!! ?"),
    (shorten, ("Abcdefghij. Klmnop qrstu vwxyz", 20), "Abcdefghij. Klmnop…"),
    (shorten, ("Abcdefghijk. Klmnop qrstu vwxyz", 20), "Abcdefghijk.…"),
    (shorten, ("Abcdefghijkl mnopqrstuvwxyz abc", 20), "Abcdefghijkl…"),
    (shorten, ("Abcdefghijk mnopqrstuvwxyz abc", 20), "Abcdefghijk mnopqrs…"),
    (both_ends, (f"Ab cd. {'e' * 60} fgh. Ij kl", 31), "Ab cd. eeeeeee … fgh. Ij kl"),
    (both_ends, (f"Abcdef. {'e' * 60} Gh. ijklmno", 31), "Abcdef. eeeeee … Gh. ijklmno"),
    (both_ends, (f"Abcdefgh. {'e' * 60}. Ghijklm", 31), "Abcdefgh. … eeeee. Ghijklm"),
    (scratchpad_lines, (" \n",), ()),
    (scratchpad_lines, ("a \n\nb\n\n",), ("| a", "|", "| b")),
    (without_scratchpad, (f"a\n\n{NOTES}\n| b\n|\nc",), "a\nc"),
    (without_scratchpad, (f"{NOTES}\n| b",), ""),
    (without_scratchpad, (f"a\n{NOTES} (2 more not shown)\n| b\n\n{NOTES}\n| c\n\nd",), "a\n\nd"),
    (without_scratchpad, (f"{NOTES}\nno bar\n| c",), f"{NOTES}\nno bar\n| c"),
    (without_scratchpad, (f"| x\n{NOTES}\nno bar",), f"| x\n{NOTES}\nno bar"),
    (without_scratchpad, (f"a\n\n\n{NOTES}\n| b",), "a\n"),
    (without_scratchpad, (f"a\n{NOTES}",), f"a\n{NOTES}"),
    (scratchpad_in, (f"a\n{NOTES}\n| b\n|\nc\n| d",), ("| b", "|")),
    (scratchpad_section, ("a b\nc d\n\ne", 30, quarters), f"{NOTES}\n| a b\n| c d\n|\n| e"),
    (scratchpad_section, ("a b\nc d\n\ne", 20, quarters), f"{NOTES} (2 more not shown)\n|\n| e"),
    (scratchpad_section, ("a b\nc d\n\ne", 9, quarters), ""),
]


@pytest.mark.parametrize(("function", "given", "expected"), EXACT)
def test_exactly(function: Callable[..., object], given: tuple[object, ...], expected: object) -> None:
    assert function(*given) == expected
