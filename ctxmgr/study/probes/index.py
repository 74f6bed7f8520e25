"""Turns messages into an index, and evidence into the messages that hold it.

Each distinct message is read once, however many lists it stands in; each evidence is looked up once. A list is the
set of its messages' numbers, so asking it is asking whether two sets meet.

1. Wording and lines: each piece stands in the words of the message, one after the other.
2. A path: its name on a line with the directory before it, or anywhere where no other file has that name.
3. A state: a call of the message that did that; or a word of the state on the line, or in the heading above it.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

import msgspec

from ctxmgr.study.probes.evidence import Evidence, Exact, FactState, PathMention, PathState, TextState, Wording
from ctxmgr.study.probes.reading import SessionMessage, turn, wording

STATE_WORDS: dict[FactState, frozenset[str]] = {
    "changed": wording.word_set(
        """change changed changes create created creates add added adds new write wrote written writes edit edited
        edits update updated updates modify modified modifies patched rewritten rewrote renamed moved"""
    ),
    "deleted": wording.word_set("delete deleted deletes remove removed removes rm gone renamed moved mv"),
    "open": wording.word_set("open pending todo progress next remaining left blocked created taskcreate"),
    "done": wording.word_set("done completed complete finished closed cancelled canceled"),
    "failed": wording.word_set(
        "failed failing fails fail failure error errors broken blocker blockers blocked aborted"
    ),
    "working": wording.word_set("working worked works passed passes pass ok green succeeded success clean fine"),
}
BOXES = {"[ ]": "open", "[x]": "done"}
_HEADING = re.compile(r"\s*(?:#{1,6}\s|<[a-z][\w-]*>|\*\*[^*]+\*\*:?\s*$|.{1,80}:\s*$)")

Ids = frozenset[int]


class IndexedMessage(msgspec.Struct, frozen=True, dict=True):
    """One message. `lower`: its lines in lower case; `starts`: where each begins in it."""

    turn: SessionMessage

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return self.turn.lines

    @cached_property
    def lower(self) -> str:
        return "\n".join(self.lines).lower()

    @cached_property
    def joined(self) -> str:
        return wording.joined(self.lower)

    def line_numbers(self, text: str) -> Iterator[int]:
        """Of the lines that have `text`, in lower case."""
        return (number for number, line in enumerate(self._lowered) if text in line)

    @cached_property
    def _lowered(self) -> tuple[str, ...]:
        return tuple(line.lower() for line in self.lines)

    def line(self, number: int) -> str:
        return self._lowered[number]

    def says(self, number: int, state: frozenset[str]) -> bool:
        """Rule 3, of a line: its words, or those of the nearest heading above it."""
        if not state.isdisjoint(_said(self._lowered[number])):
            return True
        above = self._headings[number]
        return above >= 0 and not state.isdisjoint(_said(self._lowered[above]))

    @cached_property
    def _headings(self) -> tuple[int, ...]:
        """For each line the nearest heading above it, -1 for none."""
        out = []
        last = -1
        for number, line in enumerate(self.lines):
            out.append(last)
            if _HEADING.match(line):
                last = number
        return tuple(out)


def _said(line: str) -> set[str]:
    found = wording.runs(line)
    found |= {state for box, state in BOXES.items() if box in line}
    return found


class EvidenceIndex:
    """`names`: the last components of all files of the session, each as often as there are files of that name."""

    def __init__(self, names: dict[str, int]) -> None:
        self._names = names
        self.entries: list[IndexedMessage] = []
        self._numbers: dict[bytes, int] = {}
        self._postings: dict[str, set[int]] = {}
        self._by_evidence: dict[Evidence, Ids] = {}
        self._pieces: dict[str, Ids] = {}

    def number(self, raw: bytes) -> int:
        """Of a message, which is read where it is new. What was looked up before is not looked up again: all
        messages are told first."""
        found = self._numbers.get(raw)
        if found is None:
            if self._pieces or self._by_evidence:
                raise RuntimeError("all messages come before the first question")
            found = self._numbers[raw] = len(self.entries)
            entry = IndexedMessage(turn(raw))
            self.entries.append(entry)
            for word in wording.runs(entry.lower):
                self._postings.setdefault(word, set()).add(found)
        return found

    def share(self, evidence: Evidence, ids: Ids) -> float:
        """How much of it these messages hold, 0 to 1."""
        if isinstance(evidence, Wording):
            held = sum(not self.piece(one).isdisjoint(ids) for one in evidence.pieces)
            return held / len(evidence.pieces) if evidence.pieces else 0.0
        return float(not self.holders(evidence).isdisjoint(ids))

    def holder_sets(self, evidence: Evidence) -> Iterator[Ids]:
        """The messages that hold it; of wording those of each piece."""
        if isinstance(evidence, Wording):
            yield from map(self.piece, evidence.pieces)
        else:
            yield self.holders(evidence)

    def holders(self, evidence: Evidence) -> Ids:
        found = self._by_evidence.get(evidence)
        if found is None:
            found = self._by_evidence[evidence] = frozenset(_LOOKUPS[type(evidence)](self, evidence))
        return found

    def piece(self, piece: str) -> Ids:
        found = self._pieces.get(piece)
        if found is None:
            some = self._candidates(piece)
            found = self._pieces[piece] = frozenset(id for id in some if piece in self.entries[id].joined)
        return found

    def _candidates(self, text: str) -> set[int]:
        """The messages with all words of a text in lower case."""
        some = sorted((self._postings.get(word, _NONE) for word in wording.runs(text)), key=len)
        return set.intersection(*some) if some else set()

    def exact(self, one: Exact) -> Iterator[int]:
        text = one.text.lower()
        pattern = re.compile(rf"(?<![^\W_]){re.escape(text)}(?![^\W_])")
        return (id for id in self._candidates(text) if pattern.search(self.entries[id].lower))

    def path(self, one: PathMention) -> Iterator[int]:
        for id, _ in self._path_lines(one.path):
            yield id

    def path_state(self, one: PathState) -> Iterator[int]:
        state = STATE_WORDS[one.state]
        for id, number in self._path_lines(one.path):
            entry = self.entries[id]
            if entry.says(number, state) or _did(entry.turn, one):
                yield id

    def text_state(self, one: TextState) -> Iterator[int]:
        state = STATE_WORDS[one.state]
        for name in one.names:
            for id in self.piece(name):
                entry = self.entries[id]
                numbers = (at for at, line in enumerate(entry.lines) if name in wording.joined(line))
                if any(entry.says(number, state) for number in numbers):
                    yield id

    def _path_lines(self, path: str) -> Iterator[tuple[int, int]]:
        """Rule 2: messages and lines."""
        parts = [part for part in path.lower().split("/") if part not in ("", ".", "..", "~")]
        if not parts:
            return
        name, directory = parts[-1], parts[-2] if len(parts) > 1 else ""
        alone = not directory or self._names.get(name, 0) <= 1
        whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)")
        beside = re.compile(rf"(?<![\w-]){re.escape(directory)}(?![\w-])")
        for id in self._candidates(name):
            entry = self.entries[id]
            for number in entry.line_numbers(name):
                line = entry.line(number)
                if whole.search(line) and (alone or beside.search(line)):
                    yield id, number


def _did(one: SessionMessage, told: PathState) -> bool:
    ends = told.path.lower().split("/")[-2:]
    changes = (change for call in one.calls for change in call.did.changes)
    return any(change.action == told.state and change.path.lower().split("/")[-2:] == ends for change in changes)


_NONE: set[int] = set()
_LOOKUPS: dict[type, Callable[..., Iterator[int]]] = {
    Exact: EvidenceIndex.exact,
    PathMention: EvidenceIndex.path,
    PathState: EvidenceIndex.path_state,
    TextState: EvidenceIndex.text_state,
}
