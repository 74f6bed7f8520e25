"""Plays the host's side of a transcript against a sidecar, and compares its answers with the recorded ones.

1. A host's line is sent when all earlier lines of ctxmgr have come, so the sidecar is in the recorded situation.
2. Answers are compared by id, requests and notifications in order, as values; `$/progress` is not compared.
3. What a sidecar may choose is not compared: serverInfo, capabilities, the wording of errors, the texts and types
   of `rpc.discover`. Ids and bases are its own, so the host sends those in place of the recorded ones.
4. Kept messages are compared byte for byte, since a sidecar returns what it was given. Lists of different lengths
   differ, and so do unreadable ones.
5. At the end a sidecar may withdraw a request by `$/cancelRequest`, and may say nothing else.
6. `initialize` gets its own `stateDir`: two runs never share one, and no recorded path is used.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.study.conformance.conversation import Conversation, NoMessage, OutputEnded, with_state_dir
from ctxmgr.study.conformance.golden import (
    NOTHING,
    Difference,
    Golden,
    GoldenDifference,
    Head,
    difference,
    head,
    path_of,
    text_difference,
    with_members,
)
from ctxmgr.study.spawning import Framing, SidecarProcess, TimedOut
from ctxmgr.wire import TranscriptLine

CHOSEN = tuple(
    map(
        path_of,
        (
            "$.result.serverInfo",  # of `initialize`
            "$.result.info",  # of `rpc.discover`
            "$.id",
            "$.result.capabilities",
            "$.result.base",
            "$.error.message",
            "$.result.components",
            *(f"$.result.methods[*].{name}" for name in ("summary", "description", "params", "result", "errors")),
        ),
    )
)
# where a result contains messages as the host said them
KEPT = (("messages",), ("preparation", "messagesToSummarize"), ("preparation", "turnPrefixMessages"))

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class GoldenHost:
    """One play of one transcript. `compared_count`: messages of the sidecar."""

    def __init__(
        self,
        golden: Golden,
        sidecar: SidecarProcess,
        state_dir: str,
        framing: Framing = "content-length",
        seconds: float = 10,
    ) -> None:
        self.golden, self.state_dir = golden, state_dir
        self.findings: list[GoldenDifference] = []
        self.compared_count = 0
        framing = "ndjson" if golden.framing == "ndjson" else framing
        self._talk = Conversation(sidecar, framing, seconds, lambda message: message.queue)
        self._sent: list[bytes] = []
        self._ids: dict[str, Any] = {}  # recorded id of a request of ctxmgr: the actual one
        self._bases: dict[str, str] = {}

    def play(self) -> list[GoldenDifference]:
        """All findings; the first missing message ends it."""
        talk, seconds = self._talk, f"{self._talk.seconds:g} s"
        line: TranscriptLine | None = None
        try:
            for line in self.golden.lines:
                self._play_line(line)
            line = None
            talk.sidecar.end_input()
            talk.read_to_end()
        except (NoMessage, OutputEnded, TimedOut) as fault:
            what, expected, received = "its end", "after its input was closed", f"not in {seconds}"
            if isinstance(fault, NoMessage):
                what, (expected, received) = "its output", fault.args
            elif line is not None:
                what = expected = head(line.body).what
                received = "its output ended" if isinstance(fault, OutputEnded) else f"nothing in {seconds}"
            self.findings.append(GoldenDifference(line.number if line else 0, what, "$", expected, received))
        for _, message in talk.left():
            if message.method != "$/cancelRequest" or message.id:
                self.findings.append(GoldenDifference(0, message.what, "$", NOTHING, message.what))
        return self.findings

    def _play_line(self, line: TranscriptLine) -> None:
        if line.sender == "host" and line.kind in ("message", "broken"):
            self._sent.append(self._spoken(line))
            self._talk.send(self._sent[-1])
        elif line.sender == "ctxmgr" and line.kind == "message":
            recorded = head(line.body)
            if (key := recorded.queue) is not None:
                self._compare(line, recorded, *self._talk.take(key))

    def _spoken(self, line: TranscriptLine) -> bytes:
        """The host's line, with the sidecar's ids and bases, and a separate state directory."""
        body, message = line.body, head(line.body)
        if line.kind != "message" or not isinstance(message.fields, dict):
            return body
        recorded = message.member("params", "append", "base")
        if isinstance(recorded, str) and self._bases.get(recorded, recorded) != recorded:
            return body.replace(msgspec.json.encode(recorded), msgspec.json.encode(self._bases[recorded]), 1)
        if message.method == "initialize" and isinstance(message.member("params"), dict):
            return with_state_dir(body, self.state_dir)
        if not message.method and message.id in self._ids:
            return with_members(body, id=self._ids[message.id])
        return body

    def _compare(self, line: TranscriptLine, recorded: Head, received: Head, body: bytes) -> None:
        self.compared_count += 1
        if recorded.method and recorded.id and received.id:
            self._ids[recorded.id] = received.fields["id"]
        old, new = (message.member("result", "base") for message in (recorded, received))
        if isinstance(old, str) and isinstance(new, str):
            self._bases[old] = new
        fields = recorded.fields
        if recorded.method == "$/cancelRequest":
            params = fields["params"]
            id = self._ids.get(json.dumps(params["id"]), params["id"])
            fields = {**fields, "params": {**params, "id": id}}
        differing = difference(fields, received.fields, CHOSEN) or kept_difference(line.body, body, self._sent)
        if differing is not None:
            self.findings.append(GoldenDifference.of(line.number, recorded.what, differing))


def kept_difference(recorded: bytes, received: bytes, sent: Sequence[bytes]) -> Difference | None:
    """The first kept message of an answer that came back in other bytes than it was sent in (rule 4)."""
    if recorded == received:
        return None
    for names in KEPT:
        path = ".".join(("$.result", *names))
        try:
            old, new = _listed(recorded, names), _listed(received, names)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            return Difference(path, "what can be read", str(fault))
        if old is None:
            continue
        if new is None or len(new) != len(old):
            shown = NOTHING if new is None else f"{len(new)} messages"
            return Difference(path, f"{len(old)} messages", shown)
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            differing = text_difference(before, after)
            if differing is not None and any(before in body for body in sent):
                return Difference(f"{path}[{index}], {differing.path}", differing.recorded, differing.received)
    return None


def _listed(body: bytes, names: Sequence[str]) -> list[bytes] | None:
    """The raw messages of a list in an answer; None if it has no such list. Raises if it is not JSON."""
    value = msgspec.Raw(body)
    try:
        for name in ("result", *names):
            value = _members(value)[name]
        return [bytes(raw) for raw in _items(value)]
    except (KeyError, msgspec.ValidationError):
        return None
