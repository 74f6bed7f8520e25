"""A signal ends the process by the convention, 128 and its number, with all that was answered saved."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.stdio.compacting_sidecar import Holding, Writer, endpoint, held, turns
from tests.stdio.sidecar import BOUND, ROOT, Sidecar, call, u
from tests.stdio.test_state import started, turn

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
STUCK = (str(Path(__file__).with_name("stuck_serve.py")),)
pytestmark = pytest.mark.kill


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_what_was_answered_is_saved(tmp_path: Path, number: signal.Signals) -> None:
    """The signal comes amid forty events that were sent at once."""
    with Sidecar(tmp_path).ready("s") as sidecar:
        sidecar.send(*(call(f"t{at}", "turn_end", **turn(at)) for at in range(40)))
        answered = [sidecar.answer("t0")["result"]["seq"]]
        sidecar.process.send_signal(number)
        answered += [one["result"]["seq"] for one in sidecar.rest()]
        assert sidecar.wait() == 128 + number
        assert sidecar.said == ""
    with Sidecar(tmp_path).ready() as sidecar:
        again = started(sidecar)
        assert (again["status"]["notes"], again["seq"]) == ([], answered[-1])
        assert answered == list(range(1, len(answered) + 1))


def test_what_waits_for_a_model_is_answered(tmp_path: Path) -> None:
    policy = {"preset": "turns", "tokenizer": "estimate"}
    with ModelServer.threaded(Holding()) as server, Writer(tmp_path).ready(policy=policy) as writer:
        id = held(writer, writer.started("s", **endpoint(server)), turns(6), server)
        writer.process.send_signal(signal.SIGTERM)
        assert writer.answer(id)["error"]["code"] == -32803
        assert writer.wait() == 128 + signal.SIGTERM


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    """What the first one waits for never ends."""
    with Sidecar(tmp_path, program=STUCK).ready("s") as sidecar:
        sidecar.send(call("stuck", "context", sessionId="s", messages=[u("x" * 10_000)]))
        while "stuck" not in sidecar.said:
            sidecar.call("rpc.discover")
        sidecar.process.send_signal(signal.SIGTERM)
        sidecar.process.send_signal(signal.SIGHUP)
        assert sidecar.wait() in (128 + signal.SIGTERM, 128 + signal.SIGHUP)


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As `nohup` has it."""
    ignoring = "import signal, runpy; signal.signal(signal.SIGHUP, signal.SIG_IGN); runpy.run_module('ctxmgr')"
    with Sidecar(tmp_path, program=("-c", ignoring)).ready("s") as sidecar:
        sidecar.process.send_signal(signal.SIGHUP)
        assert sidecar.call("turn_end", **turn(1))["seq"] == 1
        assert sidecar.leave() == 0


def test_a_command_that_is_interrupted_says_so_in_one_line(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    os.mkfifo(script)  # it waits for somebody to write
    command = [sys.executable, "-m", "ctxmgr", "drive", str(script)]
    with (
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        script.open("w"),  # returns when it is opened for reading
    ):
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=BOUND)
    assert said == (b"", b"ctxmgr: interrupted\n")
    assert process.returncode == 128 + signal.SIGINT
