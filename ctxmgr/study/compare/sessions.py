"""Turns a recording's file into a session tree (the original entries, and the leaf of the last branch), and that
into what its rows need: the path, the plan, and the tokens of each message.

Rules:
1. A pi session file or an export is already the tree, with details and edits as its host stored them.
2. A stream of pi events gives the tree in its last compaction event; without one, the list of the last call.
3. Another host's recording gives the tree that pi would have stored.
4. Entries of the oldest format have no ids: they are taken as a sequence, and get numbers.
5. Everything that rows need is computed once, on first use. A recording whose rows all exist is not even cut.
"""

import os
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path

import msgspec

from ctxmgr.engine.compaction import prepare, weighing
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model import Weigh, WeighMessage, media
from ctxmgr.model.compaction import (
    BranchEntry,
    BranchMessage,
    CompactionPlan,
    Format,
    NothingToCompact,
    Strategy,
    in_list,
    places_in_list,
    uses_model,
)
from ctxmgr.plain_text import complain
from ctxmgr.study.compare.settings import SUMMARISER_WINDOW, Settings
from ctxmgr.study.recordings import Stream, UnreadableRecording, json_values, pi_host, pi_sessions, readers
from ctxmgr.summarize import SummaryInput

Fields = dict[str, msgspec.Raw]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_raws = msgspec.json.Decoder(list[msgspec.Raw]).decode


class RecordedSession(msgspec.Struct, frozen=True):
    """`entries`: one JSON object each, in the host's order, all with ids. `leaf` None: the last entry.

    `digest`: SHA-256 of the file's content, hexadecimal. `model`: id of the recorded model, "" for a stream of
    events.
    """

    name: str
    digest: str
    entries: tuple[bytes, ...]
    leaf: str | None = None
    model: str = ""


def read(path: Path) -> RecordedSession:
    """Raises UnreadableRecording, with the line number if there is one. Its text names the file without a
    folder.
    """
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise UnreadableRecording(f"{path.name}: {fault.strerror}") from None
    source = readers.source(path)
    kind = readers.kind(source).name
    if kind == "transcript":
        raise UnreadableRecording(f"{path.name} is a transcript; compare wants a recorded session of a host")
    if source.warning:
        complain("compare", source.warning, 0)
    recorded = readers.read(source)
    if isinstance(recorded, Stream):
        entries, leaf = _of_stream(recorded), None
    elif kind != "session":
        entries, leaf = [json_values.members(raw, path.name, 0) for raw in pi_host.tree_entries(recorded)], None
    else:
        entries, leaf = pi_sessions.tree(path.name, source.content)
    name = os.fsencode(path.name).decode("utf-8", "replace")
    return RecordedSession(
        name,
        sha256(content).hexdigest(),
        tuple(map(_encode, pi_sessions.numbered(entries))),
        leaf,
        "" if isinstance(recorded, Stream) else recorded.model,
    )


def _of_stream(stream: Stream) -> list[Fields]:
    """Rule 2."""
    for event in reversed(stream.events):
        if event.name == "session_before_compact" and event.payload.get("branchEntries", b"null") != b"null":
            raws = _raws(event.payload["branchEntries"])
            return [json_values.members(bytes(raw), stream.name, event.line_number) for raw in raws]
    for event in reversed(stream.events):
        if event.name == "context":
            raws = _raws(event.payload["messages"])
            return [_entry(raw, json_values.members(bytes(raw), stream.name, event.line_number)) for raw in raws]
    raise UnreadableRecording(f"{stream.name}: no event holds messages")


def _entry(raw: msgspec.Raw, message: Fields) -> Fields:
    """Wraps a message of a list in an entry."""
    if _decode(message.get("role", b"null")) == "compactionSummary":
        kept: tuple[str, ...] = ("summary", "timestamp")
        return {"type": msgspec.Raw(b'"compaction"'), **{name: message[name] for name in kept if name in message}}
    return {"type": msgspec.Raw(b'"message"'), "message": raw}


def uncovered(path: Sequence[BranchEntry], preparation: CompactionPlan) -> tuple[int, ...]:
    """Indices in the path, ascending, of entries in the model's list that a compaction would lose.

    Must be empty. An entry is covered if all its messages are in the history, in the turn prefix or in the kept
    part. The previous compaction is covered if the plan carries on its summary.
    """
    kept = (*preparation.history, *preparation.prefix, *preparation.recent)
    covered = {id(message) for message in kept}
    lost = []
    for index, entry in zip(places_in_list(path), in_list(path), strict=True):
        if entry.kind == "compaction":
            if entry.messages and preparation.previous != entry.summary:
                lost.append(index)
        elif any(id(message) not in covered and not message.system for message in entry.messages):
            lost.append(index)
    return tuple(sorted(lost))


class Material:
    """One recording, prepared on demand for its rows (rule 5). `weigher`: the name of the vocabulary."""

    def __init__(self, session: RecordedSession, settings: Settings, weigh: Weigh, weigher: str) -> None:
        self.session, self.settings, self.weigh, self.weigher = session, settings, weigh, weigher
        self.weigh_message = _remembered(
            weighing.by_text(weigh, partial(media.tokens, rules=media.OTHER), lambda view: 0)
        )

    @cached_property
    def path(self) -> tuple[BranchEntry, ...]:
        """The last branch, without compactions at its end."""
        path = branch.branch(self.session.entries, self.session.leaf)
        while path and path[-1].kind in ("compaction", ""):
            path = path[:-1]
        return path

    @cached_property
    def planned(self) -> CompactionPlan | NothingToCompact:
        """The plan of planCompaction for that path. Raises RuntimeError if the cut would lose an entry."""
        path = self.path
        prepared = prepare.decide(path, self.settings.cut_budget, self.weigh_message)
        if isinstance(prepared, CompactionPlan) and (lost := uncovered(path, prepared)):
            raise RuntimeError(f"the cut leaves {', '.join(path[index].id for index in lost)} to nobody")
        return prepared

    @property
    def preparation(self) -> CompactionPlan:
        """The plan. Requires that there is something to compact."""
        assert isinstance(self.planned, CompactionPlan)
        return self.planned

    def fingerprint(self, strategy: Strategy, format: Format) -> str:
        return self.settings.fingerprint(self.session.digest, strategy, format, self.weigher)

    def weight(self, messages: Iterable[BranchMessage]) -> int:
        return sum(map(self.weigh_message, messages))

    def brief(self, prepared: CompactionPlan, strategy: Strategy, format: Format) -> SummaryInput[CompactionPlan]:
        """How to write the summary. An extractive one needs no model, so the model's window does not apply."""
        policy = self.settings.policy
        return SummaryInput(
            prepared,
            self.weigh,
            strategy,
            format,
            slices=policy.slices,
            window=self.settings.window if uses_model(strategy) else SUMMARISER_WINDOW,
            retries=policy.retries,
        )


def _remembered(weigh: WeighMessage) -> WeighMessage:
    """Counts each message only once, however often a plan asks."""
    known: dict[bytes, int] = {}

    def weighed(message: BranchMessage) -> int:
        weight = known.get(message.raw)
        if weight is None:
            weight = known[message.raw] = weigh(message)
        return weight

    return weighed
