"""A spawned sidecar with threads that read what it writes. Waits end with their event (`tests/patience.py`)."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tests import patience

ROOT = Path(__file__).resolve().parents[2]
BOUND = 20.0  # seconds; only a failing test waits so long
MODEL = {"id": "m", "contextWindow": 200_000}
SECRET = "the-owl-flies-at-nine"


class Sidecar:
    """`stray`: bytes on standard output that are no frame; must stay empty. `said`: all of stderr so far."""

    def __init__(
        self,
        state_dir: Path,
        *arguments: str,
        ndjson: bool = False,
        environment: dict[str, str] | None = None,
        program: Iterable[str] = ("-m", "ctxmgr"),
        reads_stderr: bool = True,
    ) -> None:
        self.ndjson, self.stray = ndjson, b""
        self._said: list[bytes] = []
        self._hearing = threading.Condition()
        self._frames: queue.Queue[bytes | None] = queue.Queue()
        self._numbers = iter(range(1, 1_000_000))
        self.others: list[dict[str, Any]] = []
        home = {"HOME": str(state_dir), "XDG_STATE_HOME": str(state_dir / "default"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, *program, "serve", "--state-dir", str(state_dir), *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **home, **(environment or {})},
            cwd=ROOT,
            bufsize=0,
        )
        self._threads = [threading.Thread(target=self._read_frames, args=(self._pipe("stdout"),), daemon=True)]
        if reads_stderr:
            self._threads.append(threading.Thread(target=self._read_said, daemon=True))
        for thread in self._threads:
            thread.start()

    def _pipe(self, name: str) -> IO[bytes]:
        pipe: IO[bytes] = getattr(self.process, name)
        return pipe

    # reading

    def _read_frames(self, pipe: IO[bytes]) -> None:
        with open(pipe.fileno(), "rb", closefd=False) as source:
            read = self._read_line if self.ndjson else self._read_block
            while (body := read(source)) is not None:
                self._frames.put(body)
        self._frames.put(None)

    def _read_line(self, source: IO[bytes]) -> bytes | None:
        return source.readline() or None

    def _read_block(self, source: IO[bytes]) -> bytes | None:
        line = source.readline()
        if not line.startswith(b"Content-Length: ") or source.readline() != b"\r\n":
            self.stray += line + source.read() if line else b""
            return None
        return source.read(int(line[16:]))

    def _read_said(self) -> None:
        with open(self._pipe("stderr").fileno(), "rb", closefd=False) as source:
            for line in source:
                with self._hearing:
                    self._said.append(line)
                    self._hearing.notify_all()

    @property
    def said(self) -> str:
        return b"".join(self._said).decode("utf-8", "replace")

    def says(self, text: str) -> None:
        """Until it has said this on stderr."""
        with self._hearing:
            patience.until(self.process.pid, lambda seconds: self._heard(text, seconds), TimeoutError)

    def _heard(self, text: str, seconds: float) -> None:
        if not self._hearing.wait_for(lambda: text in self.said, seconds):
            raise TimeoutError(self.said)

    def next(self) -> dict[str, Any] | None:
        """The next message, None at the end of output."""
        body = patience.until(self.process.pid, lambda seconds: self._frames.get(timeout=seconds), queue.Empty)
        if body is None:
            self._frames.put(None)
            return None
        message: dict[str, Any] = json.loads(body)
        return message

    def rest(self) -> list[dict[str, Any]]:
        """All messages up to the end of output."""
        return list(iter(self.next, None))

    def answer(self, id: Any) -> dict[str, Any]:
        """The answer with this id; what comes before it is kept in `others`."""
        while (message := self.next()) is not None:
            if message.get("id") == id and "method" not in message:
                return message
            self.others.append(message)
        raise AssertionError(f"no answer to {id}; said: {self.said}")

    # writing

    def framed(self, message: Any) -> bytes:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return body + b"\n" if self.ndjson else b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def write(self, content: bytes) -> None:
        view = memoryview(content)
        while view:
            view = view[self._pipe("stdin").write(view) or 0 :]

    def send(self, *messages: Any) -> None:
        self.write(b"".join(map(self.framed, messages)))

    def call(self, method: str, **params: Any) -> Any:
        """The result of a request. Fails on an error answer."""
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        id = next(self._numbers)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return self.answer(id)

    def tell(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ready(self, *sessions: str, policy: dict[str, Any] | None = None, **capabilities: Any) -> "Sidecar":
        """Initialized, with these sessions started. Ended if that fails: it is called before `with` is entered."""
        try:
            self.call("initialize", protocolVersion="1.0", capabilities=capabilities, policy=policy)
            for session in sessions:
                self.call("session_start", sessionId=session, model=MODEL)
        except BaseException:
            self.close()
            raise
        return self

    # ending

    def end_input(self) -> None:
        self._pipe("stdin").close()

    def wait(self) -> int:
        """The exit code. Everything written has been read when this returns."""
        code = ended(self.process)
        for thread in self._threads:
            thread.join(BOUND)
        return code

    def leave(self) -> int:
        """Shutdown, exit, and the code."""
        assert self.ask("shutdown") == {"jsonrpc": "2.0", "id": next(self._numbers) - 1, "result": None}
        self.tell("exit")
        return self.wait()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for name in ("stdin", "stdout", "stderr"):
            self._pipe(name).close()

    def __enter__(self) -> "Sidecar":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: object, trace: TracebackType | None) -> None:
        self.close()
        if kind is None:
            assert self.stray == b""
            assert SECRET not in self.said
            assert "Traceback" not in self.said


def ended(process: "subprocess.Popen[bytes]") -> int:
    """Its exit code, when it has ended."""
    return patience.until(process.pid, process.wait, subprocess.TimeoutExpired)


def call(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def u(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": 1}


def a(text: str, tokens: int | None = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}
    if tokens is None:
        return message
    usage = {"input": tokens, "output": 10, "cacheRead": 0, "cacheWrite": 0, "totalTokens": tokens + 10}
    return {**message, "usage": usage}
