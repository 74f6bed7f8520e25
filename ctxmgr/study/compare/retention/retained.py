"""Turns removed messages and the summary that stands for them into shares of what the summary still holds.

No judge, no model; the same texts give the same figures. What is counted:
1. Paths and identifiers (`mentions`) that the user or the assistant wrote, or that stand in arguments of calls of
   at most `ARGUMENT_CHARACTERS`: longer ones are files and scripts. Output of tools is not counted: nobody said it.
   A path is held by the same path, or by one that ends in it or that it ends in, by whole components; a directory
   and a name at least, where the mention has a directory.
2. Requests, what the user said, and open tasks (as `stated` finds them): held where one line of the summary has at
   least `OVERLAP` of the content words. One line, not the whole: all words of a sentence are somewhere in a long
   text.
3. Errors: the quoted line of each check that failed, whether or not it worked later; held where the summary has it,
   letters and digits compared. A line that says only that it failed ("Command exited with code 1") is none.

Weighted, a path or identifier counts as often as it was mentioned, an error as often as it came; a statement once.
Requests are found by what the summary without a model is written by, too: what that does not see is in no
denominator. Tasks have patterns of their own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from ctxmgr.engine.memory import Stamp, fold, from_message, now_and_past
from ctxmgr.model import Block
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.model.saved import Fact, Ledger
from ctxmgr.study.compare.retention import stated
from ctxmgr.study.metrics import SHORTEST, identifiers, paths

What = Literal["paths", "identifiers", "tasks", "errors", "requests"]

OVERLAP = 0.6  # of a statement's content words in one line, the share from which it counts as held
ARGUMENT_CHARACTERS = 2_000
ERROR_CHARACTERS = 80  # of an error line that are compared: a summary may cut the rest
WORD_CHARACTERS = 3  # shorter words carry no content
_BARE_ERROR = re.compile(r"(?:Command (?:exited with code -?\d+|aborted|timed out\b.*)|\(no output\))$")
_FILLERS = frozenset(
    re.findall(
        r"\w+",
        """the and for with that this have has are was were will would should can could not but you your our its
        from into then than them they there here what when where which who how why all any some just also only about
        please lets don does did been being make sure use""",
    )
)


class Retention(msgspec.Struct, frozen=True):
    """How many of `total_count` things are `retained_count`, and the same weighted by how often each was
    mentioned."""

    what: What
    retained_count: int
    total_count: int
    weighted_retained: int
    weighted_total: int
    lost: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """1.0 where there was nothing to hold."""
        return self.retained_count / self.total_count if self.total_count else 1.0


class MentionCounts(msgspec.Struct, frozen=True):
    """What messages hold that a summary could keep, each with how often it was mentioned."""

    paths: Counter[str]
    identifiers: Counter[str]
    tasks: Counter[str]
    errors: Counter[str]
    requests: Counter[str]


def retention(
    messages: Sequence[BranchMessage], summary: str, *, shortest: int = SHORTEST
) -> tuple[Retention, ...]:
    """One row a kind. `messages` as they were removed, oldest first; `summary` with its file lists."""
    return measure(mentioned(messages, shortest=shortest), summary)


def mentioned(messages: Sequence[BranchMessage], *, shortest: int = SHORTEST) -> MentionCounts:
    """Everything the rules count in these messages; to be measured against several summaries."""
    found_paths: Counter[str] = Counter()
    found_names: Counter[str] = Counter()
    for message in messages:
        for text in _said(message):
            found_paths.update(paths(text))
            found_names.update(identifiers(text, shortest=shortest))
    facts = _facts(messages)
    _, past = now_and_past(fold(Ledger(), facts))
    return MentionCounts(
        found_paths,
        found_names,
        _once(stated.open_tasks(messages)),
        Counter(line for fact in facts if (line := _error(fact))),
        _once(fact.text for fact in past if fact.kind == "request" and fact.source == "user"),
    )


def measure(known: MentionCounts, summary: str) -> tuple[Retention, ...]:
    """The rows for one summary."""
    here = _Suffixes(paths(summary))
    names = _parts(identifiers(summary, shortest=1))
    lines = _Lines(summary)
    letters = _letters(summary)
    return (
        _row("paths", known.paths, here.holds),
        _row("identifiers", known.identifiers, names.__contains__),
        _row("tasks", known.tasks, lines.hold),
        _row("errors", known.errors, lambda line: _letters(line)[:ERROR_CHARACTERS] in letters),
        _row("requests", known.requests, lines.hold),
    )


def _row(what: What, counts: Counter[str], holds: Callable[[str], bool]) -> Retention:
    held = [thing for thing in counts if holds(thing)]
    lost = tuple(thing for thing, _ in counts.most_common() if thing not in set(held))
    weighted = sum(counts[thing] for thing in held)
    return Retention(what, len(held), len(counts), weighted, counts.total(), lost)


def _said(message: BranchMessage) -> Iterable[str]:
    """The texts of rule 1."""
    for block in message.view.blocks:
        if block.kind == "text" and message.view.role in ("user", "assistant"):
            yield block.text
        elif block.kind == "call":
            for value in (block.arguments or {}).values():
                if isinstance(value, str) and len(value) <= ARGUMENT_CHARACTERS:
                    yield value


def _facts(messages: Sequence[BranchMessage]) -> list[Fact]:
    calls: dict[str, Block] = {}
    facts: list[Fact] = []
    opened = False
    for at, message in enumerate(messages):
        view = message.view
        for block in view.blocks:
            if block.kind == "call":
                calls[block.call_id] = block
        opening = view.opens_turn and not opened
        found = from_message(view, stamp=Stamp(str(at), at), calls=calls, opening=opening)
        opened = opened or any(fact.kind == "goal" for fact in found)
        facts += found
    return facts


def _error(fact: Fact) -> str:
    failed = fact.kind == "command" and fact.status == "failed" and not _BARE_ERROR.match(fact.detail)
    return fact.detail.rstrip("…") if failed else ""


def _once(texts: Iterable[str]) -> Counter[str]:
    return Counter(dict.fromkeys(texts, 1))


class _Suffixes:
    """The paths of a summary, to be asked for by whole components from the end."""

    def __init__(self, found: Iterable[str]) -> None:
        self._whole = set(found)
        self._ends: set[str] = set()
        for path in self._whole:
            parts = path.split("/")
            self._ends.update("/".join(parts[start:]) for start in range(len(parts)))

    def holds(self, path: str) -> bool:
        if path in self._ends:
            return True
        parts = path.removeprefix("~/").removeprefix("../").split("/")
        if len(parts) < 2:
            return False
        if "/".join(parts) in self._ends:
            return True
        return any("/".join(parts[start:]) in self._whole for start in range(1, len(parts) - 1))


def _parts(names: Iterable[str]) -> set[str]:
    """Names, and of dotted ones each part and each stretch of parts: `a.b.c` mentions `b.c` too."""
    found: set[str] = set()
    for name in names:
        parts = name.split(".")
        for start in range(len(parts)):
            found.update(".".join(parts[start:end]) for end in range(start + 1, len(parts) + 1))
    return found


class _Lines:
    """The lines of a summary by their content words."""

    def __init__(self, summary: str) -> None:
        self._lines: dict[str, set[int]] = {}
        for number, line in enumerate(summary.splitlines()):
            for word in _words(line):
                self._lines.setdefault(word, set()).add(number)

    def hold(self, statement: str) -> bool:
        words = _words(statement)
        if not words:
            return True
        hits: Counter[int] = Counter()
        for word in words:
            hits.update(self._lines.get(word, ()))
        return max(hits.values(), default=0) >= OVERLAP * len(words)


def _words(text: str) -> set[str]:
    split = "".join(letter if letter.isalnum() else " " for letter in text.casefold()).split()
    return {word for word in split if len(word) >= WORD_CHARACTERS and word not in _FILLERS}


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
