"""Feeds the host's lines of a transcript to a fresh connection, and compares what it says with what was recorded.

1. Answers are compared by their id, requests and notifications in their order, all byte for byte; `$/progress`
   is not compared, nor is the version that `initialize` answers.
2. A vocabulary is there when the transcript says so, a session is restored from the lines it holds, and the archive
   answers what it answered then.
3. Deadlines pass, and endpoints answer, where the transcript says so.
4. A transcript of rules that are not replayed here is refused; it can be made anew all the same.
5. Work that took its time when recorded is finished no sooner than its answer stands in the transcript, so that
   a cancel, or an event that came meanwhile, meets the session as it did then.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr import __version__
from ctxmgr.devices import tokens
from ctxmgr.known_models import Registry
from ctxmgr.model import ESTIMATE, ArchiveAnswer, rules
from ctxmgr.model.compaction import Completion
from ctxmgr.model.saved import Stored
from ctxmgr.server import FindRows, GetRow, PutRows, SnapshotLoaded
from ctxmgr.study.recordings import UnreadableRecording
from ctxmgr.study.spawning import Driver, Framing, differences
from ctxmgr.wire import TranscriptLine, errors, transcript

VERSION_PATH = "$.result.serverInfo.version"
NOTHING = "nothing"
PREPARED = b'{"from":"ctxmgr","prepared":'


class TranscriptDifference(msgspec.Struct, frozen=True):
    """One difference: `line_number` of the transcript (0: at its end), `what` was said there, and where it
    differs."""

    line_number: int
    what: str
    difference: differences.Difference


class ReplayedTranscript(msgspec.Struct, frozen=True):
    """`compared_count` messages of ctxmgr; `text` is the transcript as it would be recorded now."""

    findings: tuple[TranscriptDifference, ...]
    host_lines: int
    compared_count: int
    text: bytes


class _Head(msgspec.Struct):
    """What a message is told apart by. Any JSON value may stand for an id."""

    jsonrpc: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")
    method: Any = ""
    params: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"")


class _SessionOf(msgspec.Struct):
    sessionId: Any = None


def replay(name: str, content: bytes, rewrite: bool = False, models: Registry | None = None) -> ReplayedTranscript:
    """Raises UnreadableRecording for a broken transcript, for rules that are not replayed here (rule 4), or for a
    vocabulary that can not be had here.

    `rewrite`: the transcript is to be made anew, from its host lines; nothing is compared. `models`: what is known
    of them, where that is not what is shipped.
    """
    try:
        lines = list(transcript.read(content))
    except ValueError as fault:
        raise UnreadableRecording(f"{name}, {fault}") from None
    if any(line.kind == "header" and "match" in line.fields for line in lines):
        raise UnreadableRecording(f"{name} is a script of a host, which `ctxmgr drive` plays")
    if not rewrite and (why := rules.refusal(_header(lines), __version__)) is not None:
        raise UnreadableRecording(f"{name}: {why}")
    run = _Run(name, lines, rewrite, models)
    run.all()
    said = [line for line in lines if line.sender == "ctxmgr" and line.kind == "message"]
    findings = () if rewrite else tuple(_compare(said, run.driver.sent))
    hosts = sum(line.sender == "host" for line in lines)
    return ReplayedTranscript(findings, hosts, len(said), b"".join(line + b"\n" for line in run.driver.recorded))


class _Run:
    """One replay: the lines, and the connection they are fed to."""

    def __init__(self, name: str, lines: Sequence[TranscriptLine], rewrite: bool, models: Registry | None) -> None:
        self.name, self.lines, self.rewrite = name, lines, rewrite
        there = str(_header(lines).get("tokenizer") or ESTIMATE)
        weighers = {there: self._weigher(there)} if there != ESTIMATE else {}
        hold = not rewrite and _answered(lines)
        self.driver = Driver(framing=_framing(lines), weighers=weighers, hold=hold, models=models)
        self.driver.open = self._open  # type: ignore[method-assign]
        self._remember, self.driver.archive = self.driver.archive, self._archive  # type: ignore[method-assign]
        self._asked: Counter[tuple[str, bool]] = Counter()  # answers of the archive so far, by session and kind
        self.line_index = 0
        self._answered: set[bytes] = set()  # ids of what was said so far
        self._answered_count = 0
        self._prepared = 0  # lines of that kind so far

    def all(self) -> None:
        for at, line in enumerate(self.lines):
            self.line_index = at
            if line.sender == "host" and line.kind in ("message", "broken"):
                self.driver.receive(line.body)
            elif line.kind == "weigher":
                name, lost = line.fields["weigher"], line.fields["lost"]
                self.driver.use_weigher(name, None if lost else self._weigher(name), lost)
            elif line.kind == "woke":
                self.driver.wake(line.fields["ticket"])
            elif line.kind == "completed":
                self._complete(line)
            elif line.kind == "stored":
                self.driver.stored(line.fields["session"], msgspec.convert(line.fields["as"], Stored))
            elif line.kind == "prepared":
                self._work_until_prepared()
            elif line.kind == "message" and line.sender == "ctxmgr":
                self._work_until(line)
        while self.driver.work():
            pass

    def _work_until(self, line: TranscriptLine) -> None:
        """Rule 5. What was said already needs no work; a cancelled call is answered without it."""
        id = bytes(_head(line.body).id)
        if not id:
            return
        while True:
            said = self.driver.sent
            self._answered.update(bytes(_head(body).id) for body in said[self._answered_count :])
            self._answered_count = len(said)
            if id in self._answered or not self.driver.work():
                return

    def _work_until_prepared(self) -> None:
        """Rule 5, for what the host is not told at once."""
        self._prepared += 1
        while sum(one.startswith(PREPARED) for one in self.driver.recorded) < self._prepared:
            if not self.driver.work():
                return

    def _complete(self, line: TranscriptLine) -> None:
        """What an endpoint answered then; the job that asks for it may still have work to do."""
        ticket = line.fields["ticket"]
        while ticket not in self.driver.completions:
            if not self.driver.work():
                raise UnreadableRecording(f"{self.name}, line {line.number}: nothing asked for this completion")
        self.driver.complete(ticket, msgspec.convert(line.fields["completion"], Completion))

    def _weigher(self, name: str) -> Any:
        loaded = tokens.load(name)
        if loaded.weigher.name != name:
            raise UnreadableRecording(
                f"{self.name} was recorded with {name}, which is not to be had: {loaded.note}"
            )
        return loaded.weigher

    def _archive(self, effect: PutRows | GetRow | FindRows) -> ArchiveAnswer:
        """What it answered then: the nth time that a session put something, or asked for something. A transcript
        made anew asks what was put this time first, since handles and texts may be others by now."""
        session, is_put = effect.session_id, isinstance(effect, PutRows)
        number = self._asked[session, is_put]
        self._asked[session, is_put] += 1
        now = self._remember(effect)
        if self.rewrite and (now.row is not None or now.hits or is_put):
            return now
        lines = (line for line in self.lines if line.kind == "archive" and line.fields["session"] == session)
        said = [line for line in lines if bool(line.fields["put"]) == is_put]
        return msgspec.convert(said[number].fields["answer"], ArchiveAnswer) if number < len(said) else now

    def _open(self, session_id: str) -> SnapshotLoaded:
        """From the lines that follow, up to the session's next start (rule 2)."""
        saved = tuple(self.driver.saved.get(session_id, ()))
        if self.rewrite and saved:
            return SnapshotLoaded(saved)
        for line in self.lines[self.line_index + 1 :]:
            if line.kind == "restored" and line.fields["session"] == session_id:
                lines = tuple(bytes(one) for one in line.fields["lines"])
                stored = msgspec.convert(line.fields["as"], Stored | None)
                return SnapshotLoaded(lines, line.fields["fault"], line.fields["refused"], stored)
            if line.sender == "host" and _starts(line, session_id):
                break
        return SnapshotLoaded()


