"""What a probe asks, and what must be in a list for it to be answered.

A probe's parts have weights that add up to one. A part's score is the mean of its evidence, or the best of it.

The index holds each distinct message once, however many lists contain it, and looks each piece of evidence up once.
A list is the set of its messages' numbers, so a question to it is a set intersection.

1. Wording and lines: each piece occurs in the words of the message, in order.
2. A path: its name on a line with its directory before it, or anywhere if no other file has that name.
3. A state: a call of the message that caused it; or a word of the state on the line, or in the heading above it.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal

import msgspec

from ctxmgr.study.probes import wording
from ctxmgr.study.probes.messages import SessionMessage, read_message

ProbeKind = Literal[
    "goal",
    "constraint",
    "correction",
    "asks",
    "question",
    "instructions",
    "tasks",
    "files.modified",
    "files.read",
    "file.state",
    "errors",
    "tests",
    "commits",
    "env",
    "next",
]
FactState = Literal["changed", "deleted", "open", "done", "failed", "working"]


class Wording(msgspec.Struct, frozen=True):
    """Pieces of normalized text (`wording`), found anywhere; scored by the share found."""

    pieces: tuple[str, ...]


class Exact(msgspec.Struct, frozen=True):
    """A token, exact except for case, without an adjacent letter or digit."""

    text: str


class PathMention(msgspec.Struct, frozen=True):
    """A file by its last two components, by name and directory on one line, or by a unique name."""

    path: str


class PathState(msgspec.Struct, frozen=True):
    """The same, where it has that state: by a call, or by a word on the line or in the heading above it."""

    path: str
    state: FactState


class TextState(msgspec.Struct, frozen=True):
    """One of these pieces, with a word of the state on its line or in the heading above it."""

    names: tuple[str, ...]
    state: FactState


Evidence = Wording | Exact | PathMention | PathState | TextState


class ProbePart(msgspec.Struct, frozen=True):
    """`best`: the best of its evidence counts, else the mean."""

    weight: float
    evidence: tuple[Evidence, ...]
    best: bool = False


class Probe(msgspec.Struct, frozen=True):
    """`question` and `answer` for people. `used`: the recorded session went on to use it. `subject`: the command or
    file that it is about, which someone who does not know the answer would search for; "" if there is none.
    """

    kind: ProbeKind
    question: str
    answer: str
    parts: tuple[ProbePart, ...]
    used: bool
    subject: str = ""


def grade(probe: Probe, share: Callable[[Evidence], float]) -> float:
    """0 to 1. `share`: how much of one piece of evidence is in the list."""
    total = 0.0
    for part in probe.parts:
        shares = list(map(share, part.evidence))
        total += part.weight * (max(shares) if part.best else sum(shares) / len(shares))
    return total


# messages as an index

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
    """`lines` in lower case; `joined`: their words."""

    message: SessionMessage

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(line.lower() for line in self.message.lines)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def joined(self) -> str:
        return wording.joined(self.text)

    def says_of(self, piece: str, state: FactState) -> bool:
        """Rule 3, for any line with this piece of wording."""
        numbers = (number for number, line in enumerate(self.lines) if piece in wording.joined(line))
        return any(self.says(number, state) for number in numbers)

    def says(self, number: int, state: FactState) -> bool:
        """Rule 3, for a line: its words, or those of the nearest heading above it."""
        above = next((line for line in self.lines[number - 1 :: -1] if _HEADING.match(line)), "") if number else ""
        return any(not STATE_WORDS[state].isdisjoint(_state_words(line)) for line in (self.lines[number], above))


def _state_words(line: str) -> set[str]:
    return wording.runs(line) | {state for box, state in BOXES.items() if box in line}


class EvidenceIndex:
    """`names`: the last components of all files of the session, once per file."""

    def __init__(self, names: dict[str, int]) -> None:
        self._names = names
        self.entries: list[IndexedMessage] = []
        self._numbers: dict[bytes, int] = {}
        self._postings: dict[str, set[int]] = {}
        self._held: dict[Evidence | str, Ids] = {}

    def number(self, raw: bytes) -> int:
        """The number of a message, which is read if it is new. All messages must come before the first question,
        since lookups are cached. Raises RuntimeError.
        """
        if raw not in self._numbers:
            if self._held:
                raise RuntimeError("all messages come before the first question")
            entry = IndexedMessage(read_message(raw))
            for word in wording.runs(entry.text):
                self._postings.setdefault(word, set()).add(len(self.entries))
            self._numbers[raw] = len(self.entries)
            self.entries.append(entry)
        return self._numbers[raw]

    def share(self, evidence: Evidence, ids: Ids) -> float:
        """How much of it these messages contain, 0 to 1."""
        held = [not holders.isdisjoint(ids) for holders in self.holder_sets(evidence)]
        return sum(held) / len(held) if held else 0.0

    def holder_sets(self, evidence: Evidence) -> Iterator[Ids]:
        """The messages that contain it; for wording, those of each piece."""
        yield from map(self.holders, evidence.pieces if isinstance(evidence, Wording) else (evidence,))

    def holders(self, evidence: Evidence | str) -> Ids:
        """For a piece of wording, or any other evidence as a whole."""
        if evidence not in self._held:
            self._held[evidence] = frozenset(self._holders(evidence))
        return self._held[evidence]

    def _holders(self, evidence: Evidence | str) -> Iterator[int]:
        match evidence:
            case str():
                yield from (id for id in self._candidates(evidence) if evidence in self.entries[id].joined)
            case Exact(text):
                pattern = re.compile(rf"(?<![^\W_]){re.escape(text.lower())}(?![^\W_])")
                yield from (id for id in self._candidates(text) if pattern.search(self.entries[id].text))
            case PathMention(path):
                yield from (id for id, _ in self._path_lines(path))
            case PathState(path, state):
                for id, number in self._path_lines(path):
                    if self.entries[id].says(number, state) or _did(self.entries[id].message, evidence):
                        yield id
            case TextState(names, state):
                for piece in names:
                    yield from (id for id in self.holders(piece) if self.entries[id].says_of(piece, state))

    def _candidates(self, text: str) -> set[int]:
        """The messages with all words of a text."""
        some = sorted((self._postings.get(word, set()) for word in wording.runs(text.lower())), key=len)
        return set.intersection(*some) if some else set()

    def _path_lines(self, path: str) -> Iterator[tuple[int, int]]:
        """Rule 2: messages and lines."""
        parts = [part for part in path.lower().split("/") if part not in ("", ".", "..", "~")]
        if not parts:
            return
        name, directory = parts[-1], parts[-2] if len(parts) > 1 else ""
        whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)")
        is_unique = not directory or self._names.get(name, 0) <= 1
        beside = re.compile("" if is_unique else rf"(?<![\w-]){re.escape(directory)}(?![\w-])")
        for id in self._candidates(name):
            for number, line in enumerate(self.entries[id].lines):
                if name in line and whole.search(line) and beside.search(line):
                    yield id, number


def _did(message: SessionMessage, asked: PathState) -> bool:
    ending = asked.path.lower().split("/")[-2:]
    changes = (change for call in message.calls for change in call.did.changes)
    return any(change.action == asked.state and change.path.lower().split("/")[-2:] == ending for change in changes)
