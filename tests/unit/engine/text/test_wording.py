import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.text.wording import (
    KEY_CHARACTERS,
    count_words,
    key_of,
    may_hold,
    plain,
    sentences_of,
    shorten,
    unfenced,
)


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


def test_a_fence_ends_with_one_as_long() -> None:
    assert unfenced("````\na\n```\nb\n````\nc") == ["c"]
    assert unfenced("```\na\n`````\nc") == ["c"]


def test_a_key_of_more_than_120_characters_keeps_its_start_and_a_digest() -> None:
    assert key_of("a" * 120) == "a" * 120
    start, digest = key_of("a" * 121).split(" ")
    assert start == "a" * 120
    assert len(digest) == 12
    assert key_of("two words") == "two words"


def test_a_text_of_just_the_limit_is_whole() -> None:
    assert shorten("12345", 5) == "12345"
    assert shorten("123456", 5) == "1234…"


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


def test_a_word_may_stand_in_a_text_whatever_its_case() -> None:
    words = ("instead", "so that")
    assert may_hold("Take this INSTEAD.", words)
    assert may_hold("use it So That it holds", words)
    assert not may_hold("in stead of so, that", words)
    assert may_hold("in\u017ftead of it, which a pattern finds", words)
    assert not may_hold("", words)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("never push - ever", 4),
        ("Niemals das Schema ändern!", 4),
        ("데이터베이스 스키마를 변경하지 마세요", 4),
        ("好的。", 2),
        ("不要修改数据库模式。", 9),
        ("不要用Redis，用 SQLite。", 6),
        ("はい", 1),
        ("続けて", 2),
        ("コメントを追加しないで", 6),
        ("อย่าแก้ไขฐานข้อมูล", 5),
    ],
)
def test_words_are_counted_in_scripts_without_spaces_too(text: str, count: int) -> None:
    assert count_words(text) == count


@given(st.text())
def test_no_text_has_fewer_words_than_pieces_with_letters_between_spaces(text: str) -> None:
    assert count_words(text) >= sum(any(map(str.isalpha, piece)) for piece in text.split())


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
