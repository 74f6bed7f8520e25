"""Globs: what meets them, told again by expressions; and that no pattern makes a path be read twice."""

import re
from collections.abc import Iterator
from fnmatch import translate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.instructions.globs import Globs

TABLE: list[tuple[str, str, bool]] = [
    ("src/*.py", "/me/src/deep/a.py", True),
    ("?.md", "docs/a.md", True),
    ("[ab].py", "b.py", True),
    ("a*b*c", "a1b2b3c", True),
    ("a*b*c", "a1c2b3", False),
]


@pytest.mark.parametrize(("pattern", "path", "met"), TABLE)
def test_what_meets_a_glob(pattern: str, path: str, met: bool) -> None:
    assert Globs([pattern]).met(path) == met


class Counted:
    """A path that counts how many of its characters were looked at."""

    def __init__(self, path: str) -> None:
        self.path, self.looked_at = path, 0

    def __iter__(self) -> Iterator[str]:
        for character in self.path:
            self.looked_at += 1
            yield character


HARD = ["*a" * 500, "*a" * 500 + "b", "*" * 4_000 + "b", "a*" * 2_000 + "b", "*?" * 2_000 + "b", "[a]*" * 900 + "b"]


@pytest.mark.parametrize("pattern", HARD)
@pytest.mark.parametrize("path", ["a" * 4_096, "a/" * 2_048, "/" * 4_096])
def test_no_pattern_makes_a_path_be_read_twice(pattern: str, path: str) -> None:
    counted = Counted(path)
    Globs([pattern, *HARD]).met(counted)
    assert counted.looked_at == len(path)


TEXT = st.text("ab/[]!-?*.", max_size=12)


@settings(max_examples=300)
@given(st.lists(TEXT, max_size=3), TEXT)
def test_it_is_what_an_expression_would_say(patterns: list[str], path: str) -> None:
    expected = any(re.compile(rf"(?s:.*/)?(?:{translate(one)})").match(path) for one in patterns)
    assert Globs(patterns).met(path) == expected
