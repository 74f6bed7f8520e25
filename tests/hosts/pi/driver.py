"""A real pi in RPC mode, with threads that read what it writes, so that no wait is longer than its bound.

Knows pi's RPC records and the places of its files; knows nothing of ctxmgr but how it is spawned.
"""

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXTENSION = ROOT / "protocol" / "hosts" / "pi"
BOUND = 30.0  # seconds; only a failing test waits so long
WINDOW = 32_000  # tokens of the scripted model
SETTINGS = {"compaction": {"enabled": True, "reserveTokens": 4_000, "keepRecentTokens": 3_000}}

Record = dict[str, Any]


class Place:
    """The directories of one user: agent directory, project, sessions, ctxmgr's state."""

    def __init__(self, root: Path, model_url: str, pruning: Mapping[str, Any] | None = None) -> None:
        self.agent, self.project = root / "agent", root / "project"
        self.sessions, self.state, self.starts = root / "sessions", root / "state", root / "starts"
        for folder in (self.agent, self.project, self.sessions, self.state):
            folder.mkdir(parents=True)
        os.mkfifo(self.starts)
        self._pipe = os.open(self.starts, os.O_RDWR)  # with a writer of its own it is never at its end
        own = {"command": [sys.executable, str(HERE / "sidecar.py")], "stateDir": str(self.state)}
        settings: Record = {**SETTINGS, "contextPruning": {**own, **(pruning or {})}}
        settings |= {"defaultProvider": "scripted", "defaultModel": "scripted-1", "defaultProjectTrust": "always"}
        (self.agent / "settings.json").write_text(json.dumps(settings))
        (self.agent / "models.json").write_text(json.dumps({"providers": {"scripted": _provider(model_url)}}))

    def write(self, name: str, characters: int) -> None:
        """A file for the model to read, of lines that differ."""
        lines = (
            f"{name}: line {number} of the notes, nothing like the others {number * 7919}"
            for number in range(10**6)
        )
        text, size = [], 0
        for line in lines:
            if size >= characters:
                break
            text.append(line)
            size += len(line) + 1
        (self.project / name).write_text("\n".join(text))

    def sidecar(self) -> int:
        """The process id of the next sidecar that is spawned. TimeoutError."""
        if not select.select([self._pipe], [], [], BOUND)[0]:
            raise TimeoutError("no sidecar was spawned")
        return int(os.read(self._pipe, 1 << 10))

    def close(self) -> None:
        os.close(self._pipe)

    def recorded(self, pid: int) -> list[Record]:
        """What this sidecar heard."""
        return self._said(pid, "host")

    def epochs(self, pid: int) -> list[int]:
        """The epochs that this sidecar opened."""
        reports = (one["result"].get("report", {}) for one in self._said(pid, "ctxmgr") if one.get("result"))
        return [report["epoch"] for report in reports if "arithmetic" in report]

    def _said(self, pid: int, sender: str) -> list[Record]:
        lines = (self.starts.with_name(f"record-{pid}.jsonl")).read_text().splitlines()[1:]
        return [one["message"] for one in map(json.loads, lines) if one.get("from") == sender and "message" in one]


def _provider(url: str) -> Record:
    cost = {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25}
    model = {"id": "scripted-1", "contextWindow": WINDOW, "maxTokens": 4_000, "input": ["text"], "cost": cost}
    return {
        "baseUrl": url,
        "api": "openai-completions",
        "apiKey": "none",
        "models": [{**model, "reasoning": False}],
    }


class Pi:
    """`extended`: with the extension.
    `records`: all that came on stdout so far. `said`: stderr. `stray`: lines of stdout that are no record."""

    def __init__(self, node: str, pi: Path, place: Place, *arguments: str, extended: bool = True) -> None:
        self.records: list[Record] = []
        self.stray: list[str] = []
        self._said: list[bytes] = []
        self._came: queue.Queue[Record | None] = queue.Queue()
        self._numbers = iter(range(1, 10**6))
        extensions = ["-e", str(HERE / "moves.ts"), *(["-e", str(EXTENSION)] if extended else [])]
        sessions = ["--session-dir", str(place.sessions)]
        self.process = subprocess.Popen(
            [node, str(pi), "--mode", "rpc", "--no-extensions", *extensions, *sessions, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=place.project,
            env=_environment(place),
        )
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._read_said)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                record = json.loads(line)
            except ValueError:
                self.stray.append(line.decode(errors="replace"))
            else:
                self._came.put(record)
        self._came.put(None)

    def _read_said(self) -> None:
        assert self.process.stderr is not None
        self._said.extend(self.process.stderr)

    @property
    def said(self) -> str:
        return b"".join(self._said).decode(errors="replace")

    def __enter__(self) -> "Pi":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None
    ) -> None:
        if fault is not None:
            fault.add_note(f"pi said: {self.said[-2000:]}")
            fault.add_note(f"the last records: {[_short(record) for record in self.records[-12:]]}")
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(BOUND)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    # sending and waiting

    def send(self, type: str, **fields: Any) -> str:
        number = f"r{next(self._numbers)}"
        self.process.stdin.write(json.dumps({"id": number, "type": type, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        return number

    def until(self, wanted: Callable[[Record], bool]) -> Record:
        """The next record that is wanted. TimeoutError, EOFError."""
        while True:
            try:
                record = self._came.get(timeout=BOUND)
            except queue.Empty:
                raise TimeoutError("pi has not written what was waited for") from None
            if record is None:
                raise EOFError("pi has ended")
            self.records.append(record)
            if wanted(record):
                return record

    def ask(self, type: str, **fields: Any) -> Record:
        """The data of the answer to a command."""
        number = self.send(type, **fields)
        answer = self.until(lambda one: one.get("type") == "response" and one.get("id") == number)
        if not answer["success"]:
            raise RuntimeError(answer.get("error"))
        data: Record = answer.get("data") or {}
        return data

    def prompt(self, words: str, last: str) -> None:
        """One run of the agent; `last` is the record it ends with."""
        self.send("prompt", message=words)
        self.until(lambda one: one.get("type") == last)

    def command(self, words: str) -> str:
        """What a slash command tells the user."""
        self.send("prompt", message=words)
        return self.told()

    def told(self) -> str:
        """The next thing that the user is told."""
        return str(self.until(lambda one: one.get("method") == "notify")["message"])

    def of(self, type: str) -> list[Record]:
        return [record for record in self.records if record.get("type") == type]

    def close(self) -> int:
        """Ends it politely. Its exit code."""
        self.process.stdin.close()
        code = self.process.wait(BOUND)
        self._threads[0].join(BOUND)
        while (record := self._came.get(timeout=BOUND)) is not None:
            self.records.append(record)
        return code


def _environment(place: Place) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PI_", "CTXMGR_"))}
    root = str(place.agent.parent)
    own = {"PI_OFFLINE": "1", "PI_CODING_AGENT_DIR": str(place.agent), "HOME": root, "TMPDIR": root}
    return {**kept, **own, "CTXMGR_STARTS": str(place.starts), "PYTHONPATH": str(ROOT)}


def _short(record: Record) -> str:
    return json.dumps(record)[:300]
