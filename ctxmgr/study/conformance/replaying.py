"""Feeds the host's lines of a transcript to a fresh connection, and compares its output with the recorded one.

1. Answers are compared by id, requests and notifications in order, all byte for byte; `$/progress` is not compared,
   nor is the version in `initialize`'s answer.
2. A vocabulary is available when the transcript says so, a session is restored from the lines in it, and the
   archive answers as recorded.
3. Deadlines pass, and endpoints answer, where the transcript says so.
4. A transcript of unsupported rules is refused, but can be recorded again.
5. Recorded work finishes no sooner than its answer in the transcript, so that a cancel, or an event in the
   meantime, meets the session in the same state.
"""

import contextlib
from collections import Counter
from typing import Any

import msgspec

from ctxmgr.devices import tokens
from ctxmgr.known_models import Registry
from ctxmgr.model import ESTIMATE, ArchiveAnswer
from ctxmgr.model.compaction import Completion
from ctxmgr.model.saved import Stored
from ctxmgr.server import FindRows, GetRow, PutRows, SnapshotLoaded
from ctxmgr.study.conformance.conversation import Conversation
from ctxmgr.study.conformance.golden import (
    NOTHING,
    Difference,
    Golden,
    GoldenDifference,
    head,
    read,
    text_difference,
)
from ctxmgr.study.recordings import UnreadableRecording
from ctxmgr.study.spawning import Driver, TimedOut
from ctxmgr.wire import TranscriptLine

VERSION_PATH = "$.result.serverInfo.version"
PREPARED = b'{"from":"ctxmgr","prepared":'


class ReplayedTranscript(msgspec.Struct, frozen=True):
    """`compared_count`: messages of ctxmgr. `text`: the transcript as it would be recorded now."""

    findings: tuple[GoldenDifference, ...]
    host_lines: int
    compared_count: int
    text: bytes


def replay(name: str, content: bytes, rewrite: bool = False, models: Registry | None = None) -> ReplayedTranscript:
    """Raises UnreadableRecording for a broken transcript, for unsupported rules (rule 4), or for a vocabulary that
    is not available.

    `rewrite`: the transcript is to be recorded again, from its host lines; nothing is compared. `models`: what is
    known of models, if not the shipped data.
    """
    golden = read(name, content, rewrite)
    sidecar = _Recorded(golden, rewrite, models)
    talk = Conversation(sidecar, golden.framing, 0, lambda message: message.queue)
    findings: list[GoldenDifference] = []
    for index, line in enumerate(golden.lines):
        sidecar.line_index = index
        if line.sender == "host" and line.kind in ("message", "broken"):
            talk.send(line.body)
        elif line.sender == "ctxmgr" and line.kind == "message":
            findings += [] if rewrite else _differences(line, talk)
        else:
            sidecar.bring_about(line)
    with contextlib.suppress(TimedOut):  # nothing more comes
        talk.read_to_end()
    if not rewrite:
        findings += [GoldenDifference(0, left.what, "$", NOTHING, left.what) for _, left in talk.left()]
    compared = sum(line.sender == "ctxmgr" and line.kind == "message" for line in golden.lines)
    hosts = sum(line.sender == "host" for line in golden.lines)
    return ReplayedTranscript(tuple(findings), hosts, compared, b"".join(line + b"\n" for line in sidecar.recorded))


def _differences(line: TranscriptLine, talk: Conversation) -> list[GoldenDifference]:
    """Rule 1, for one line."""
    recorded = head(line.body)
    if (queue := recorded.queue) is None:
        return []
    try:
        differing = text_difference(line.body, talk.take(queue)[1])
    except TimedOut:
        differing = Difference("$", recorded.what, NOTHING)
    if differing is None or differing.path == VERSION_PATH:
        return []
    return [GoldenDifference.of(line.number, recorded.what, differing)]


class _Recorded(Driver):
    """A connection whose devices answer as in the transcript. `line_index`: the current line."""

    def __init__(self, golden: Golden, rewrite: bool, models: Registry | None) -> None:
        self.golden, self.rewrite, self.line_index = golden, rewrite, 0
        name = str(golden.header.get("tokenizer") or ESTIMATE)
        weighers = {name: self._weigher(name)} if name != ESTIMATE else {}
        is_answered = any(line.sender == "ctxmgr" and line.kind == "message" for line in golden.lines)
        self._archive_calls: Counter[tuple[str, bool]] = Counter()  # so far, by session and kind
        self._prepared_count = 0
        super().__init__(framing=golden.framing, weighers=weighers, hold=is_answered and not rewrite, models=models)

    def bring_about(self, line: TranscriptLine) -> None:
        """Carries out a line that is no message (rules 2, 3 and 5)."""
        fields = line.fields
        if line.kind == "weigher":
            name, lost = fields["weigher"], fields["lost"]
            self.use_weigher(name, None if lost else self._weigher(name), lost)
        elif line.kind == "woke":
            self.wake(fields["ticket"])
        elif line.kind == "completed":
            while fields["ticket"] not in self.completions:  # the job that requests it may still have work to do
                if not self.work():
                    where = f"{self.golden.name}, line {line.number}"
                    raise UnreadableRecording(f"{where}: no request for this completion")
            self.complete(fields["ticket"], msgspec.convert(fields["completion"], Completion))
        elif line.kind == "stored":
            self.stored(fields["session"], msgspec.convert(fields["as"], Stored))
        elif line.kind == "prepared":
            self._prepared_count += 1
            while sum(text.startswith(PREPARED) for text in self.recorded) < self._prepared_count and self.work():
                pass

    def _weigher(self, name: str) -> Any:
        loaded = tokens.load(name)
        if loaded.weigher.name != name:
            why = f"was recorded with {name}, which is not available: {loaded.note}"
            raise UnreadableRecording(f"{self.golden.name} {why}")
        return loaded.weigher

    def archive(self, effect: PutRows | GetRow | FindRows) -> ArchiveAnswer:
        """The recorded answer: for the nth time that a session put or requested something. A transcript that is
        recorded again first looks at what was put this time, since handles and texts may have changed.
        """
        session, is_put = effect.session_id, isinstance(effect, PutRows)
        number = self._archive_calls[session, is_put]
        self._archive_calls[session, is_put] += 1
        now = super().archive(effect)
        if self.rewrite and (now.row is not None or now.hits or is_put):
            return now
        of_session = (
            line for line in self.golden.lines if line.kind == "archive" and line.fields["session"] == session
        )
        answers = [line.fields["answer"] for line in of_session if bool(line.fields["put"]) == is_put]
        return msgspec.convert(answers[number], ArchiveAnswer) if number < len(answers) else now

    def open(self, session_id: str) -> SnapshotLoaded:
        """From the lines that follow, up to the session's next start (rule 2)."""
        saved = tuple(self.saved.get(session_id, ()))
        if self.rewrite and saved:
            return SnapshotLoaded(saved)
        for line in self.golden.lines[self.line_index + 1 :]:
            if line.kind == "restored" and line.fields["session"] == session_id:
                stored = msgspec.convert(line.fields["as"], Stored | None)
                lines = tuple(map(bytes, line.fields["lines"]))
                return SnapshotLoaded(lines, line.fields["fault"], bool(line.fields["refused"]), stored)
            message = head(line.body)
            if message.method == "session_start" and message.member("params", "sessionId") == session_id:
                break
        return SnapshotLoaded()
