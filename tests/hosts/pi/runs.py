"""Runs of a real pi, what its model was asked for them, and what holds of each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hosts.pi import scripted
from tests.hosts.pi.driver import WINDOW, Pi, Place
from tests.hosts.pi.installing import Installed
from tests.model_server import ModelServer, Request

SMALL_STEPS = 7  # one more than the turns that green keeps
SMALL, BIG = 6_000, 24_000  # characters a file
RED = 16_800  # tokens: 0.7 of the window less a quarter of it
HOST = WINDOW - 4_000  # tokens: above, pi compacts by itself

Places = Callable[..., Place]


def place_of(root: Path, model: ModelServer, **pruning: Any) -> Place:
    few = {"preset": "turns", "workingSet": {"results": 0, "tokens": 0}}  # known packets, and little is promised
    place = Place(root, model.url, {**few, **pruning})
    for number in range(1, 10):
        place.write(f"notes-{number}.txt", SMALL)
    for number in range(1, 4):
        place.write(f"big-{number}.txt", BIG)
    return place


def requests_of(pi: Pi, program: Installed, model: ModelServer, words: str) -> list[Request]:
    """One run of the agent; the requests the model got for it, without those for summaries."""
    before = len(model.requests)
    pi.prompt(words, program.last)
    return [one for one in model.requests[before:] if not scripted.is_summary(one)]


def asked(request: Request) -> list[str]:
    """What the user's own messages say, as the model saw them."""
    said = [scripted.text(one) for one in request.body["messages"] if one["role"] == "user"]
    return [one for one in said if scripted.PACKET not in one]


def check_legal(request: Request) -> None:
    """Each call has its result, each result its call."""
    messages = request.body["messages"]
    called = [call["id"] for one in messages for call in one.get("tool_calls") or ()]
    assert called == [one["tool_call_id"] for one in messages if one["role"] == "tool"]


def branch_of(pi: Pi) -> list[dict[str, Any]]:
    branch: list[dict[str, Any]] = json.loads(pi.command("/entries"))
    return branch


def check_clean(pi: Pi) -> None:
    """Nothing of the extension's was on stdout or stderr, no error reached pi, no widget was shown."""
    assert pi.close() == 0
    assert pi.stray == []
    assert "ctxmgr" not in pi.said
    assert pi.of("extension_error") == []
    shown = {one["method"] for one in pi.of("extension_ui_request")}
    assert shown <= {"notify", "setStatus"}
