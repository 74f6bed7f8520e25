"""`Session.declare_tools`: from the next list on, in the saved state, and refused by the place of what is wrong."""

import json
from typing import Any

import pytest

from ctxmgr import Session
from ctxmgr.model.errors import InvalidParams
from ctxmgr.model.tools import DeclaredTool
from tests.unit.library.test_session import user

WHOLE = {"results": 0, "tokens": 0}
POLICY = {"preset": "tools", "pruneProtect": 0, "pruneMinimum": 0, "protectedTurns": 0, "workingSet": WHOLE}
OWN = [{"name": "lookup", "runs": "how"}]
SAYS = '[output pruned — ~1,143 tokens | lookup how="make all"]'
PLAIN = '[output pruned — ~1,143 tokens | lookup note="first" what="a.py"]'


def conversation() -> list[dict[str, Any]]:
    arguments = json.dumps({"note": "first", "what": "a.py", "how": "make all"})
    call = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": arguments}}
    return [
        user("Look at it."),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "x" * 10_000},
        {"role": "assistant", "content": "It is fine."},
        *(one for number in range(3) for one in (user(f"{number}"), {"role": "assistant", "content": "Yes."})),
        user("Thanks."),
    ]


def result(session: Session) -> str:
    return str(session.project(conversation())[2]["content"])


def test_they_hold_from_the_next_list_on_for_calls_that_were_read_before_too() -> None:
    session = Session(POLICY, format="openai")
    session.project(conversation()[:2])
    session.declare_tools(OWN)
    assert result(session) == SAYS


def test_those_that_are_declared_later_are_all_there_are_and_what_was_put_stays() -> None:
    session = Session(POLICY, format="openai")
    session.declare_tools(OWN)
    session.project(conversation()[:2])
    session.declare_tools([DeclaredTool("other", reads="x")])
    assert result(session) == PLAIN
    session.declare_tools(OWN)
    assert result(session) == PLAIN


def test_they_are_in_the_saved_state() -> None:
    session = Session(POLICY, format="openai")
    session.declare_tools(OWN)
    assert result(Session(POLICY, format="openai", state=session.state)) == SAYS


MISTAKES: list[tuple[Any, str]] = [
    ([*OWN, {"name": "dig"}], "$.tools[1]"),
    ([*OWN, {"name": "lookup", "reads": "x"}], "$.tools[1].name"),
    ([{"reads": "x"}], "$.tools[0].name"),
    ([{"name": "dig", "reads": ""}], "$.tools[0].reads"),
    ([{"name": "dig", "reads": 3}], "$.tools[0].reads"),
    ([*OWN, "dig"], "$.tools[1]"),
    ("dig", "$.tools"),
]


def test_what_declares_nothing_is_refused_by_its_place_and_changes_nothing() -> None:
    for tools, path in MISTAKES:
        session = Session(POLICY, format="openai")
        session.declare_tools(OWN)
        before = session.state
        with pytest.raises(InvalidParams) as raised:
            session.declare_tools(tools)
        assert raised.value.data == {"path": path}, tools
        assert session.state == before, tools
