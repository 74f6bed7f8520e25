"""Plays ctxmgr's side of a transcript: bytes of a host in, ctxmgr's bytes out. No process, no clock.

1. The host's requests and notifications must be those of the transcript, in its order: kind, method, and params as
   values. Other params are a fault, and the conversation goes on as recorded. Another method, or kind, ends it:
   each request from there on is refused, so that the host does not wait for ever.
2. A host may answer ctxmgr's requests later than the transcript has it, but the next recorded answer waits. What
   it answers to a request that was taken back is not looked at.
3. Ids, and the names of sessions, are the host's: the first that stands for a recorded one is used from then on.
   `clientInfo` and `stateDir` are its own; what else is comes from the transcript's header and from the caller.
4. `initialized` may be said or not. After the last line `session_shutdown`, `shutdown` and `exit` are taken.
5. What is said is what is recorded, byte for byte but for those ids and names, in the host's framing.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.study.conformance.golden import NOTHING, Golden, GoldenDifference, Head, Path, difference, head, path_of
from ctxmgr.study.spawning import differences
from ctxmgr.wire import Framer, FramingFault, TranscriptLine, errors, frame

OWN = tuple(map(path_of, ("$.id", "$.jsonrpc", "$.params.clientInfo", "$.params.stateDir")))
FAREWELLS = ("session_shutdown", "shutdown", "exit", "initialized")
OUT_OF_STEP = "this is not what the transcript says"

_encode = msgspec.json.Encoder().encode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class GoldenServer:
    """`matched_lines` lines of the host were as recorded or differ in their params. `ended`: the host said
    `exit`, or its output ended."""

    def __init__(self, golden: Golden, chosen: Sequence[Path] = ()) -> None:
        self.golden = golden
        self.chosen = (*OWN, *golden.chosen, *chosen)
        self.findings: list[GoldenDifference] = []
        self.matched_lines = 0
        self.ended = False
        self._line_index = 0
        self._astray = False  # out of step: all is refused
        self._framer = Framer()
        self._calls: deque[tuple[Head, bytes]] = deque()
        self._responses: dict[str, deque[Head]] = defaultdict(deque)
        self._asked: set[str] = set()  # ids of the requests that were sent
        self._ids: dict[str, Any] = {}  # recorded id of a request: the host's
        self._sessions: dict[str, Any] = {}  # recorded name: the host's

    @property
    def host_lines(self) -> int:
        return sum(line.sender == "host" for line in self.golden.lines)

    @property
    def waiting(self) -> TranscriptLine | None:
        """The line of the host that has not come yet."""
        rest = self.golden.lines[self._line_index :]
        return None if self._astray else next((line for line in rest if line.sender == "host"), None)

    def feed(self, chunk: bytes) -> bytes:
        """What is said to this; b"" is the end of the host's output."""
        for item in self._framer.feed(chunk) if chunk else self._framer.eof():
            self._take(item)
        bodies = self._advance()
        self.ended = self.ended or not chunk
        mode = self._framer.mode
        return b"".join(part for body in bodies for part in frame(mode, [body]))

    def finish(self, why: str) -> list[GoldenDifference]:
        """All findings; with the line that has not come, `why` it will not."""
        if (line := self.waiting) is not None:
            one = head(line.body)
            self.findings.append(GoldenDifference(line.number, one.what, "$", one.what, why))
            self._astray = True
        return self.findings

    def _take(self, item: bytes | FramingFault) -> None:
        if isinstance(item, FramingFault):
            self._stray("what is no message", item.message)
            return
        one = head(item)
        if not one.method and one.id in self._asked:
            self._responses[one.id].append(one)
        else:
            self._calls.append((one, item))

    def _advance(self) -> list[bytes]:
        out: list[bytes] = []
        while not self._astray and self._line_index < len(self.golden.lines):
            line = self.golden.lines[self._line_index]
            if line.sender == "ctxmgr" and line.kind == "message":
                out.append(self._said(line))
            elif line.sender == "host" and line.kind in ("message", "broken") and not self._heard(line):
                break
            self._line_index += 0 if self._astray else 1
        if self._astray or self._line_index >= len(self.golden.lines):
            out += [answer for call in self._calls for answer in self._after(call[0])]
            self._calls.clear()
        return out

    # the host's lines

    def _heard(self, line: TranscriptLine) -> bool:
        """Whether the line has come, as it should or not."""
        recorded = head(line.body)
        if not recorded.method and recorded.id in self._asked:
            if not self._responses[recorded.id]:
                return False
            self._held(line, recorded, self._responses[recorded.id].popleft())
            return True
        while self._calls and self._calls[0][0].method == "initialized" != recorded.method:
            self._calls.popleft()
        if not self._calls:
            return False
        came, body = self._calls[0]
        if recorded.fields is None or came.fields is None:
            same = line.body == body
        else:
            same = (recorded.method, bool(recorded.id)) == (came.method, bool(came.id))
        if not same:
            self._stray(came.what, came.what)
            return True
        self._calls.popleft()
        self._held(line, recorded, came)
        return True

    def _held(self, line: TranscriptLine, recorded: Head, came: Head) -> None:
        self.matched_lines += 1
        self.ended = self.ended or came.method == "exit"
        if recorded.id and came.id and recorded.method:
            self._ids[recorded.id] = came.fields["id"]
        if recorded.fields is None:
            return
        found = difference(self._as_host(recorded, came), came.fields, self.chosen)
        if found is not None:
            self.findings.append(GoldenDifference.at(line.number, recorded.what, found))

    def _as_host(self, recorded: Head, came: Head) -> Any:
        """The recorded message with the host's names in it."""
        fields = recorded.fields
        params = fields.get("params") if isinstance(fields, dict) else None
        if not isinstance(params, dict):
            return fields
        if recorded.method == "$/cancelRequest":
            id = head(_encode({"id": params.get("id")})).id
            return {**fields, "params": {**params, "id": self._ids.get(id, params.get("id"))}}
        session = params.get("sessionId")
        if isinstance(session, str):
            theirs = came.fields.get("params")
            if recorded.method == "session_start" and isinstance(theirs, dict) and "sessionId" in theirs:
                self._sessions.setdefault(session, theirs["sessionId"])
            return {**fields, "params": {**params, "sessionId": self._sessions.get(session, session)}}
        return fields

    def _stray(self, what: str, came: str) -> None:
        line = self.waiting
        if not self._astray:
            expected = head(line.body).what if line else NOTHING
            self.findings.append(GoldenDifference(line.number if line else 0, what, "$", expected, came))
        self._astray = True

    def _after(self, call: Head) -> list[bytes]:
        """The answer to what comes when the transcript has ended, or the host is out of step."""
        if call.method not in FAREWELLS and not self._astray:
            self.findings.append(GoldenDifference(0, call.what, "$", NOTHING, differences.rendered(call.fields)))
        self.ended = self.ended or call.method == "exit"
        if not call.id or not call.method:
            return []
        if call.method in FAREWELLS:
            return [_encode({"jsonrpc": "2.0", "id": call.fields["id"], "result": None})]
        error = {"code": errors.REQUEST_FAILED, "message": OUT_OF_STEP}
        return [_encode({"jsonrpc": "2.0", "id": call.fields["id"], "error": error})]

    # ctxmgr's lines

    def _said(self, line: TranscriptLine) -> bytes:
        """As recorded, with the host's ids and names where they are others."""
        recorded, body = head(line.body), line.body
        if recorded.method and recorded.id:
            self._asked.add(recorded.id)
        named = any(mine != theirs for mine, theirs in self._sessions.items())
        new_id = self._ids.get(recorded.id, ...) if not recorded.method else ...
        own_id = recorded.fields.get("id")
        if (new_id is ... or (new_id == own_id and type(new_id) is type(own_id))) and not named:
            return body
        fields: dict[str, Any] = dict(_members(body))
        if new_id is not ...:
            fields["id"] = new_id
        if "params" in fields:
            fields["params"] = self._renamed(fields["params"])
        if isinstance(recorded.fields.get("result"), dict) and "commands" in recorded.fields["result"]:
            result: dict[str, Any] = dict(_members(fields["result"]))
            commands = msgspec.json.decode(result["commands"], type=list[dict[str, msgspec.Raw]])
            result["commands"] = [{**one, "params": self._renamed(one["params"])} for one in commands]
            fields["result"] = result
        return _encode(fields)

    def _renamed(self, params: msgspec.Raw) -> Any:
        members = _members(params)
        if "sessionId" not in members:
            return params
        session = msgspec.json.decode(members["sessionId"])
        return {**members, "sessionId": self._sessions.get(session, session)}
