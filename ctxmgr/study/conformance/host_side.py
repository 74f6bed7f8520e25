"""Plays the host's side of a transcript: bytes of a ctxmgr in, the host's bytes out. No process, no clock.

1. A line of the host is said when all of ctxmgr's that stand before it have come: so the other program meets what
   ctxmgr met when the transcript was recorded.
2. Answers are compared by their id, requests and notifications in their order; `$/progress` is not compared.
3. As values (`conformance`), or `exact`: byte for byte, but for the server's name and version. What the program
   may choose is not compared as values: serverInfo, capabilities, the wording of errors, how `rpc.discover` words
   and types the methods it names; and its ids and bases are its own, so the host says those where the transcript
   says the recorded ones.
4. Kept messages are compared byte for byte either way: a ctxmgr gives back what it was given. Lists of another
   length are no more the same than one that can not be read.
5. At the end a program may take back what it had asked, by `$/cancelRequest`; nothing else is said then.
6. `initialize` gets a `stateDir` of its own: two runs never meet, and a recorded path is nobody else's.
"""

import json
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.study.conformance.golden import NOTHING, Golden, GoldenDifference, Head, difference, head, path_of
from ctxmgr.study.spawning import Framing, differences
from ctxmgr.wire import Framer, FramingFault, TranscriptLine, frame

SERVER = tuple(map(path_of, ("$.result.serverInfo", "$.result.info")))  # of `initialize` and `rpc.discover`
CHOSEN = (
    *SERVER,
    *map(path_of, ("$.id", "$.result.capabilities", "$.result.base", "$.error.message", "$.result.components")),
    *(path_of(f"$.result.methods[*].{name}") for name in ("summary", "description", "params", "result", "errors")),
)
SAID = "said"  # the queue of requests and notifications
# where a result holds messages as the host said them
KEPT = (("messages",), ("preparation", "messagesToSummarize"), ("preparation", "turnPrefixMessages"))

