"""Writes made-up sessions with the shape of real ones: pi session files of a coding agent at work on made-up files.

1. The same seed gives the same bytes. No clock, no text of others: words are drawn from a list, names are numbered.
2. Shapes are those of 41 recorded sessions of eight hosts: steps and sizes of results are log-normal (median 45
   tool results, some 1,000 characters each; a spread of 1.0 and 1.3), a request of the user every 20 results, four
   in a hundred results are errors, half the calls read, and what was read is edited, read again and tested.
3. What a reply names occurred before: a file of the session, an error, a decision. So probes and recall have
   something to ask.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

STEPS = 45  # tool results, median
STEP_SPREAD = 1.0
MOST_STEPS = 600
RESULT_CHARACTERS = 1_000  # median
RESULT_SPREAD = 1.3
MOST_RESULT_CHARACTERS = 60_000
REQUEST_EVERY = 20  # results
ERROR_SHARE = 0.04
OF_A_FOLDER = 1_000  # sessions a folder
START_MS = 1_767_225_600_000  # 2026-01-01
STEP_MS = 9_000
WORDS = (
    *("the", "reader", "takes", "row", "and", "gives", "back", "what", "stands", "there", "while", "writer"),
    *("waits", "for", "its", "turn", "so", "that", "no", "line", "is", "lost", "between", "two", "runs"),
)
CALLS = (("read", 50), ("bash", 25), ("edit", 15), ("grep", 10))  # of a hundred

_encode = msgspec.json.Encoder().encode


def generate(folder: Path, count: int, seed: int, steps: int = STEPS) -> None:
    """So many files, `OF_A_FOLDER` a folder. Raises OSError."""
    for number in range(count):
        inner = folder / f"{number // OF_A_FOLDER:04d}"
        inner.mkdir(parents=True, exist_ok=True)
        (inner / f"session-{number:06d}.jsonl").write_bytes(session(seed, number, steps))


def session(seed: int, number: int, steps: int = STEPS) -> bytes:
    """One session's file."""
    return b"".join(
        _encode(one) + b"\n" for one in _Session(random.Random(f"{seed}/{number}"), number, steps).lines()
    )


class _Session:
    def __init__(self, chance: random.Random, number: int, steps: int) -> None:
        self.chance, self.number = chance, number
        self.steps = max(1, min(MOST_STEPS, round(steps * chance.lognormvariate(0, STEP_SPREAD))))
        self.files = [f"src/part{chance.randrange(9)}/module_{one}.py" for one in range(max(2, self.steps // 4))]
        self.opened_files: list[str] = []
        self.entries = 0
        self.time_ms = START_MS + number * 3_600_000

    def lines(self) -> Iterator[dict[str, Any]]:
        yield {
            "type": "session",
            "version": 3,
            "id": f"session-{self.number}",
            "timestamp": _time(self.time_ms),
            "cwd": "/w",
        }
        for step in range(self.steps):
            if step % REQUEST_EVERY == 0:
                yield self._entry({"role": "user", "content": [self._text(self._request())]})
            id = f"call_{step}"
            name, arguments, result, failed = self._call()
            content = [
                self._text(self._said()),
                {"type": "toolCall", "id": id, "name": name, "arguments": arguments},
            ]
            yield self._entry(self._reply(content, "toolUse"))
            answer = {"role": "toolResult", "toolCallId": id, "toolName": name, "content": [self._text(result)]}
            yield self._entry({**answer, "isError": failed})
        yield self._entry(self._reply([self._text(f"Done: {self._said()}")], "stop"))

    def _entry(self, message: dict[str, Any]) -> dict[str, Any]:
        self.entries += 1
        self.time_ms += STEP_MS
        parent = f"{self.entries - 1:08x}" if self.entries > 1 else None
        entry = {
            "type": "message",
            "id": f"{self.entries:08x}",
            "parentId": parent,
            "timestamp": _time(self.time_ms),
        }
        return {**entry, "message": {**message, "timestamp": self.time_ms}}

    def _reply(self, content: list[dict[str, Any]], reason: str) -> dict[str, Any]:
        made = {"api": "scripted", "provider": "scripted", "model": "scripted-1", "stopReason": reason}
        return {"role": "assistant", "content": content, **made}

    def _call(self) -> tuple[str, dict[str, Any], str, bool]:
        """Name, arguments, result, and whether it is an error."""
        name = self.chance.choices([one for one, _ in CALLS], [weight for _, weight in CALLS])[0]
        path = self.chance.choice(self.opened_files or self.files) if self.chance.random() < 0.6 else self._file()
        size = min(MOST_RESULT_CHARACTERS, self.chance.lognormvariate(0, RESULT_SPREAD) * RESULT_CHARACTERS)
        if name == "edit":
            old, new = self._line(), self._line()
            return name, {"path": path, "oldText": old, "newText": new}, f"Replaced text in {path}.", False
        if name == "bash":
            failed = self.chance.random() < ERROR_SHARE * 100 / 25
            error = f"E{self.chance.randrange(9000)}: {path} line {self.chance.randrange(400)}"
            done = error if failed else "5 passed"
            return name, {"command": f"pytest {path}"}, f"{self._lines(size / 4)}\n{done}", failed
        if name == "grep":
            return name, {"pattern": self._name(), "path": "src"}, self._lines(size / 2), False
        return name, {"path": path}, self._lines(size), False

    def _file(self) -> str:
        path = self.chance.choice(self.files)
        if path not in self.opened_files:
            self.opened_files.append(path)
        return path

    def _request(self) -> str:
        rule = f"Never change {self.chance.choice(self.files)}." if self.chance.random() < 0.3 else ""
        return f"Goal: make `{self._file()}` right for what `{self._name()}` gives. {rule}".strip()

    def _said(self) -> str:
        path = self.chance.choice(self.opened_files or self.files)
        if self.chance.random() < 0.15:
            return f"I decided to keep `{self._name()}` in {path}, because {self._words(9)}."
        return f"I look at {path}: {self._words(12)}."

    def _lines(self, size: float) -> str:
        out: list[str] = []
        length = 0
        while length < size:
            out.append(self._line())
            length += len(out[-1]) + 1
        return "\n".join(out)

    def _line(self) -> str:
        return f"    {self._name()} = {self._words(self.chance.randrange(3, 11)).replace(' ', '_')}"

    def _name(self) -> str:
        return f"name_{self.chance.randrange(99)}"

    def _words(self, count: int) -> str:
        return " ".join(self.chance.choices(WORDS, k=count))

    def _text(self, text: str) -> dict[str, Any]:
        return {"type": "text", "text": text}


def _time(at: int) -> str:
    """Of milliseconds."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
