"""Names: what in a text old text may be referred to by."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.balanced import identifiers
from ctxmgr.engine.balanced.identifiers import READ_AT_MOST
from ctxmgr.engine.text.identifiers import LONGEST, SHORTEST
from tests.notation import a, call, r, talk, think

TABLE: list[tuple[str, set[str]]] = [
    ("", set()),
    ("The quick brown fox jumps.", set()),
    ("see src/App.tsx now", {"src/App.tsx"}),
    ("see ./src/App.tsx.", {"src/App.tsx"}),
    ("at /home/me/a.py:12:", {"home/me/a.py"}),
    ("call parse_line(x)", {"parse_line"}),
    ("call parseLine(x)", {"parseLine"}),
    ("a ParseError here", {"ParseError"}),
    ("an HTTPError", {"HTTPError"}),
    ("session.state.epoch", {"session.state.epoch"}),
    ("error TS2304, ENOENT", {"TS2304"}),
    ("line E501, rustc E0308", {"E501", "E0308"}),
    ("sha256 utf8", {"sha256", "utf8"}),
    ("long-lived well-known-port", set()),
    ("my-app/index.js my-app_1", {"my-app/index.js", "my-app_1"}),
    ("i.e. e.g. a.b", set()),
    ("1234 12.5 0x1f v1.2", set()),
    ("@scope/package", {"scope/package"}),
    ("$HOME_DIR", {"$HOME_DIR"}),
    ("naïve_café", {"naïve_café"}),
    ("x" * LONGEST + "_y", set()),
    ("a_" + "y" * (LONGEST - 2), {"a_" + "y" * (LONGEST - 2)}),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_what_is_a_name(text: str, expected: set[str]) -> None:
    assert identifiers.names(text) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("read_all", "read_all"),
        ("session.state", "session.state"),
        ("src/App.tsx", "src/App.tsx"),
        ("fix/old-parser", "fix/old-parser"),
        ("getV2Config", "getV2Config"),
        ("E501", "E501"),
        ("TS2304", "TS2304"),
        ("self.state.epoch", "state.epoch"),
        ("this.copy", ""),
        ("r.get", ""),
        ("tv.style_of", ""),
        ("$HOME_DIR", ""),
        ("d6bc92", ""),
        ("sha256", ""),
        ("uid/gid/mode", ""),
    ],
)
def test_a_name_is_listed_where_it_says_something_by_itself(name: str, told: str) -> None:
    assert identifiers.telling(name) == told


def test_of_a_huge_text_only_the_beginning_is_read() -> None:
    text = "one_two " + " " * READ_AT_MOST + "three_four"
    assert identifiers.names(text) == {"one_two"}


def test_each_block_has_its_own_and_a_message_is_read_once() -> None:
    read = call("read", path="src/a.py")
    message, *_ = talk(a(think("of the_plan"), "say so_what", read), r("x"))
    found = identifiers.of_message(message)
    assert [set(some) for some in found] == [{"the_plan"}, {"so_what"}, {"src/a.py"}]
    assert identifiers.of_message(message) is found
    assert sorted(identifiers.whole(message)) == ["so_what", "src/a.py", "the_plan"]


@given(st.text(alphabet="ab_./-~@ A1", max_size=80))
def test_a_name_stands_in_the_text_and_bears_no_mark_at_its_ends(text: str) -> None:
    for name in identifiers.names(text):
        assert name in text
        assert SHORTEST <= len(name) <= LONGEST
        assert name == name.strip("./-~@")
        assert identifiers.names(name) == {name}, "a name alone is that name"


def nested(depth: int) -> Any:
    return "the_name" if not depth else [nested(depth - 1)]


def of_call(**arguments: Any) -> frozenset[str]:
    (message,) = talk(a(call("edit", **arguments)))
    return identifiers.of_message(message)[0]


def test_names_of_a_call_are_in_its_texts_however_they_are_nested() -> None:
    found = of_call(path="src/a.py", count=7, deep={"new": ["func_1", True, None, {"old": "func_2"}]})
    assert {"src/a.py", "func_1", "func_2"} <= found
    assert "the_name" in of_call(value=nested(19))
    assert "the_name" not in of_call(value=nested(20))
