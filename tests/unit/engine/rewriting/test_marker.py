"""Markers: one line that says what left, known again when it comes back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Call

LONG = "x" * 500

# tool, arguments, the call as a marker names it
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("read", {"path": "src/App.tsx"}, 'read path="src/App.tsx"'),
    ("bash", {"command": "npm test", "timeout": 60}, 'bash command="npm test"'),
    ("lookup", {"word": "x", "deep": True, "third": 3}, 'lookup word="x" deep=true'),
    ("fetch", {"url": ["a", "b"]}, 'fetch url=["a", "b"]'),
    ("ls", {}, "ls"),
    ("bash", {"command": LONG}, f'bash command="{LONG[:119]}…"'),
]


def test_the_call_on_one_line() -> None:
    for tool, arguments, text in CALLS:
        assert marker.call(Call(tool, arguments)) == text, tool


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


def test_a_tool_can_not_make_its_output_immune() -> None:
    for text in (
        "[output distilled — " + "z " * 50,
        '[output pruned — ~5 tokens | read path="a"]\nwhat a tool printed after it',
    ):
        assert not marker.is_marker(text), text
