"""Identifiers: what in a text is one, as it stands there, and that one reading gives all three forms."""

import pytest

from ctxmgr.engine.compaction.files import LONGEST, bare, identifiers, without

# a text, its identifiers as they stand, without what begins them
TABLE: list[tuple[str, list[str], set[str]]] = [
    ("", [], set()),
    ("plain words, long-lived ones", [], set()),
    ("`Loader.run` in src/a.ts. Loader.run", ["Loader.run", "src/a.ts", "Loader.run"], {"Loader.run", "src/a.ts"}),
    ("at /home/me/a.py:12:", ["/home/me/a.py"], {"home/me/a.py"}),
    ("./src/App.tsx, ~/notes.md", ["./src/App.tsx", "~/notes.md"], {"src/App.tsx", "notes.md"}),
    ("in src/engine/.", ["src/engine"], {"src/engine"}),
    ("git commit --no-verify", ["--no-verify"], set()),
    ("--max_size=3", ["--max_size"], {"max_size"}),
    ("--depth --a", ["--depth"], set()),
    ("--config.file", ["config.file"], {"config.file"}),
    ("--dir=src/a.py", ["--dir", "src/a.py"], {"src/a.py"}),
    ("E501 TS2304 3.14 0x1f", ["E501", "TS2304"], {"E501", "TS2304"}),
    ("x" * LONGEST + "_y", [], set()),
    ("78ef1d0a 0x7f_a 424b5bd34 2nd_run", [], set()),
    ("index a2badb1..a438573 main..HEAD", ["main..HEAD"], {"main..HEAD"}),
    ("abf9c1d2", ["abf9c1d2"], {"abf9c1d2"}),
    ("修改src/a.py", ["src/a.py"], {"src/a.py"}),
    (r'"a\nSetting.\n\n- one\tMAX_SIZE"', ["MAX_SIZE"], {"MAX_SIZE"}),
    (r'{"body": "see\nsrc/a.py \"b\""}', ["src/a.py"], {"src/a.py"}),
    (r"C:\work\new_file.py", ["new_file.py"], {"new_file.py"}),
    ("src/a.go-608-func() b.py-12", ["src/a.go", "b.py"], {"src/a.go", "b.py"}),
    ("jquery-3.1.min.js", ["jquery-3.1.min.js"], {"jquery-3.1.min.js"}),
]


@pytest.mark.parametrize(("text", "found", "names"), TABLE)
def test_what_is_an_identifier(text: str, found: list[str], names: set[str]) -> None:
    assert identifiers(text) == found
    assert bare(text) == names


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("see src/App.tsx and parse_line(x)", "see   and  (x)"),
        ("größe of --depth", "größe of  "),
        ("long-lived words", "long-lived words"),
    ],
)
def test_what_is_left_are_words(text: str, left: str) -> None:
    assert without(text) == left
    assert identifiers(without(text)) == []


def test_long_runs_take_no_longer_than_they_are() -> None:
    """Each of these would take minutes where a character is looked at again for each one before it."""
    for run in ("a" * 200_000, "a/" * 100_000, "--a" * 70_000, "-" * 200_000, "--" + "a" * 200_000 + "/"):
        assert len(without(run)) <= len(run)
