"""What the model may call and the user may type, in real pi programs: tools where the user's own settings allow
them, pins, undone epochs, and what is in the window."""

import json
import re
from typing import Any

import pytest

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import Pi
from tests.hosts.pi.installing import Installed
from tests.hosts.pi.runs import SMALL, Places, check_clean, check_legal, requests_of
from tests.model_server import ModelServer, Request

pytestmark = pytest.mark.real

TOOLS = {"retrieve", "scratchpad", "pin"}
PRUNING = {"preset": "tools", "pruneProtect": 1_000, "pruneMinimum": 500}  # old results leave early
BALANCED = {"preset": "balanced"}  # pins and epochs are its own


@pytest.mark.parametrize("program", ["0.87"], indirect=True)
def test_model_has_no_tool_of_ctxmgrs_unless_its_user_allows_it(
    program: Installed, model: ModelServer, places: Places
) -> None:
    """A project's settings cannot allow it, and markers name no handle that nothing could be done with."""
    place = places(**PRUNING)
    (place.project / ".pi").mkdir()
    (place.project / ".pi" / "settings.json").write_text('{"contextPruning": {"modelTools": true}}')
    with Pi(program.node, program.pi, place) as pi:
        requests = _read(pi, program, model, 6)
        assert not TOOLS & _offered(requests[-1])
        assert _marked(requests[-1])
        assert _handles(requests[-1]) == []
        check_clean(pi)


def test_model_gets_back_what_left_keeps_notes_and_pins(
    program: Installed, model: ModelServer, places: Places
) -> None:
    place = places(modelTools=True, **PRUNING)
    original = (place.project / "notes-1.txt").read_text()
    with Pi(program.node, program.pi, place) as pi:
        requests = _read(pi, program, model, 6)
        assert _offered(requests[-1]) >= TOOLS
        handle = _handles(requests[-1])[0]
        assert original not in json.dumps(requests[-1].body["messages"])

        assert original in _used(pi, program, model, "retrieve", handle=handle)
        page = _used(pi, program, model, "retrieve", handle=handle, offset=10, limit=20)
        assert page == f"{original[10:30]}\n[characters 10 to 30 of {len(original):,}; go on with offset 30]"
        assert "handle" in _used(pi, program, model, "retrieve", handle="f0000000")

        assert _used(pi, program, model, "scratchpad", op="read") == "The notes are empty."
        assert _used(pi, program, model, "scratchpad", op="overwrite", text="one\ntwo") == "one\ntwo"
        assert _used(pi, program, model, "scratchpad", op="insert", text="half", line=1) == "one\nhalf\ntwo"
        assert (
            _used(pi, program, model, "scratchpad", op="str_replace", oldText="two", newText="2") == "one\nhalf\n2"
        )
        assert _used(pi, program, model, "scratchpad", op="read") == "one\nhalf\n2"

        check_legal(model.requests[-1])
        check_clean(pi)


@pytest.mark.parametrize("program", ["0.87"], indirect=True)
def test_user_pins(program: Installed, model: ModelServer, places: Places) -> None:
    place = places(**BALANCED)
    first = (place.project / "notes-1.txt").read_text()
    with Pi(program.node, program.pi, place) as pi:
        assert pi.command("/pin").startswith("0 pins. ")
        assert first not in _texts(_pruned(pi, program, model))
        assert pi.command("/pin notes-1.txt") == "notes-1.txt stays as it is from the next request on; 1 pin."
        assert first in _texts(requests_of(pi, program, model, "On.")[-1])
        assert pi.command("/unpin notes-1.txt") == "notes-1.txt may leave again; 0 pins."

        assert (
            pi.command("/pin #2") == "#2 stays as it is from the next request on; 1 pin."
        )  # a result, by its place
        assert pi.command("/unpin #9999") == "ctxmgr: the last request had no #9999: see /ctx-explain"
        assert pi.command("/pin tool read") == "tool read stays as it is from the next request on; 2 pins."
        assert pi.command("/unpin tool read") == "tool read may leave again; 1 pin."
        assert pi.command("/prune-config preset tools").startswith("{")
        assert pi.command("/pin a.py") == "a.py is pinned, but preset tools goes by no pins: balanced does."
        assert pi.command("/undo 1") == "Preset tools takes nothing back: balanced does."
        check_clean(pi)


@pytest.mark.parametrize("program", ["0.87"], indirect=True)
def test_undo(program: Installed, model: ModelServer, places: Places) -> None:
    """What left at the newest epoch comes back with the next request, and stays."""
    place = places(**BALANCED)
    first = (place.project / "notes-1.txt").read_text()
    with Pi(program.node, program.pi, place) as pi:
        assert pi.command("/undo") == "Nothing has left yet."
        assert first not in _texts(_pruned(pi, program, model))
        said = pi.command("/undo")
        assert re.fullmatch(
            r"What left at epoch 1 comes back .*, and is pinned: \d+ things?, [\d,]+ tokens\.", said
        )
        assert first in _texts(requests_of(pi, program, model, "On.")[-1])
        assert pi.command("/prune") == "The next request is pruned."
        assert first in _texts(requests_of(pi, program, model, "On and on.")[-1])
        assert pi.command("/undo 1") == "What left at epoch 1 was taken back before."
        assert "no stored receipt" in pi.command("/undo 99")
        assert "/undo 3" in pi.command("/undo something")
        check_clean(pi)


def _read(pi: Pi, program: Installed, model: ModelServer, count: int) -> list[Request]:
    requests: list[Request] = []
    for number in range(1, count + 1):
        requests += requests_of(pi, program, model, f"Step {number}: read notes-{number}.txt")
    assert len(requests) == 2 * count
    return requests


def _pruned(pi: Pi, program: Installed, model: ModelServer) -> Request:
    """The request of an epoch that the user asked for, after six files were read."""
    _read(pi, program, model, 6)
    assert pi.command("/prune") == "The next request is pruned."
    return requests_of(pi, program, model, "Go on.")[-1]


def _used(pi: Pi, program: Installed, model: ModelServer, tool: str, **arguments: Any) -> str:
    """What the model is given for this call."""
    requests = requests_of(pi, program, model, f"use {tool} {json.dumps(arguments)}")
    newest = requests[-1].body["messages"][-1]
    assert newest["role"] == "tool"
    return scripted.text(newest)


def _offered(request: Request) -> set[str]:
    return {one["function"]["name"] for one in request.body["tools"]}


def _texts(request: Request) -> list[str]:
    return list(map(scripted.text, request.body["messages"]))


def _marked(request: Request) -> int:
    """How many results are not there as they came."""
    results = [scripted.text(one) for one in request.body["messages"] if one["role"] == "tool"]
    return sum(len(one) < SMALL / 2 for one in results)


def _handles(request: Request) -> list[str]:
    return re.findall(r"\| retrieve (\w+)", "\n".join(_texts(request)))
