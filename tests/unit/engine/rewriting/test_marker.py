"""Markers: one line that says what left, known again when it comes back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Call

LONG = "x" * 500

# tool, arguments, the call as a marker names it
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("read", {"path": "src/App.tsx"}, 'read path="src/App.tsx"'),
    ("read", {"limit": 50, "path": "a.ts", "offset": 10}, 'read path="a.ts" offset=10 limit=50'),
    ("bash", {"command": "npm test", "timeout": 60}, 'bash command="npm test"'),
    ("grep", {"pattern": 'a "b"', "glob": "*.ts"}, 'grep pattern="a \\"b\\"" glob="*.ts"'),
    ("bash", {"command": "echo 1\n  echo 2\t3"}, 'bash command="echo 1 echo 2 3"'),
    ("read", {"path": "naïve/日本.py"}, 'read path="naïve/日本.py"'),
    ("lookup", {"word": "x", "deep": True, "third": 3}, 'lookup word="x" deep=true'),
    ("lookup", {"options": {"a": 1}, "word": "x"}, 'lookup word="x"'),
    ("fetch", {"url": ["a", "b"]}, 'fetch url=["a", "b"]'),
    ("ls", {}, "ls"),
    ("", {"path": "x"}, 'tool path="x"'),
    ("bash", {"command": LONG}, f'bash command="{LONG[:119]}…"'),
    ("read", {"path": None}, "read path=null"),
    ("fetch", {"url": ["é" * 130]}, f'fetch url=["{"é" * 117}…'),
    ("lookup", {"a": 10**119, "b": 1.5}, f"lookup a=1{'0' * 119} b=1.5"),
    ("lookup", {"a": 10**120, "b": 1.5}, f"lookup a=1{'0' * 118}… b=1.5"),
]


@pytest.mark.parametrize(("tool", "arguments", "text"), CALLS)
def test_the_call_on_one_line(tool: str, arguments: dict[str, Any], text: str) -> None:
    assert marker.call(Call(tool, arguments)) == text


def test_the_marker_of_the_design() -> None:
    text = marker.pruned(Call("read", {"path": "src/App.tsx"}), 12_500)
    assert text == '[output pruned — ~12,500 tokens | read path="src/App.tsx"]'
    text = marker.distilled(Call("bash", {"command": "ls"}), 7)
    assert text == '[output distilled — ~7 tokens | bash command="ls"]'


def test_the_lines_that_stand_in_a_gap() -> None:
    assert marker.cut(1_200, 900, "") == "[cut to fit — ~900 of ~1,200 tokens are left out here]"
    assert marker.cut(1_200, 900, "h") == "[cut to fit — ~900 of ~1,200 tokens are left out here | retrieve h]"
    assert marker.arrived(5_000, 4_000, "here") == "[cut — ~4,000 of ~5,000 tokens are left out here, here]"
    assert marker.with_handle("[a]\nbody\nc", "h") == "[a | retrieve h]\nbody\nc"


@pytest.mark.parametrize("text", ["", "output pruned", " [output pruned — ~1 tokens | ls]", "[output kept — x"])
def test_what_is_no_marker(text: str) -> None:
    assert not marker.is_marker(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["path", "file_path", "command", "pattern", "query", "url", "glob", "offset", "limit", "id"]
names = st.sampled_from(KEYS) | st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@given(st.from_regex(r"[a-z_]{0,12}", fullmatch=True), st.dictionaries(names, values), st.integers(0, 10**7))
def test_a_marker_is_one_short_line_and_known_again(tool: str, arguments: dict[str, Any], weight: int) -> None:
    for made in (marker.pruned(Call(tool, arguments), weight), marker.distilled(Call(tool, arguments), weight)):
        assert marker.is_marker(made)
        assert made.endswith("]")
        assert len(made.splitlines()) == 1
        assert len(made) <= marker.CALL_LENGTH + 100


@pytest.mark.parametrize(
    "text",
    [
        "[output distilled — " + "z " * 50,
        "[output pruned — ha]\nand more",
        '[output pruned — ~5 tokens | read path="a"]\nwhat a tool printed after it',
        '[output distilled — ~5 tokens | read path="a"]\n' + "z" * 5_000,
    ],
)
def test_a_tool_can_not_make_its_output_immune(text: str) -> None:
    assert not marker.is_marker(text)
