"""A snapshot whose policy this release does not take: the session starts without it, says so, and keeps it."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.saved import ModelSpec, State
from ctxmgr.server import SnapshotLoaded
from ctxmgr.session import journal
from ctxmgr.study.spawning import RpcFailure
from tests.inprocess import InProcess

CASES: list[tuple[str, dict[str, Any], list[str], dict[str, Any]]] = [
    ("a new key", {"maxRequestMoons": 7, "preset": "turns"}, [".maxRequestMoons"], {"preset": "turns"}),
    (
        "a new key of a model",
        {"models": {"gpt-5.2": {"x.y": 1}}},
        [".models.gpt-5.2.x.y"],
        {"models": {"gpt-5.2": {}}},
    ),
    ("values that do not go together", {"zones": {"yellow": 0.99}}, [".zones"], {}),
    ("two of them", {"one": 1, "two": {"deep": [2]}}, [".one", ".two"], {}),
]
table = pytest.mark.parametrize(
    ("overrides", "set_aside", "left"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)


def begun(overrides: dict[str, Any], **more: Any) -> InProcess:
    state = State("s", ModelSpec("m", 200_000), seq=3, overrides=overrides)
    return InProcess(
        snapshots={"s": SnapshotLoaded((journal.base(state),))}, policy={"tokenizer": "estimate"}, **more
    )


@table
def test_the_session_starts_says_so_and_keeps_it(
    overrides: dict[str, Any], set_aside: list[str], left: dict[str, Any]
) -> None:
    host = begun(overrides)
    assert (host.started["restored"], host.started["seq"]) == (True, 3)
    (note,) = (one for one in host.started["status"]["notes"] if "does nothing in preset" not in one)
    assert all(path[1:] in note for path in set_aside)
    host.request("setPolicy", sessionId="s", policy={"costVersusRecall": 0.3})
    host.request("turn_end", sessionId="s", message={"role": "assistant", "content": [], "stopReason": "stop"})
    base = msgspec.json.decode(host.whole["s"][0])
    assert base["state"]["overrides"] == {**overrides, "costVersusRecall": 0.3}


def test_what_the_host_sets_is_held_to_its_own_keys() -> None:
    host = begun({"maxRequestMoons": 7})
    with pytest.raises(RpcFailure, match="nonsense"):
        host.request("setPolicy", sessionId="s", policy={"nonsense": 1})
