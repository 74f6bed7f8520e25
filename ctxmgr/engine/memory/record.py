"""Turns a ledger into what is known beside what is shown: facts by what they are, each with where it was said.

Rules:
1. What came from a message that is shown is not told again, unless a result told it that is shortened. A failure
   that a shown run closed is closed all the same: the ledger knows both.
2. A user's message is known by its number in the session; what was said and done, by the user's message before it.
3. The assistant's last words of a turn are told where that turn's end is no longer shown. Words before a call end
   no turn: the user went on, or the host stopped it. Where a later turn is shown, no last words stand for now.
"""

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence

import msgspec

from ctxmgr.engine.memory import task_ids
from ctxmgr.engine.memory.fold import now_and_past
from ctxmgr.model.saved import GOING_ON, Fact, Ledger

Stamp = tuple[int, int, int]
_OF_RESULTS = frozenset(("command", "question", "value"))  # what only a result tells, as it does a task's id


class Record(msgspec.Struct, frozen=True):
    """All from old to new. `requests`: what the user said, and `unseen` those that are not shown, by number;
    `earlier`: so many messages of the user's came before them; `said`: the assistant's last words before what is
    shown, None where a later turn is, and `ends` those of earlier turns; `facts` that hold and are not
    shown, by slot. `edge`: what is not shown goes as far as the turn of this message of the user's; `changed`: when
    a file was changed last."""

    requests: Sequence[Fact]
    unseen: Mapping[int, Fact]
    said: Fact | None
    ends: Sequence[Fact]
    facts: Mapping[str, Sequence[Fact]]
    earlier: int = 0
    edge: int = 0
    changed: tuple[int, ...] = ()

    def after(self, fact: Fact) -> int:
        """The number of the user's message that a fact came after; 0 for none."""
        return self.earlier + bisect_right([_stamp(one) for one in self.requests], _stamp(fact))

    def is_overtaken(self, run: Fact) -> bool:
        """Was a file changed since this check ran?"""
        return _stamp(run) < self.changed

    def of(self, slot: str, *sources: str) -> list[Fact]:
        """The facts of a slot, from these sources."""
        return [fact for fact in self.facts.get(slot, ()) if fact.source in sources]


def record_of(ledger: Ledger, shown: Container[str], cut: Container[str] = frozenset(), earlier: int = 0) -> Record:
    """`shown`: digests of messages and summaries; `cut`: of those whose results are shown shortened. `earlier`: so
    many of the user's messages came before those that the ledger knows."""
    now, past = now_and_past(ledger)
    requests = [fact for fact in past if fact.slot == "request" and fact.source == "user"]
    facts: dict[str, list[Fact]] = {}
    for fact in (*now, *(one for one in past if one.source in ("summary", "branch") or one.slot == "task")):
        said_by = fact.origin.split("\n")  # of a task two messages may
        of_result = fact.slot in _OF_RESULTS or (fact.slot == "task" and fact.key.startswith(task_ids.KEY))
        if any(one not in shown or (of_result and one in cut) for one in said_by):
            facts.setdefault(fact.slot, []).append(fact)
    ends = list({fact.detail: fact for fact in past if fact.slot == "said"}.values())
    gone = [fact for fact in past if fact.slot == "said" and fact.origin not in shown]
    stamps = [_stamp(one) for one in requests]
    edge = earlier + bisect_right(stamps, _newest(one for one in ledger.facts.values() if _is_gone(one, shown)))
    unseen = {at: fact for at, fact in enumerate(requests, earlier + 1) if fact.origin not in shown}
    ended = earlier + bisect_right(stamps, _stamp(gone[-1])) if gone else 0
    later = range(ended + 1, earlier + len(requests) + 1)
    said = gone[-1] if gone and all(at in unseen for at in later) else None
    return Record(
        requests=requests,
        unseen=unseen,
        said=said,
        ends=[one for one in ends if one.origin not in shown and one is not said and one.status != GOING_ON],
        facts=facts,
        earlier=earlier,
        edge=edge,
        changed=_newest(one for one in now if one.slot == "file" and one.source == "tool" and one.status != "read"),
    )


def _newest(facts: Iterable[Fact]) -> tuple[int, ...]:
    """When the newest was told; () for none."""
    return max(map(_stamp, facts), default=())


def _is_gone(fact: Fact, shown: Container[str]) -> bool:
    """Is it of a message that is not shown?"""
    return fact.source in ("user", "assistant", "tool") and fact.origin not in shown


def _stamp(fact: Fact) -> Stamp:
    return fact.time_ms, fact.seq, fact.order
