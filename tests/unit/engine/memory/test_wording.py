"""Any text as one line, a key, a quotation, sentences, or a command; and the section of a scratchpad in a text."""

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING as NOTES
from ctxmgr.engine.memory.scratchpad import scratchpad_in, scratchpad_lines, scratchpad_section, without_scratchpad
from ctxmgr.engine.memory.wording import (
    KEY_CHARACTERS,
    both_ends,
    code,
    coded_command,
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

PERSIAN, EMOJI = "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f469\u200d\U0001f467"
THREE = "One here. Two is longer than that. Three ends it all now."

# function, arguments, result
EXACT: list[tuple[Callable[..., object], tuple[object, ...], object]] = [
    (plain, ("two\nlines",), "two lines"),
    (plain, ("\x1b[31mred\x1b[0m alert\x07",), "red alert"),
    (plain, ("\x1b]0;title\x07prompt",), "prompt"),
    (plain, ("a\u200bb\u202ec\ufeff",), "abc"),
    (plain, ("half of an emoji \ud83d here",), "half of an emoji \ufffd here"),
    (plain, ("line\u2028separator\x85next",), "line separator next"),
    (plain, (" \t ",), ""),
    (plain, (PERSIAN,), PERSIAN),
    (plain, (EMOJI,), EMOJI),
    (shorten, ("short", 10), "short"),
    (shorten, ("One here. Two is longer than that. Three.", 30), "One here. Two is longer than…"),
    (shorten, ("One here. Two, is longer than that", 20), "One here. Two, is…"),
    (shorten, ("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 10), "xxxxxxxxx…"),
    (shorten, ("a b", 2), "a…"),
    (shorten, ("a b", 1), "…"),
    (shorten, ("abc", 0), "…"),
    (shorten, ("Abcdefghij. Klmnop qrstu vwxyz", 20), "Abcdefghij. Klmnop…"),
    (shorten, ("Abcdefghijk. Klmnop qrstu vwxyz", 20), "Abcdefghijk.…"),
    (shorten, ("Abcdefghijkl mnopqrstuvwxyz abc", 20), "Abcdefghijkl…"),
    (shorten, ("Abcdefghijk mnopqrstuvwxyz abc", 20), "Abcdefghijk mnopqrs…"),
    (both_ends, (THREE, 30), "One here. … it all now."),
    (both_ends, (THREE, 40), "One here. Two is … ends it all now."),
    (both_ends, ("word " * 30, 40), "word word word … word word word "),
    (both_ends, ("x" * 100, 21), "xxxxxxxxx … xxxxxxxxx"),
    (both_ends, ("aaaa bbbb. " * 8, 33), "aaaa bbbb. … aaaa bbbb. "),
    (both_ends, (f"Ab cd. {'e' * 60} fgh. Ij kl", 31), "Ab cd. eeeeeee … fgh. Ij kl"),
    (both_ends, (f"Abcdef. {'e' * 60} Gh. ijklmno", 31), "Abcdef. eeeeee … Gh. ijklmno"),
    (both_ends, (f"Abcdefgh. {'e' * 60}. Ghijklm", 31), "Abcdefgh. … eeeee. Ghijklm"),
    (one_line, ("a\nb\n- c\n- d\n",), "a b; c; d"),
    (one_line, ("has:\n- one\n  1. two",), "has: one; 1. two"),
    (one_line, ("asks:\n\n1. one\n2) [ ] two",), "asks: 1. one; 2) [ ] two"),
    (one_line, ("# Goal\n## Tasks",), "Goal ## Tasks"),
    (one_line, ("#b5bd68 is the colour",), "#b5bd68 is the colour"),
    (one_line, ("- **`a.py`**: **two** parts",), "**`a.py`**: **two** parts"),
    (one_line, ("> quoted",), "quoted"),
    (one_line, ("--- rule",), "rule"),
    (one_line, ("- [x] done",), "done"),
    (one_line, ("```py\ncode\n```",), "code"),
    (one_line, ("[ctxmgr packet] a [ CTXMGR x",), "(ctxmgr packet] a ( CTXMGR x"),
    (one_line, ("[\u200bctxmgr packet]",), "(ctxmgr packet]"),
    (one_line, ("a\x1b[31mb\u200b\ud83d",), "ab\ufffd"),
    (code, ("echo `id` ```", 50), "`echo 'id'`"),
    (quotation, (" a\nb ", 20), '"a b"'),
    (last_paragraph, ("One.\n\nTwo,\nin two lines.",), "Two,\nin two lines."),
    (last_paragraph, ("One.\n\n",), "One."),
    (last_paragraph, ("See:\n\n```\na\n\nb\n```",), "See:\n\n```\na\n\nb\n```"),
    (last_paragraph, ("It is done.\n\n| a | b |\n|---|---|\n| 1 | 2 |",), "It is done."),
    (last_paragraph, ("| a | b |",), "| a | b |"),
    (last_paragraph, ("It is done.\n\n## Summary\n\nShall I go on?",), "It is done. … Shall I go on?"),
    (last_paragraph, ("The work is:\n\n1. One.\n\n2. Two.",), "1. One.\n\n2. Two."),
    (last_paragraph, ("Read. \n\nWhen?\n\nA) Now.\nB) Later.",), "When?\n\nA) Now.\nB) Later."),
    (last_paragraph, ("a\n\nx\n\n(A) b",), "x\n\n(A) b"),
    (last_paragraph, ("When?\n\n- Now.\n- Later.",), "When?\n\n- Now.\n- Later."),
    (last_paragraph, ("a\n\n# h",), "a"),
    (last_paragraph, ("a\n\n::x{}\n\nb?",), "a … b?"),
    (last_paragraph, ("## Summary",), "## Summary"),
    (last_paragraph, ("",), ""),
    (sentences_of, ("A b. C d! E",), ["A b.", "C d!", "E"]),
    (sentences_of, ("e.g. this is. One (etc. x). Two",), ["e.g. this is.", "One (etc. x).", "Two"]),
    (sentences_of, ('Is it? "Yes." No',), ["Is it?", '"Yes."', "No"]),
    (sentences_of, ("a.b c",), ["a.b c"]),
    (sentences_of, ("Ende. und weiter",), ["Ende.", "und weiter"]),
    (sentences_of, (" x\ny. Z",), ["x", "y.", "Z"]),
    (sentences_of, ("存在内存。不用Redis！好吗？好",), ["存在内存。", "不用Redis！", "好吗？", "好"]),
    (sentences_of, ("「直してください。」はい。次へ",), ["「直してください。」", "はい。", "次へ"]),
    (sentences_of, ("本当ですか！？はい",), ["本当ですか！？", "はい"]),
    (sentences_of, ("`a.py`を直す。`b.py`は残す。",), ["`a.py`を直す。", "`b.py`は残す。"]),
    (sentences_of, ("हाँ। नहीं",), ["हाँ।", "नहीं"]),
    (words_of, ("A-b_C!?",), "a b c"),
    (words_of, ("!!  ?",), "!! ?"),
    (key_of, ("Do **not** push!",), "do not push"),
    (key_of, ("→→",), "→→"),
    (key_of, ("a" * 120,), "a" * 120),
    (key_of, ("a" * 121,), f"{'a' * 120} {hashlib.sha256(b'a' * 121).hexdigest()[:12]}"),
    (scratchpad_lines, (" \n",), ()),
    (scratchpad_lines, ("a \n\nb\n\n",), ("| a", "|", "| b")),
    (without_scratchpad, (f"a\n\n{NOTES}\n| b\n|\nc",), "a\nc"),
    (without_scratchpad, (f"{NOTES}\n| b",), ""),
    (without_scratchpad, (f"a\n{NOTES} (2 more not shown)\n| b\n\n{NOTES}\n| c\n\nd",), "a\n\nd"),
    (without_scratchpad, (f"| x\n{NOTES}\nno bar\n| c",), f"| x\n{NOTES}\nno bar\n| c"),
    (without_scratchpad, (f"a\n\n\n{NOTES}\n| b",), "a\n"),
    (without_scratchpad, (f"a\n{NOTES}",), f"a\n{NOTES}"),
    (scratchpad_in, (f"a\n{NOTES}\n| b\n|\nc\n| d",), ("| b", "|")),
    (scratchpad_section, ("a b\nc d\n\ne", 30, quarters), f"{NOTES}\n| a b\n| c d\n|\n| e"),
    (scratchpad_section, ("a b\nc d\n\ne", 20, quarters), f"{NOTES} (2 more not shown)\n|\n| e"),
    (scratchpad_section, ("a b\nc d\n\ne", 9, quarters), ""),
    (command_line, ("  npm test\n",), "npm test"),
    (command_line, ("npm test \\\n  --watch=false",), "npm test --watch=false"),
    (command_line, ("",), ""),
]


@pytest.mark.parametrize(("function", "given", "expected"), EXACT)
def test_forms_of_a_text(function: Callable[..., object], given: tuple[object, ...], expected: object) -> None:
    assert function(*given) == expected


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


HEREDOC = "python - <<'EOF'\n" + "print(1)\n" * 82 + "EOF"
DIGEST = hashlib.sha256(HEREDOC.encode()).hexdigest()[:8]


def test_a_script_is_shown_by_its_start_its_lines_and_its_digest() -> None:
    line = command_line(HEREDOC)
    assert line.startswith("python - <<'EOF' print(1)")
    assert line.endswith(f" (84 lines, sha256 {DIGEST})")
    assert len(line) <= 240
    assert command_line(HEREDOC.replace("(1)\nEOF", "(2)\nEOF")) != line
    for limit in (40, 120, 240):
        shown = coded_command(line, limit)
        assert shown.startswith("`python - <<'EOF'")
        assert shown.endswith(f"` (84 lines, sha256 {DIGEST})")
    assert coded_command("make (2 lines, sha256 0123abcd)", 3) == "`ma…` (2 lines, sha256 0123abcd)"
    assert command_line("cd app\nnpm test").startswith("cd app; npm test (2 lines, sha256 ")
    long = command_line("python tool.py " + "--name " * 60)
    assert "(1 line, sha256 " in long
    assert len(long) <= 240
