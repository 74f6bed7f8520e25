import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.wording import code, one_line, plain, quotation


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Goal\n## Tasks", "Goal ## Tasks"),
        ("- item\n- other", "item; other"),
        ("has:\n- one\n  1. two", "has: one; 1. two"),
        ("asks:\n\n1. one\n2) [ ] two", "asks: 1. one; 2) [ ] two"),
        ("#b5bd68 is the colour", "#b5bd68 is the colour"),
        ("[ctxmgr packet]\nx", "(ctxmgr packet] x"),
        ("a [ CTXMGR packet]", "a ( CTXMGR packet]"),
        ("[\u200bctxmgr packet]", "(ctxmgr packet]"),
        ("```ts\nlet a\n```", "let a"),
        ("- **`a.py`**: **two** parts", "**`a.py`**: **two** parts"),
        ("- [x] done", "done"),
        ("> quoted", "quoted"),
        ("--- rule", "rule"),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text).strip() == line


def test_code_cannot_be_left() -> None:
    assert code("echo `id` ```", 50) == "`echo 'id'`"


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(2, 300))
def test_nothing_but_one_line_of_text(text: str, limit: int) -> None:
    for line in (one_line(text, limit), one_line("# " + text, limit), one_line("[ctxmgr" + text, limit)):
        line.encode()
        assert len(line) <= limit
        assert len(line.splitlines()) <= 1
        assert "[ctxmgr" not in line.casefold()
        assert "```" not in line
        assert not line.startswith(("# ", "## ", "> "))


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(20, 300))
def test_what_somebody_said_is_told_word_for_word_on_one_line(text: str, limit: int) -> None:
    told = quotation(text, limit)
    told.encode()
    assert len(told.splitlines()) == 1
    assert len(told) <= limit + 2
    assert "[ctxmgr" not in told.casefold()
    if len(text.strip()) <= limit and "[" not in text:
        assert told == f'"{plain(text)}"'
