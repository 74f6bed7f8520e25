"""What meets a glob; and that no pattern takes long."""

import pytest

from ctxmgr.engine.instructions.globs import globs


@pytest.mark.parametrize(
    ("pattern", "path", "met"),
    [
        ("src/*.py", "/me/src/deep/a.py", True),
        ("?.md", "docs/a.md", True),
        ("[ab].py", "b.py", True),
        ("a*b*c", "a1b2b3c", True),
        ("a*b*c", "a1c2b3", False),
        ("b.py", "ab.py", False),
        ("[a.py", "[a.py", True),
    ],
)
def test_what_meets_a_glob(pattern: str, path: str, met: bool) -> None:
    assert bool(globs([pattern]).match(path)) == met
    assert bool(globs(["never", pattern]).match(path)) == met
    assert not globs([]).match(path)


@pytest.mark.parametrize("pattern", ["*a" * 500 + "b", "*" * 4_000 + "b", "*?" * 2_000 + "b", "[a]*" * 900 + "b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    for path in ("a" * 4_096, "a/" * 2_048, "/" * 4_096):
        assert not globs([pattern]).match(path)
