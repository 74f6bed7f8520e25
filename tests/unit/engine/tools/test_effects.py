"""Which calls show the newer state when they are made again, and paths: one spelling, which are one file."""

import pytest

from ctxmgr.engine.tools import patches, tool_call
from ctxmgr.engine.tools.paths import normal, root_of, same
from tests.unit.engine.tools.test_calls import PATCH


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git diff", True),
        ("cd /w && npm run check 2>&1 | tail -5", True),
        ("cargo test --lib", True),
        ("mise run test:ci", True),
        ("python -m pytest -q", True),
        ("npx tsgo --noEmit", True),
        ("eslint --fix src", False),
        ("cat a", True),
        ("npm install", False),
        ("git commit -m test", False),
        ("npm test && git push", False),
        ("cat > a <<EOF\nEOF\n", False),
        ("curl localhost", False),
    ],
)
def test_what_shows_the_newer_state_when_it_is_made_again(command: str, expected: bool) -> None:
    assert tool_call("bash", {"command": command}).repeats is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("./a//b/../c.py", "a/c.py"),
        ("/a/./b/", "/a/b"),
        ("../a", "../a"),
        ("/../a", "/a"),
        ("C:\\a\\b.py", "C:/a/b.py"),
        ("src\\a.py", "src/a.py"),
        ("a/b/../../c", "c"),
        ("../../a/../b", "../../b"),
        ("a/../../b", "../b"),
        ("/..//a/./b/", "/a/b"),
        ("", ""),
    ],
)
def test_one_spelling_a_path(path: str, expected: str) -> None:
    assert normal(path) == expected
    assert normal(expected) == expected


@pytest.mark.parametrize(
    ("name", "paths", "expected"),
    [
        ("a part of one", ["src/a.py", "/w/src/a.py"], {"src/a.py": "/w/src/a.py"}),
        ("a bare name is none", ["a.py", "/w/a.py"], {}),
        ("two that agree", ["a.py", "b.py", "/w/a.py", "/w/b.py"], {"a.py": "/w/a.py", "b.py": "/w/b.py"}),
        ("of two none", ["src/a.py", "/w/src/a.py", "/v/src/a.py"], {}),
        ("of two the voted", ["s/a", "s/b", "/w/s/a", "/w/s/b", "/v/s/a"], {"s/b": "/w/s/b"}),
        ("not a part of a name", ["src/a.py", "/w/xsrc/a.py"], {}),
        ("relative ones are no proof", ["src/a.py", "w/src/a.py"], {}),
        ("with it a bare name", ["/w/a/b", "a/b", "/w/c", "c"], {"a/b": "/w/a/b", "c": "/w/c"}),
        ("as many for another: none", [*(f"/{d}/{n}" for d, n in ("wa", "wb", "vc", "vd")), *"abcd"], {}),
        ("one in two directories", ["/w/a", "/v/a", "a"], {}),
        ("on a drive", ["C:/w/a/b", "a/b"], {"a/b": "C:/w/a/b"}),
        ("at home", ["~/w/a/b", "a/b"], {"a/b": "~/w/a/b"}),
        ("one of which nothing is known", ["/w/a/b", "a/b", "b"], {"a/b": "/w/a/b"}),
    ],
)
def test_which_paths_are_one_file(name: str, paths: list[str], expected: dict[str, str]) -> None:
    assert same(paths) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/w/a.py", "/w/b/c.py"], "/w/"),
        (["/w/a"], ""),
        (["/w/a", "/w/a/b", "/w/a/c"], "/w/"),
        (["a/b/c", "a/b/d", "/long/e"], "a/b/"),
        (["/a/b", "/c/d"], ""),
    ],
)
def test_the_directory_that_is_told_once(paths: list[str], expected: str) -> None:
    assert root_of(paths) == expected


def test_a_patch_keeps_its_files_and_hunks() -> None:
    short = patches.shortened(PATCH, "[gone]")
    assert [section.path for section in patches.sections(short)] == ["src/a.py", "b.py"]
    assert short.count("@@") == PATCH.count("@@")
    assert "newer" not in short