def _header(lines: Sequence[TranscriptLine]) -> dict[str, Any]:
    return next((line.fields for line in lines if line.kind == "header"), {})


def _starts(line: TranscriptLine, session_id: str) -> bool:
    head = _head(line.body)
    if head.method != "session_start":
        return False
    try:
        return bool(msgspec.json.decode(head.params, type=_SessionOf).sessionId == session_id)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _answered(lines: Sequence[TranscriptLine]) -> bool:
    return any(line.sender == "ctxmgr" and line.kind == "message" for line in lines)


def _framing(lines: Sequence[TranscriptLine]) -> Framing:
    """Transcripts do not tell it. A message without `jsonrpc` is taken in lines alone."""
    refused = {bytes(_head(line.body).id) for line in lines if _code(line) == errors.INVALID_REQUEST}
    for line in lines:
        if line.sender == "host" and line.kind == "message":
            head = _head(line.body)
            if not head.jsonrpc and (head.method or head.id) and bytes(head.id) not in refused:
                return "ndjson"
    return "content-length"


def _code(line: TranscriptLine) -> Any:
    if line.sender != "ctxmgr" or line.kind != "message":
        return None
    error = _head(line.body).error
    fields = msgspec.json.decode(error) if error else None
    return fields.get("code") if isinstance(fields, dict) else None


def _head(body: bytes) -> _Head:
    try:
        return msgspec.json.decode(body, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Head()


def _compare(recorded: Sequence[TranscriptLine], now: Sequence[bytes]) -> list[TranscriptDifference]:
    """Rule 1."""
    fresh: dict[bytes, list[bytes]] = defaultdict(list)
    for body in now:
        if (key := _key(body)) is not None:
            fresh[key].append(body)
    findings = []
    for line in recorded:
        key = _key(line.body)
        if key is None:
            continue
        what = _what(line.body)
        if not fresh[key]:
            findings.append(TranscriptDifference(line.number, what, differences.Difference("$", what, NOTHING)))
            continue
        body = fresh[key].pop(0)
        difference = differences.first(line.body, body)
        if difference is not None and difference.path != VERSION_PATH:
            findings.append(TranscriptDifference(line.number, what, difference))
    for left in fresh.values():
        findings += [
            TranscriptDifference(0, _what(body), differences.Difference("$", NOTHING, _what(body))) for body in left
        ]
    return findings


def _key(body: bytes) -> bytes | None:
    """What a message is matched by: an answer by its id, all else in its order; None is not compared."""
    head = _head(body)
    if head.method == "$/progress":
        return None
    return b"said" if head.method else b"answer " + bytes(head.id)


def _what(body: bytes) -> str:
    head = _head(body)
    id = bytes(head.id).decode("utf-8", "replace")[:40]
    if head.method:
        return f"{head.method} {id}".strip()
    return f"the {'error' if head.error else 'answer'} to {id}"
