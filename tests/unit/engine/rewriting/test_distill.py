"""Distilling: what is left of a bulky result, and that it is never more than it may be."""

from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting.rewrite import ERROR_LINE, LINE_LENGTH, distill
from ctxmgr.model import Call

HEAD = '[output distilled — ~900 tokens | bash command="npm test"]'


def distilled(text: str, limit: int) -> list[str]:
    head, *rest = distill(text, limit, Call("bash", {"command": "npm test"}), 900).split("\n")
    assert head == HEAD
    return rest


def numbered(count: int, **special: str) -> str:
    """Lines "line 0", "line 1", ...; `n7="text"` puts another text on line 7."""
    return "\n".join(special.get(f"n{number}", f"line {number}") for number in range(count))


# name, text, limit in characters, what is left under the head line
TABLE: list[tuple[str, str, int, list[str]]] = [
    (
        "first and last lines",
        numbered(50),
        60,
        ["line 0", "line 1", "line 2", "line 3", "line 4", "line 5", "…", "line 48", "line 49"],
    ),
    ("all of it where it fits", "a\nb\n\n  \nc", 100, ["a", "b", "c"]),
    ("no room at all", numbered(50), 1, []),
]


def test_what_is_left() -> None:
    for name, text, limit, left in TABLE:
        assert distilled(text, limit) == left, name


TELLING = (
    *("Error: x", "2 errors", "FAILED tests/a.py", "Traceback (most recent call last):", "fatal: not a repository"),
    *("permission denied", "x is undefined", "command not found", "AssertionError", "panic: runtime"),
)


def test_lines_that_tell_of_an_error() -> None:
    assert [line for line in TELLING if not ERROR_LINE.search(line)] == []
    assert not any(ERROR_LINE.search(line) for line in ("terror", "all passed", "0 warnings", "mirrored"))


lines = st.one_of(
    st.sampled_from(("", "ok", "error: x", "a line of middling length that says little", "e" * 700)),
    st.text(max_size=30),
)
texts = st.lists(lines, max_size=80).map("\n".join)


@given(texts, st.integers(1, 600))
@example("\n".join(["error", "x"] * 60), 200)
@example("\n".join("ab" * 200), 200)
@example("\n".join(["first"] * 50 + ["error", "x"] * 60 + ["last"] * 50), 200)
def test_never_longer_than_the_limit_and_the_head_line(text: str, limit: int) -> None:
    made = distill(text, limit, Call("bash", {"command": "npm test"}), 900)
    assert len(made) <= len(HEAD) + limit
    assert made == distill(text, limit, Call("bash", {"command": "npm test"}), 900)


@given(texts)
def test_a_text_that_fits_is_left_whole_but_for_long_and_empty_lines(text: str) -> None:
    kept = distilled(text, 3 * len(text) + 10_000)
    assert kept == [line[:LINE_LENGTH] for line in text.splitlines() if line.strip()]
