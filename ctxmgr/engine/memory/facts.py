"""Collects the facts of one message, which share its source, times, origin and entry.

A task keeps its id after the message that introduced it is removed: later calls and their facts name the task only
by its id. In a summary, the id is at the end of the task's line.
"""

import re
from collections.abc import Iterator
from itertools import count

import msgspec

from ctxmgr.engine.memory.wording import key_of
from ctxmgr.model.saved import Fact, Slot, Source


class Stamp(msgspec.Struct, frozen=True):
    """The fields that all facts of one message share: see `Fact`."""

    origin: str
    time_ms: int
    seq: int = 0
    entry: str | None = None


class Statements:
    """Collects the facts of one message, in its order. If a message states something twice, the last statement
    counts.
    """

    def __init__(self, stamp: Stamp) -> None:
        self.stamp = stamp
        self._facts: dict[tuple[Slot, str, Source], Fact] = {}
        self._places: Iterator[int] = count()

    def add(
        self,
        slot: Slot,
        key: str,
        text: str,
        source: Source,
        status: str = "",
        detail: str = "",
        runs: str = "",
        listing: str = "",
    ) -> None:
        """Adds one fact; the arguments are the fields of `Fact`. If a summary states the text under several
        headings, `detail` keeps all of them.
        """
        before = self._facts.get((slot, key, source))
        if source in ("summary", "branch") and before is not None and before.detail != detail:
            detail = "; ".join(filter(None, (before.detail, detail)))
        self._facts[slot, key, source] = Fact(
            slot,
            key,
            text,
            source,
            self.stamp.time_ms,
            self.stamp.seq,
            status,
            detail,
            self.stamp.entry,
            self.stamp.origin,
            listing,
            next(self._places),
            runs,
        )

    def facts(self) -> tuple[Fact, ...]:
        return tuple(self._facts.values())


TASK_KEY = "task\n"  # before the id, in the key of a fact

_TASK_ID = "(task #"  # before the id, after a task's text


def id_key(number: str) -> str:
    """The key of the task with this id."""
    return f"{TASK_KEY}{number}"


def with_id(text: str, key: str) -> str:
    """A task's text, followed by its id if it has one."""
    return f"{text} {_TASK_ID}{key.removeprefix(TASK_KEY)})" if key.startswith(TASK_KEY) else text


def task_of_line(text: str) -> tuple[str, str]:
    """The key and the text of a task, from its line in a summary."""
    task, mark, number = text.rstrip().rpartition(_TASK_ID)
    has_id = mark and re.fullmatch(r"\w{1,40}\)", number)
    return (id_key(number[:-1]), task.rstrip()) if has_id else (key_of(text), text)
