"""What a job sees of its session: who runs the model, what is cut how, and that it stays as it was."""

from typing import Any

import msgspec
import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.session.compaction import job_context
from ctxmgr.session.methods.turn_end import turn_end
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import SessionCore

ENDPOINT = {"baseUrl": "http://127.0.0.1:1/v1", "model": "m", "contextWindow": 32_000}


def session(can: bool = True, **compaction: Any) -> SessionCore:
    form = FORMATS["pi"]
    state = State("s", ModelSpec("big", 100_000, max_output_tokens=8_000))
    return SessionCore(
        state,
        form,
        {"compaction": compaction},
        lifecycle.HostCapabilities(complete=can),
        Reader(form),
    )


VIA: list[tuple[bool, dict[str, Any], tuple[str, int, int | None]]] = [
    # the host can, the policy's keys: who, window, most output
    (True, {}, ("host", 100_000, 8_000)),
    (False, {}, ("none", 100_000, 8_000)),
    (True, {"endpoint": ENDPOINT}, ("host", 100_000, 8_000)),
    (False, {"endpoint": ENDPOINT}, ("endpoint", 32_000, None)),
    (True, {"endpoint": ENDPOINT, "model": "endpoint"}, ("endpoint", 32_000, None)),
    (True, {"endpoint": ENDPOINT, "model": "none"}, ("none", 100_000, 8_000)),
    (False, {"endpoint": ENDPOINT, "model": "host"}, ("none", 100_000, 8_000)),
    (False, {"model": "host"}, ("none", 100_000, 8_000)),
]


@pytest.mark.parametrize(("can", "keys", "expected"), VIA)
def test_who_runs_the_model(can: bool, keys: dict[str, Any], expected: tuple[str, int, int | None]) -> None:
    via = job_context.take(session(can, **keys, concurrency=5), None, None).runner
    assert (via.kind, via.window, via.max_output_tokens) == expected
    assert via.concurrency == 5
    assert (via.endpoint is not None) is (via.kind == "endpoint")


INSTRUCTIONS = [
    (None, None, None),
    ("of policy", None, "of policy"),
    (None, "of call", "of call"),
    ("of policy", "of call", "of policy\n\nof call"),
    (" \n", "of call", "of call"),
    ("of policy", "  ", "of policy"),
]


@pytest.mark.parametrize(("of_policy", "of_call", "both"), INSTRUCTIONS)
def test_instructions_of_policy_and_call(of_policy: str | None, of_call: str | None, both: str | None) -> None:
    assert job_context.take(session(instructions=of_policy), None, of_call).instructions == both


def _ended(verb: Any) -> None:
    """Runs a verb and the work it asks for."""
    value = None
    while True:
        try:
            wanted = verb.send(value)
        except StopIteration:
            return
        value = wanted.run()


def _heard(number: int) -> lifecycle.TurnEndParams:
    message = msgspec.json.encode({"role": "assistant", "content": f"said {number}", "timestamp": number})
    ids = lifecycle.EntryIds(message=f"e{number}")
    return lifecycle.TurnEndParams("s", msgspec.Raw(message), entry_ids=ids)


def test_what_comes_later_is_not_seen() -> None:
    one = session()
    for number in (1, 2):
        _ended(turn_end(one, _heard(number)))
    seen = job_context.take(one, None, None)
    _ended(turn_end(one, _heard(3)))
    one.set_policy({"compaction": {"keepRecentTokens": 1}})
    assert [entry.id for entry in seen.path(None, None)] == ["e1", "e2"]
    assert seen.cut_budget.keep_recent_tokens == 20_000
    later = job_context.take(one, None, None)
    assert [entry.id for entry in later.path(None, None)] == ["e1", "e2", "e3"]
    assert later.cut_budget.keep_recent_tokens == 1