_encode = msgspec.json.Encoder().encode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class GoldenHost:
    """`findings` so far; `done` when the last line was said and all that is recorded has come."""

    def __init__(self, golden: Golden, framing: Framing, exact: bool, state_dir: str) -> None:
        self.golden, self.exact, self.state_dir = golden, exact, state_dir
        self.framing: Framing = "ndjson" if _in_lines_only(golden) else framing
        self.findings: list[GoldenDifference] = []
        self.compared = 0
        self.broken = False  # what comes can not be read any more
        self.closing = False  # the other's input has ended; set by who ends it
        self._line_index = 0
        self._framer = Framer()
        self._received: dict[str, deque[bytes]] = defaultdict(deque)
        self._sent: list[bytes] = []
        self._ids: dict[str, Any] = {}  # recorded id of a request of ctxmgr: the one that came
        self._bases: dict[str, str] = {}

    @property
    def done(self) -> bool:
        return self.broken or self._line_index >= len(self.golden.lines)

    @property
    def waiting(self) -> TranscriptLine | None:
        """The line that has not come yet."""
        return None if self.done else self.golden.lines[self._line_index]

    def begin(self) -> bytes:
        """What the host says first."""
        return self._advance()

    def feed(self, chunk: bytes) -> bytes:
        """What the host says to this; b"" is the end of the other's output."""
        for item in self._framer.feed(chunk) if chunk else self._framer.eof():
            self._take(item)
        return self._advance()

    def finish(self, why: str) -> list[GoldenDifference]:
        """All findings, with what has not come (`why`: nothing more will), and what came and is not recorded."""
        if (line := self.waiting) is not None:
            self.findings.append(
                GoldenDifference(line.number, head(line.body).what, "$", head(line.body).what, why)
            )
        for bodies in self._received.values():
            for body in bodies:
                self.findings.append(GoldenDifference(0, head(body).what, "$", NOTHING, head(body).what))
        self._received.clear()
        return self.findings

    def _take(self, item: bytes | FramingFault) -> None:
        line = self.waiting.number if self.waiting else 0
        if isinstance(item, FramingFault):
            self.broken = True
            self.findings.append(GoldenDifference(line, "its output", "$", "a message", f"none: {item.message}"))
            return
        one = head(item)
        if one.fault:
            self.broken = True
            self.findings.append(GoldenDifference(line, "its output", "$", "a message", one.fault))
            return
        if self._framer.mode not in (self.framing, "ended"):
            self.broken = True
            self.findings.append(GoldenDifference(line, one.what, "$", self.framing, self._framer.mode))
        taken_back = self.closing and one.method == "$/cancelRequest" and not one.id
        if (key := _key(one)) is not None and not taken_back:
            self._received[key].append(item)

    def _advance(self) -> bytes:
        out: list[bytes | memoryview] = []
        while not self.done:
            line = self.golden.lines[self._line_index]
            if line.sender == "host" and line.kind in ("message", "broken"):
                body = self._spoken(line)
                self._sent.append(body)
                out += frame(self.framing, [body])
            elif line.sender == "ctxmgr" and line.kind == "message":
                key = _key(head(line.body))
                if key is not None and not self._received[key]:
                    break
                if key is not None:
                    self._compare(line, self._received[key].popleft())
            self._line_index += 1
        return b"".join(out)

    def _spoken(self, line: TranscriptLine) -> bytes:
        """The host's line, with the other's ids and bases, and a state directory of its own."""
        body, one = line.body, head(line.body)
        if line.kind != "message" or not isinstance(one.fields, dict):
            return body
        append = one.fields["params"].get("append") if _has_params(one) else None
        recorded = append.get("base") if isinstance(append, dict) else None
        if isinstance(recorded, str) and self._bases.get(recorded, recorded) != recorded:
            return body.replace(_encode(recorded), _encode(self._bases[recorded]), 1)
        if one.method == "initialize" and _has_params(one):
            fields = _members(body)
            params = {**_members(fields["params"]), "stateDir": self.state_dir}
            return _encode({**fields, "params": params})
        if not one.method and one.id in self._ids:
            return _encode({**_members(body), "id": self._ids[one.id]})
        return body

    def _compare(self, line: TranscriptLine, body: bytes) -> None:
        self.compared += 1
        recorded, came = head(line.body), head(body)
        self._note_names(recorded, came)
        found = self._exactly(line.body, body, recorded, came) if self.exact else self._values(recorded, came)
        if found is None:
            found = self._kept(line.body, body)
        if found is not None:
            self.findings.append(GoldenDifference.at(line.number, recorded.what, found))

    def _exactly(self, was: bytes, now: bytes, recorded: Head, came: Head) -> differences.Difference | None:
        found = differences.first(was, now)
        if found is None or not found.path.startswith(("$.result.serverInfo", "$.result.info")):
            return found
        return difference(recorded.fields, came.fields, SERVER)

    def _values(self, recorded: Head, came: Head) -> differences.Difference | None:
        fields = recorded.fields
        if recorded.method == "$/cancelRequest":
            params = fields["params"]
            id = json.dumps(params["id"])
            fields = {**fields, "params": {**params, "id": self._ids.get(id, params["id"])}}
        return difference(fields, came.fields, CHOSEN)

    def _note_names(self, recorded: Head, came: Head) -> None:
        """What the other program calls what the transcript names."""
        if recorded.method and recorded.id and came.id:
            self._ids[recorded.id] = came.fields["id"]
        results = [one.fields.get("result") for one in (recorded, came)]
        mine, theirs = (one.get("base") if isinstance(one, dict) else None for one in results)
        if isinstance(mine, str) and isinstance(theirs, str):
            self._bases[mine] = theirs

    def _kept(self, was: bytes, now: bytes) -> differences.Difference | None:
        """Rule 4, of answers that are the same as values."""
        if was == now:
            return None
        for names in KEPT:
            path = ".".join(("$.result", *names))
            try:
                recorded, came = _listed(was, names), _listed(now, names)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
                return differences.Difference(path, "what can be read", str(fault))
            if recorded is None:
                continue
            if came is None or len(came) != len(recorded):
                there = NOTHING if came is None else f"{len(came)} messages"
                return differences.Difference(path, f"{len(recorded)} messages", there)
            for place, (before, after) in enumerate(zip(recorded, came, strict=True)):
                if before != after and any(before in body for body in self._sent):
                    found = differences.first(before, after)
                    assert found is not None
                    return differences.Difference(f"{path}[{place}], {found.path}", found.recorded, found.now)
        return None


def _listed(body: bytes, names: Sequence[str]) -> list[bytes] | None:
    """The raw messages of a list in an answer; None where it holds no such list. Raises where it is no JSON."""
    value = msgspec.Raw(body)
    try:
        for name in ("result", *names):
            value = _members(value)[name]
        return [bytes(one) for one in _items(value)]
    except (KeyError, msgspec.ValidationError):
        return None


def _has_params(one: Head) -> bool:
    return isinstance(one.fields, dict) and isinstance(one.fields.get("params"), dict)


def _key(one: Head) -> str | None:
    """What a message is matched by: an answer by its id, all else in its order; None is not compared."""
    if one.method == "$/progress":
        return None
    return SAID if one.method else f"answer {one.id}"


def _in_lines_only(golden: Golden) -> bool:
    """A call without `jsonrpc` that was taken is taken in lines alone."""
    for line in golden.lines:
        one = head(line.body)
        if line.sender == "host" and one.method and "jsonrpc" not in one.fields:
            return True
    return False
