"""Turns a recording's file into the session tree it holds, entries as they came and the leaf of the last branch;
and that into what its rows are made of: the path, the plan, and how a message weighs.

Rules:
1. Of a pi session file or an export it is the tree itself, so details and edits are there as its host kept them.
2. Of a stream of pi events it is the tree of the last compaction's event; without one, the list of the last call.
3. Of another host's recording it is the tree that pi would have kept of it.
4. Entries of the oldest format have no ids: they follow each other, and get ids counted up.
5. All that rows are made of is made when it is first asked for, once; a recording whose rows are all there is not
   even cut.
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

    `digest` is the SHA-256 of the file's content, hexadecimal. `model`: the recorded model's id, "" of a stream of
    events.
    """

    name: str
    digest: str
    entries: tuple[bytes, ...]
    leaf: str | None = None
    model: str = ""


def read(path: Path) -> RecordedSession:
    """Raises UnreadableRecording, with the line where there is one; the text holds no folder."""
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise UnreadableRecording(f"{path.name}: {fault.strerror}") from None
    source = readers.source(path)
    kind = readers.kind(source)
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
    """A message of a list as the entry that gave it."""
    if _decode(message.get("role", b"null")) == "compactionSummary":
        kept: tuple[str, ...] = ("summary", "timestamp")
        return {"type": msgspec.Raw(b'"compaction"'), **{name: message[name] for name in kept if name in message}}
    return {"type": msgspec.Raw(b'"message"'), "message": raw}


def uncovered(path: Sequence[BranchEntry], preparation: CompactionPlan) -> tuple[int, ...]:
    """Places in the path of entries in the model's list that a compaction leaves to nobody, in rising order.

    None, or it is wrong. An entry is covered when all it says is in the history, in the turn prefix or in the kept
    part, and when it is the previous compaction, when its summary is carried on: it covers what that one removed.
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
    """One recording, made ready as far as its rows need it (rule 5). `weigher` is the name of the vocabulary."""

    def __init__(self, session: RecordedSession, settings: Settings, weigh: Weigh, weigher: str) -> None:
        self.session, self.settings, self.weigh, self.weigher = session, settings, weigh, weigher
        self.weigh_message = _remembered(
            weighing.by_text(weigh, partial(media.tokens, rules=media.OTHER), lambda view: 0)
        )

    @cached_property
    def path(self) -> tuple[BranchEntry, ...]:
        """The whole last branch; where that ends with a compaction, what was there before it."""
        path = branch.branch(self.session.entries, self.session.leaf)
        while path and path[-1].kind in ("compaction", ""):
            path = path[:-1]
        return path

    @cached_property
    def planned(self) -> CompactionPlan | NothingToCompact:
        """As planCompaction plans it on that path. Raises RuntimeError where the cut would lose an entry."""
        path = self.path
        prepared = prepare.decide(path, self.settings.cut_budget, self.weigh_message)
        if isinstance(prepared, CompactionPlan) and (lost := uncovered(path, prepared)):
            raise RuntimeError(f"the cut leaves {', '.join(path[index].id for index in lost)} to nobody")
        return prepared

    @property
    def preparation(self) -> CompactionPlan:
        """The plan, where there is something to compact."""
        assert isinstance(self.planned, CompactionPlan)
        return self.planned

    def fingerprint(self, strategy: Strategy, format: Format) -> str:
        return self.settings.fingerprint(self.session.digest, strategy, format, self.weigher)

    def weight(self, messages: Iterable[BranchMessage]) -> int:
        return sum(map(self.weigh_message, messages))

    def brief(self, prepared: CompactionPlan, strategy: Strategy, format: Format) -> SummaryInput[CompactionPlan]:
        """How to write it. Without a model no model's window bounds it."""
        policy = self.settings.policy
        return SummaryInput(
            prepared,
            self.weigh,
            strategy,
            format,
            slices=policy.slices,
            window=SUMMARISER_WINDOW if strategy == "extractive" else self.settings.window,
            retries=policy.retries,
        )


def _remembered(weigh: WeighMessage) -> WeighMessage:
    """Each message is weighed once, however often a plan asks."""
    known: dict[bytes, int] = {}

    def weighed(message: BranchMessage) -> int:
        weight = known.get(message.raw)
        if weight is None:
            weight = known[message.raw] = weigh(message)
        return weight

    return weighed
