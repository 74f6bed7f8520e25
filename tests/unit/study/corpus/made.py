"""Small corpora for tests, and runs over them without a cluster."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ctxmgr import __version__
from ctxmgr.study.corpus import sources
from ctxmgr.study.corpus.evaluating import decode, encode, evaluated
from ctxmgr.study.corpus.results import LastRun, Results
from ctxmgr.study.corpus.tasks import (
    CorpusPolicy,
    CorpusSettings,
    CorpusTask,
    Evaluation,
    Row,
    policies,
    recordings,
    tasks,
)

SESSIONS = Path(__file__).parents[3] / "sessions"
WINDOW = 24_000
SETTINGS = CorpusSettings(window_tokens=WINDOW)


def begun(name: str, folder: Path, line_count: int = 100) -> Path:
    """The first lines of one of the project's own sessions, as a file in `folder`."""
    folder.mkdir(exist_ok=True)
    lines = (SESSIONS / f"{name}.jsonl").read_bytes().splitlines(keepends=True)[:line_count]
    (folder / f"{name}.jsonl").write_bytes(b"".join(lines))
    return folder / f"{name}.jsonl"


def corpus(folder: Path, count: int = 3) -> Path:
    """So many pi sessions of two messages, each a little longer than the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        lines = [
            {"type": "session", "version": 3, "id": f"s{number}", "cwd": "/w"},
            _entry("1", None, {"role": "user", "content": [_text(f"Goal: part {number}")]}),
            _entry("2", "1", {"role": "assistant", "content": [_text("x" * number)], "stopReason": "stop"}),
        ]
        (folder / f"{number:03d}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    return folder


def _entry(id: str, parent: str | None, message: dict[str, object]) -> dict[str, object]:
    return {"type": "message", "id": id, "parentId": parent, "message": message}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def asked(
    folder: Path,
    texts: Sequence[str] = ("balanced",),
    done: Sequence[str] = (),
    settings: CorpusSettings = SETTINGS,
) -> list[CorpusTask]:
    with tempfile.TemporaryDirectory() as beside:
        known = recordings(sources.listed([str(folder)]), Path(beside, "sources.json"))
    return tasks(known, policies(texts), settings, done)


def last(wanted: Sequence[CorpusPolicy], settings: CorpusSettings = SETTINGS) -> LastRun:
    return LastRun(__version__, settings.digest, tuple((policy.name, policy.digest) for policy in wanted))


def digests(todo: Sequence[CorpusTask]) -> list[str]:
    return sorted({task.recording.digest for task in todo})


def worked_out(folder: Path, out: Path, texts: Sequence[str] = ("balanced",)) -> None:
    """A run in this thread."""
    with Results(out) as results:
        todo = asked(folder, texts)
        results.record_run(last(policies(texts)), digests(todo))
        for task in todo:
            results.add(evaluated(task))


def row(task: CorpusTask) -> Row:
    """Without what differs from run to run."""
    return {**decode(evaluated(task)).recording, "cpu_seconds": 0.0, "peak_bytes": 0}


def invented(task: CorpusTask, **figures: object) -> bytes:
    """An evaluation that nothing was driven for."""
    recording = {
        "key": task.key,
        "digest": task.recording.digest,
        "name": task.recording.name,
        "address": task.recording.address,
        "size_bytes": task.recording.size_bytes,
        "policy": task.policy.name,
        "policy_digest": task.policy.digest,
        "settings_digest": task.settings.digest,
        "release": __version__,
        "schema_version": 1,
        "status": "ok",
        "reason": "",
        "host": "",
        "fault_count": 0,
        **dict.fromkeys(("raw_tokens", "call_count", "window_tokens"), 0),
    }
    call = {"key": task.key, "call_index": 0, "sent_tokens": 10, "dollars": 0.1, "is_announced": False}
    return encode(Evaluation({**recording, **figures}, [call]))
