"""`ctxmgr.Client` and a sidecar that is a real process: killed, stopped, mute, and the same as in this process."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr import Client
from ctxmgr.client import ClientSession, Host, InProcessSidecar, RestartLimits, SpawnedSidecar, Timing

ROOT = Path(__file__).parents[2]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"
MODEL = {"id": "m", "contextWindow": 30_000}
POLICY = {"preset": "turns", "tokenizer": "estimate"}
PATIENT = {"context": 30_000.0, "session_start": 30_000.0, "initialize": 30_000.0, "turn_end": 30_000.0}
AT_ONCE = RestartLimits(first_delay_ms=0, longest_delay_ms=0)
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
Messages = list[dict[str, Any]]


def spawned(tmp_path: Path, *command: str) -> SpawnedSidecar:
    made = SpawnedSidecar(state_dir=str(tmp_path / "state"), env=ENV)
    return SpawnedSidecar(command, env=ENV) if command else made


def patient(**more: Any) -> Timing:
    timeouts = {**PATIENT, **more.pop("timeouts_ms", {})}
    return Timing(timeouts_ms=timeouts, session_ms=30_000, restarts=AT_ONCE, **more)


def process_of(client: Client) -> int:
    link: Any = client._client._link
    return int(link.process_id)


def user(number: int) -> dict[str, Any]:
    return {"role": "user", "content": f"Go on {number}.", "timestamp": number}


def source(session: ClientSession) -> str:
    assert session.outcome is not None
    return session.outcome.source


def test_one_that_was_killed_between_calls_is_replaced_and_goes_on(tmp_path: Path) -> None:
    with Client(POLICY, sidecar=spawned(tmp_path), timing=patient()) as client:
        session = client.session("s", MODEL)
        session.context([user(1)])
        session.turn_end(user(2), usage={"tokens": 900})
        first = process_of(client)
        os.killpg(first, signal.SIGKILL)
        lists = [session.context([user(1), user(2)]) for _ in range(2)]
        assert lists == [[user(1), user(2)]] * 2
        assert source(session) == "answered"  # the first may have been written to the one that was dying
        assert process_of(client) != first
        assert session.restored is True
        assert client.trouble is None


def test_one_that_was_killed_in_a_call_costs_that_answer_alone(tmp_path: Path) -> None:
    with Client(POLICY, sidecar=spawned(tmp_path), timing=patient()) as client:
        session = client.session("s", MODEL)
        link: Any = client._client._link
        os.kill(link.process_id, signal.SIGSTOP)  # what it is asked now it does not answer
        send = link.send

        def send_and_kill(chunk: bytes) -> None:
            send(chunk)
            os.killpg(link.process_id, signal.SIGKILL)

        link.send = send_and_kill
        assert session.context([user(1)]) == [user(1)]
        assert source(session) == "own"
        assert client.trouble.kind == "exited"
        assert session.context([user(1)]) == [user(1)]
        assert source(session) == "answered"


def test_one_that_hangs_costs_one_bound_and_is_replaced(tmp_path: Path) -> None:
    timing = patient(timeouts_ms={"context": 300.0}, hang_ms=0)
    with Client(POLICY, sidecar=spawned(tmp_path), timing=timing) as client:
        session = client.session("s", MODEL)
        first = process_of(client)
        os.kill(first, signal.SIGSTOP)
        assert session.context([user(1)]) == [user(1)]
        assert client.trouble.kind == "timeout"
        assert session.status() is not None  # another process, told anew
        assert process_of(client) != first
        assert session.restored is True
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)


MUTE = "import sys; sys.stdin.read()"
TALKS = "print('Welcome!', flush=True); import sys; sys.stdin.read()"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ((sys.executable, "-c", TALKS), "garbage"),
        ((sys.executable, "-c", MUTE), "timeout"),
    ],
)
def test_a_bad_child_costs_no_model_call(tmp_path: Path, command: tuple[str, ...], kind: str) -> None:
    timing = Timing(timeouts_ms={"initialize": 300.0, "context": 20_000}, end_ms=100)
    if kind != "timeout":
        timing = Timing(timeouts_ms=PATIENT, session_ms=30_000, end_ms=100)
    sidecar = SpawnedSidecar(command or (str(tmp_path),), env=ENV)
    with Client(POLICY, sidecar=sidecar, timing=timing) as client:
        session = client.session("s", MODEL)
        messages = [user(1), user(2)]
        assert session.context(messages) == messages
        assert source(session) == "own"
        assert session.turn_end(user(3)) is None
        assert client.trouble.kind == kind


WARNS = "import sys; print('one\\nno module named x\\n', file=sys.stderr); sys.exit(1)"
PRINTS_JSON = "import sys; print('{}', file=sys.stderr); sys.exit(3)"
PRINTS_LONG_JSON = "import sys; print('{\"said\": \"' + 'word ' * 40_000 + '\"}', file=sys.stderr); sys.exit(3)"
DIES = "import os; os.kill(os.getpid(), 9)"


@pytest.mark.parametrize(
    ("command", "cwd", "told"),
    [
        (("/nowhere/ctxmgr", "serve"), None, "/nowhere/ctxmgr cannot be started: no such program"),
        ((sys.executable,), "/nowhere", f"{sys.executable} cannot be started: no folder /nowhere"),
        (("/",), None, "/ cannot be started: Permission denied"),
        ((sys.executable, "-c", WARNS), None, f"{sys.executable} exited with code 1: no module named x"),
        ((sys.executable, "-c", PRINTS_JSON), None, f"{sys.executable} exited with code 3"),
        ((sys.executable, "-c", PRINTS_LONG_JSON), None, f"{sys.executable} exited with code 3"),
        ((sys.executable, "-c", DIES), None, f"{sys.executable} was killed by SIGKILL"),
    ],
)
def test_the_trouble_names_the_program_and_the_cause(command: tuple[str, ...], cwd: str | None, told: str) -> None:
    heard: list[str] = []
    host = Host(on_trouble=lambda fault: heard.append(fault.message))
    sidecar = SpawnedSidecar(command, env=ENV, cwd=cwd)
    with Client(POLICY, sidecar=sidecar, host=host, timing=patient(end_ms=100)) as client:
        client.session("s", MODEL)
    assert heard == [told]


def test_no_process_is_left(tmp_path: Path) -> None:
    code = "import subprocess, sys; raise SystemExit(subprocess.call([sys.executable, '-m', 'ctxmgr', 'serve']))"
    sidecar = spawned(tmp_path, sys.executable, "-c", code)
    with Client(POLICY, sidecar=sidecar, timing=patient(end_ms=20_000)) as client:
        client.session("s", MODEL)
        group = process_of(client)
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


def turns() -> Iterator[tuple[Messages, dict[str, Any], Messages]]:
    """(what was listed before, the reply, its results), call by call, of a recorded session."""
    lines = [json.loads(line) for line in GREENHOUSE.read_text(encoding="utf-8").splitlines()]
    messages = [line["message"] for line in lines if line["type"] == "message"]
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            after = messages[place + 1 :]
            count = next((n for n, one in enumerate(after) if one["role"] != "toolResult"), len(after))
            yield messages[:place], message, after[:count]


def played(sidecar: SpawnedSidecar | InProcessSidecar) -> list[Any]:
    found: list[Any] = []
    with Client({**POLICY, "preset": "balanced"}, sidecar=sidecar, timing=patient()) as client:
        session = client.session("s", MODEL)
        for before, reply, results in turns():
            sent = session.context(before, time_ms=reply["timestamp"])
            ended = session.turn_end(reply, results, time_ms=reply["timestamp"])
            assert session.outcome is not None
            assert ended is not None
            found.append((sent, session.outcome, ended))
    return found


def test_in_this_process_is_the_same_as_in_another(tmp_path: Path) -> None:
    here = played(InProcessSidecar(str(tmp_path / "here")))
    there = played(SpawnedSidecar(state_dir=str(tmp_path / "there"), env=ENV))
    assert len(here) > 20
    assert here == there
    assert any(outcome.report.epoch > 0 for _, outcome, _ in here)
    assert all(outcome.source == "answered" for _, outcome, _ in here)
