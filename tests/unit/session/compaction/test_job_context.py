"""What a job sees of its session: who runs the model, what is cut how, and that it stays as it was."""

from typing import Any

import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.session.compaction import job_context
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
    (False, {"endpoint": ENDPOINT}, ("endpoint", 32_000, None)),
    (True, {"endpoint": ENDPOINT, "model": "endpoint"}, ("endpoint", 32_000, None)),
    (True, {"endpoint": ENDPOINT, "model": "none"}, ("none", 100_000, 8_000)),
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
    (None, "of call", "of call"),
    ("of policy", "of call", "of policy\n\nof call"),
    (" \n", "of call", "of call"),
]


@pytest.mark.parametrize(("of_policy", "of_call", "both"), INSTRUCTIONS)
def test_instructions_of_policy_and_call(of_policy: str | None, of_call: str | None, both: str | None) -> None:
    assert job_context.take(session(instructions=of_policy), None, of_call).instructions == both
