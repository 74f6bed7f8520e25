"""The commands inspect and describe, and what runs without what people run."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.devices.snapshots import SnapshotStore, to_line
from ctxmgr.extras import needs
from ctxmgr.inspection import inspecting
from ctxmgr.known_models import shipped
from ctxmgr.model.saved import Latch, ModelSpec, State
from ctxmgr.session import journal
from tests.inprocess import InProcess
from tests.unit.study.replay.commands import GREENHOUSE, ROOT, USER

UNBOUND = ROOT / "tests" / "contract" / "snapshots" / "9fa9910" / "epochs.after-a-compaction.snapshot"
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "stopReason": "stop", "timestamp": 2}
SUMMARY = "## Goal\nMend it\n\n" + "word " * 500


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    host = InProcess()
    host.request("context", sessionId="s", messages=[USER])
    host.notify("turn_end", sessionId="s", message=REPLY, usage={"tokens": 1_000})
    host.notify("session_compact", sessionId="s", compactionEntry={"summary": SUMMARY, "id": "c"})
    opened = SnapshotStore(tmp_path).open("s")
    assert opened.file is not None
    for line in host.saved["s"]:
        opened.file.append(line)
    opened.file.close()
    (path,) = tmp_path.glob("*.jsonl")
    return path


def test_inspect_shows_what_a_snapshot_holds(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(snapshot)]) == 0
    out = capsys.readouterr().out
    for text in ("session s", "window 200,000", "Mend it", "characters more"):
        assert text in out
    assert main(["inspect", str(snapshot), "--full"]) == 0
    out = capsys.readouterr().out
    assert out.count("word ") > 400
    assert "\\u001b[31mreport" in out
    assert "\x1b" not in out


def test_inspect_says_what_is_broken(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = snapshot.read_bytes()
    snapshot.write_bytes(whole + b"torn")
    assert main(["inspect", str(snapshot)]) == 1
    out = capsys.readouterr().out
    assert "4 bytes after the last whole line" in out
    assert "session s" in out
    for content in (b"", b"rubbish", whole[10:]):
        snapshot.write_bytes(content)
        assert main(["inspect", str(snapshot)]) == 1
    assert snapshot.read_bytes() == whole[10:]
    assert journal.VERSION == 1


WITHOUT = """
import sys
sys.modules[sys.argv.pop(1)] = None
from ctxmgr.cli import main
sys.exit(main(sys.argv[1:]))
"""


def without(module: str, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A command in a process where `module` cannot be imported."""
    command = [sys.executable, "-c", WITHOUT, module, *arguments]
    return subprocess.run(command, input=input, capture_output=True, timeout=60)


