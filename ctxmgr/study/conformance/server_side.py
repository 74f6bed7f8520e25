"""Plays ctxmgr's side of a transcript: bytes of a host in, ctxmgr's bytes out. No process, no clock.

1. The host's requests and notifications must be those of the transcript, in order: kind, method, and params as
   values. Other params are a fault, and the conversation continues as recorded. Another method or kind ends it:
   each request from there on is refused, so that the host does not wait forever.
2. A host may answer ctxmgr's requests later than in the transcript, but the next recorded answer waits. Its answer
   to a withdrawn request is ignored.
3. Ids, and the names of sessions, are the host's: the first one in place of a recorded one is used from then on.
   `clientInfo` and `stateDir` are its own; the transcript's header names more.
4. `initialized` is optional. After the last line `session_shutdown`, `shutdown` and `exit` are accepted.
5. Output is as recorded, byte for byte except for those ids and names, in the host's framing.
"""

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from ctxmgr.study.conformance.golden import (
    NOTHING,
    Golden,
    GoldenDifference,
    Head,
    difference,
    head,
    path_of,
    rendered,
    with_members,
)
from ctxmgr.wire import Framer, FramingFault, TranscriptLine, errors, frame

OWN = tuple(map(path_of, ("$.id", "$.jsonrpc", "$.params.clientInfo", "$.params.stateDir")))
FAREWELLS = ("session_shutdown", "shutdown", "exit", "initialized")
OUT_OF_STEP = "this is not what the transcript says"

_SESSION = re.compile(rb'("sessionId":\s*)("(?:[^"\\]|\\.)*")')


class GoldenServer:
    """`matched_lines`: lines of the host that were as recorded or differ in their params. `ended`: the host said
    `exit`, or its output ended.
    """

    def __init__(self, golden: Golden) -> None:
        self.golden = golden
        self.chosen = (*OWN, *golden.chosen)
        self.findings: list[GoldenDifference] = []
        self.matched_lines = 0
        self.ended = False
        self._awaited: TranscriptLine | None = None  # the host's missing line
        self._framer = Framer()
        self._calls: deque[tuple[Head, bytes]] = deque()
        self._responses: dict[str, deque[Head]] = {}  # by the id of a request that was sent
        self._ids: dict[str, Any] = {}  # recorded id of a request: the host's
        self._sessions: dict[str, Any] = {}  # recorded name: the host's
        self._out: list[bytes] = []
        self._playing = self._play()
        next(self._playing)

    @property
    def host_lines(self) -> int:
        return sum(line.sender == "host" for line in self.golden.lines)

    def feed(self, chunk: bytes) -> bytes:
        """The answer to this; b"" is the end of the host's output."""
        for item in self._framer.feed(chunk) if chunk else self._framer.eof():
            message = Head(fault=item.message) if isinstance(item, FramingFault) else head(item)
            if not message.method and message.id in self._responses:
                self._responses[message.id].append(message)
            else:
                self._calls.append((message, b"" if isinstance(item, FramingFault) else item))
        next(self._playing)
        self.ended = self.ended or not chunk
        bodies, self._out = self._out, []
        return b"".join(part for body in bodies for part in frame(self._framer.mode, [body]))

    def finish(self, why: str) -> list[GoldenDifference]:
        """All findings, including the missing line and `why` it will not come."""
        if (line := self._awaited) is not None:
            what, self._awaited = head(line.body).what, None
            self.findings.append(GoldenDifference(line.number, what, "$", what, why))
        return self.findings

    def _play(self) -> Iterator[None]:
        """Plays the lines; each step needs more from the host."""
        in_step = True
        for line in self.golden.lines:
            if line.sender == "ctxmgr" and line.kind == "message":
                self._out.append(self._spoken(line))
            elif line.sender == "host" and line.kind in ("message", "broken"):
                self._awaited, recorded = line, head(line.body)
                while (received := self._received(recorded)) is None:
                    yield
                in_step = self._hold(line, recorded, *received)
                if not in_step:
                    break
        self._awaited = None
        while True:
            while self._calls:
                self._answer_after(self._calls.popleft()[0], in_step)
            yield

    # the host's lines

    def _received(self, recorded: Head) -> tuple[Head, bytes] | None:
        """What is received in place of this line; None while there is nothing."""
        if not recorded.method and recorded.id in self._responses:
            answers = self._responses[recorded.id]
            return (answers.popleft(), b"") if answers else None
        while self._calls and self._calls[0][0].method == "initialized" != recorded.method:
            self._calls.popleft()
        return self._calls[0] if self._calls else None

    def _hold(self, line: TranscriptLine, recorded: Head, received: Head, body: bytes) -> bool:
        """Compares. Returns whether the host is still in step. A call that is out of step is kept for refusal."""
        if self._calls and received is self._calls[0][0]:
            same = (recorded.method, bool(recorded.id)) == (received.method, bool(received.id))
            if not (line.body == body if None in (recorded.fields, received.fields) else same):
                text = received.fault or received.what
                self.findings.append(GoldenDifference(line.number, received.what, "$", recorded.what, text))
                return False
            self._calls.popleft()
        self.matched_lines += 1
        self.ended = self.ended or received.method == "exit"
        if recorded.id and received.id and recorded.method:
            self._ids[recorded.id] = received.fields["id"]
        if recorded.fields is not None:
            differing = difference(self._as_host(line.body, recorded, received), received.fields, self.chosen)
            self.findings += [GoldenDifference.of(line.number, recorded.what, differing)] if differing else []
        return True

    def _as_host(self, body: bytes, recorded: Head, received: Head) -> Any:
        """The recorded message with the host's names."""
        session, theirs = (message.member("params", "sessionId") for message in (recorded, received))
        if recorded.method == "session_start" and isinstance(session, str) and theirs is not None:
            self._sessions.setdefault(session, theirs)
        if recorded.method == "$/cancelRequest":
            id = recorded.member("params", "id")
            return {**recorded.fields, "params": {"id": self._ids.get(json.dumps(id), id)}}
        return head(self._renamed(body)).fields

    def _answer_after(self, call: Head, in_step: bool) -> None:
        """What follows when the transcript has ended, or the host is out of step."""
        if in_step and call.method not in FAREWELLS:
            self.findings.append(GoldenDifference(0, call.what, "$", NOTHING, rendered(call.fields)))
        self.ended = self.ended or call.method == "exit"
        if call.id and call.method:
            error = {"code": errors.REQUEST_FAILED, "message": OUT_OF_STEP}
            outcome = {"result": None} if call.method in FAREWELLS else {"error": error}
            self._out.append(msgspec.json.encode({"jsonrpc": "2.0", "id": call.fields["id"], **outcome}))

    # ctxmgr's lines

    def _spoken(self, line: TranscriptLine) -> bytes:
        """As recorded, with the host's ids and names where they differ."""
        recorded, body = head(line.body), self._renamed(line.body)
        if recorded.method and recorded.id:
            self._responses[recorded.id] = deque()
        elif not recorded.method and recorded.id in self._ids:
            return with_members(body, id=self._ids[recorded.id])
        return body

    def _renamed(self, body: bytes) -> bytes:
        """With the host's names of sessions."""

        def named(match: re.Match[bytes]) -> bytes:
            session = msgspec.json.decode(match[2])
            return match[1] + msgspec.json.encode(self._sessions.get(session, session))

        return _SESSION.sub(named, body)