def without_rich(*arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return without("rich", *arguments, input=input)


def test_what_a_host_needs_works_without_rich(snapshot: Path, tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    greeting = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1.0"}}\n'
    served = without_rich("serve", "--state-dir", state, input=greeting + b'{"jsonrpc":"2.0","method":"exit"}\n')
    assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "ctxmgr"
    described, inspected = without_rich("describe"), without_rich("inspect", str(snapshot))
    assert (described.returncode, inspected.returncode, served.stderr) == (0, 0, b"")
    document = json.loads(described.stdout)
    assert document["openrpc"]
    assert "context" in [method["name"] for method in document["methods"]]
    assert b"session s" in inspected.stdout
    forgotten = without_rich("forget", "nobody", "--state-dir", state)
    assert forgotten.returncode == 2
    assert b"nothing is saved of nobody" in forgotten.stderr


@pytest.mark.parametrize(("module", "arguments"), [("rich", ["demo"]), ("zstandard", ["replay", str(GREENHOUSE)])])
def test_what_people_run_says_what_to_install(module: str, arguments: list[str]) -> None:
    done = without(module, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == f"ctxmgr: this command {needs('study')}\n".encode()


@pytest.mark.parametrize("arguments", [["models"], ["replay", "--help"]], ids=lambda one: one[0])
def test_what_measures_nothing_works_without_that_package(arguments: list[str]) -> None:
    assert without("zstandard", *arguments).returncode == 0


def test_starting_the_server_imports_nothing_of_the_views() -> None:
    looked_for = "[name for name in sys.modules if 'rich' in name or 'study' in name]"
    parser = "from ctxmgr.cli.commands import parser; parser('serve')"
    code = f"import sys; from ctxmgr.server import stdio_server; {parser}; print({looked_for})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert out.stdout.strip() == b"[]"


@pytest.mark.parametrize("full", [False, True])
def test_inspect_counts_facts_that_are_bound_to_no_entry(full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a list that named no entries all facts wait for theirs, and hold."""
    assert main(["inspect", str(UNBOUND), *(["--full"] if full else [])]) == 0
    out = capsys.readouterr().out
    said = re.search(r"^(?:(\d+) current facts of )?(\d+) (?:facts )?learned, (\d+) of them", out, re.M)
    assert said is not None
    shown, learned, unbound = (int(number or said[2]) for number in said.groups())
    assert 0 < shown <= learned
    assert 0 < unbound <= learned
    rows = out[said.end() :].split("\n\n")[1].splitlines()
    assert sum(bool(re.search(r"  (summary|branch|user|assistant|tool)  ", row)) for row in rows) == shown
    assert "facts not shown" not in out


@pytest.fixture
def inspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What is told of a session of four calls, of which all but the first read so many of 31,000 tokens."""

    def told(read: int, *flags: str, policy: dict[str, object] | None = None, **model: object) -> str:
        host, messages = InProcess(), [USER]
        if model:
            host.notify("model_select", sessionId="s", model={"contextWindow": 200_000, **model})
        if policy:
            host.request("setPolicy", sessionId="s", policy=policy)
        for number in range(4):
            usage = {"input": 31_000 - read, "cacheRead": read} if number else {"input": 31_000, "cacheRead": 0}
            host.request("context", sessionId="s", messages=messages, at=1_750_000_000_000 + 1_000 * number)
            host.notify("turn_end", sessionId="s", message=REPLY, usage=usage)
            messages = [*messages, REPLY, {**USER, "timestamp": number}]
        path = tmp_path / "s.jsonl"
        path.write_bytes(b"".join(map(to_line, host.saved["s"])))
        assert main(["inspect", str(path), *flags]) == 0
        return " ".join(capsys.readouterr().out.split())

    return told


def test_inspect_shows_its_figures_in_plain_words(inspected: Callable[..., str]) -> None:
    out = inspected(0)
    assert " pruning on compaction not requested last call 31,000 tokens by the provider, " in out
    assert " by ctxmgr's estimate calibration " in out
    assert " entries the host names none " in out


@pytest.mark.parametrize(
    ("latch", "says"),
    [
        (Latch(), "not requested"),
        (Latch("asked"), "requested, not done yet"),
        (Latch("cooldown", 2, 40), "2 failed in a row; none is requested for 40 more model calls"),
        (Latch("resting", 3), "3 failed in a row; none is requested until the list is much smaller"),
    ],
)
def test_inspect_says_whether_a_compaction_is_requested(
    latch: Latch, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    inspecting._show(State("s", ModelSpec("m", 200_000), latch=latch), (1, 0), False, shipped(), ())
    assert f"compaction        {says}\n" in capsys.readouterr().out


def test_inspect_tells_what_the_cache_gave(inspected: Callable[..., str]) -> None:
    out = inspected(0)
    assert (
        "0 of 93,000 tokens read at 3 calls; a cached prefix is kept for 300 s (rule); the provider read 0 of"
        in out
    )


@pytest.mark.parametrize(
    ("told", "lives"),
    [
        ({"id": "gpt-4"}, "300 s (rule)"),  # known to have no cache: a read shows one, and the default rule holds
        ({"id": "gpt-4", "cacheTtlMs": 60_000}, "60 s (host)"),
        ({"id": "gpt-4", "policy": {"cacheTtlMs": 90_000}}, "90 s (policy)"),
    ],
)
def test_inspect_goes_by_the_rule_in_force(
    inspected: Callable[..., str], told: dict[str, object], lives: str
) -> None:
    assert f"calls; a cached prefix is kept for {lives}" in inspected(31_000, **told)


def test_inspect_says_which_file_of_facts_can_not_be_used(
    snapshot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(snapshot), "--models", "/nowhere"]) == 1
    assert capsys.readouterr() == ("", "ctxmgr inspect: /nowhere: no such file\n")
