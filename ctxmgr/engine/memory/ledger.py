"""Merges facts into a ledger, and works out from a ledger what holds now.

Rules:
1. Fold keeps, for each (slot, source, listing, key), the greatest fact by `order`: time first, then content. Taking
   the greatest is commutative, associative and idempotent. So the ledger does not depend on the order in which
   facts are seen, and ingesting a message twice changes nothing.
2. Fold deletes nothing. Whether a fact holds is worked out when it is read, only from the ledger, because a fact
   may be seen after the one that closes it.
3. A fact of a listing (a compaction summary, a task list) is closed if the listing was stated later without it.
   What a user said is in no listing, so nothing closes it.
4. For each key, the newest source counts. Exceptions: what a tool did to a file wins over a summary's list of
   files, and the goal in the user's words is kept beside a later summary's wording.
5. Facts of branches, done tasks, and what was said or read are history. The exception: files that a branch changed,
   because they are on disk.
6. A fact with a task's state but no text (`STATE`) takes the newest text of its key, and one with its text but no
   state (`RENAMED`) the newest state. A dropped task no longer holds. If a tool knows a task by an id, the tool
   decides its state: a summary covers only what it replaced, and the task may have been done after that. If the
   summary states such a task only by its text, the tool's fact stands for both.
7. For each kind of check, the newest run holds, and failures that no later run has closed (`command_log`).
8. A commit holds while it is known to exist (`command_log`).
9. Release 0.2 sorted sentences by their wording. In its snapshots, facts that were made that way no longer hold.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from ctxmgr.engine.memory.command_log import standing_runs, still_there, with_ends
from ctxmgr.engine.memory.facts import TASK_KEY
from ctxmgr.engine.memory.wording import key_of
from ctxmgr.model import once
from ctxmgr.model.saved import BROUGHT_BACK, GOING_ON, KINDS, RENAMED, STATE, Fact, Ledger

Name = TypeVar("Name")
_key: Callable[[Fact], str] = attrgetter("key")
Order = tuple[int, int, int, str, str, str, str, str, str, str, str, int, str]

# At the same moment, a person's words win over a summary of them, and both over what a tool did.
_RANKS = {"user": 4, "summary": 3, "assistant": 2, "tool": 1, "branch": 0}
_IN_PART = frozenset((STATE, RENAMED))


def fold(ledger: Ledger, facts: Iterable[Fact]) -> Ledger:
    """Merges facts into the ledger, or returns the same one if they change nothing. The cost depends on `facts`."""
    held = ledger.facts
    copied: set[tuple[str, str, str]] = set()
    stamp = ledger.summary_stamp
    for fact in facts:
        line = (fact.kind, fact.source, fact.listing)
        before = held[line].get(fact.key) if line in held else None
        if before is None or order(fact) > order(before):
            if line not in copied:
                held = held if copied else dict(held)
                held[line] = dict(held.get(line, ()))
                copied.add(line)
            held[line][fact.key] = fact
        if fact.source == "summary" and (fact.time_ms, fact.seq) > stamp:
            stamp = (fact.time_ms, fact.seq)
    return Ledger(held, stamp) if copied or stamp != ledger.summary_stamp else ledger


def with_shared_words(ledger: Ledger, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The same facts, which share the ledger's key and text objects if these are equal. A session reads one file
    many times, and this way stores its name once.
    """
    out = []
    for fact in facts:
        before = ledger.facts.get((fact.kind, fact.source, fact.listing), {}).get(fact.key)
        if before is not None and before.text == fact.text:
            fact = structs.replace(fact, key=before.key, text=before.text)
        out.append(fact)
    return tuple(out)


def order(fact: Fact) -> Order:
    """The total order of facts: when it was said, then all other fields."""
    rank, entry = _RANKS[fact.source], fact.entry or ""
    text = (fact.status, fact.text, fact.detail, fact.kind, fact.key, fact.listing)
    return (fact.time_ms, fact.seq, rank, *text, entry, fact.origin, fact.order, fact.runs)


def current(ledger: Ledger) -> tuple[Fact, ...]:
    """What holds now, what the user said, and what the assistant said at the end of each turn: one fact for each
    statement, oldest first. Done tasks and abandoned branches are history.
    """
    now, past = now_and_past(ledger)
    requests = (fact for fact in past if fact.kind == "request" and fact.source != "branch")
    last = {fact.detail: fact for fact in past if fact.kind == "said"}  # the last one of each turn
    ends = (fact for fact in last.values() if fact.status != GOING_ON)
    return tuple(sorted((*now, *requests, *ends), key=_when))


@once
def now_and_past(ledger: Ledger) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """What holds now, and what is over but worth knowing (rule 5), both oldest first."""
    standing = _standing(ledger)
    now = tuple(fact for fact in standing if not _is_past(fact))
    return now, tuple(fact for fact in standing if _is_past(fact))


def _is_past(fact: Fact) -> bool:
    if fact.source == "branch":
        return fact.kind != "file"
    return KINDS[fact.kind].lasts == "history" or (fact.kind == "task" and fact.status == "done")


def _standing(ledger: Ledger) -> list[Fact]:
    """The facts that nothing closed, one for each statement, in the order in which they were made."""
    listed: dict[str, tuple[int, int]] = {}
    for fact in ledger:
        if fact.kind == "listing":
            listed[fact.key] = max(listed.get(fact.key, (-1, -1)), (fact.time_ms, fact.seq))
    holding = (
        fact
        for fact in ledger
        if not (fact.listing and (fact.time_ms, fact.seq) < listed.get(fact.listing, (-1, -1)))
        and KINDS[fact.kind].lasts != "ignored"
        and not of_old(fact)
    )
    chosen = _first_by(lambda fact: (fact.kind, fact.key, _apart(fact)), holding, _precedence)
    of_user, of_others = chosen.get(("goal", "", "user")), chosen.get(("goal", "", ""))
    if of_user is not None and of_others is not None and order(of_user) > order(of_others):
        del chosen["goal", "", ""]
    standing = sorted(with_ends(_with_texts(chosen.values(), ledger)), key=_when)
    newest = {id(fact) for fact in (*standing_runs(standing), *still_there(standing))}
    return [fact for fact in standing if KINDS[fact.kind].lasts != "standing" or id(fact) in newest]


def _when(fact: Fact) -> tuple[int, int, int, str, str, str]:
    return (fact.time_ms, fact.seq, fact.order, fact.kind, fact.key, fact.source)


def _apart(fact: Fact) -> str:
    """A name that separates facts with the same key that do not replace each other."""
    if fact.source == "branch" and fact.kind != "file":
        return "branch"
    return "user" if fact.kind == "goal" and fact.source == "user" else ""


def _precedence(fact: Fact) -> tuple[bool, Order]:
    """A sort key: of two facts with one key, the greater one counts (rule 4)."""
    return (fact.kind == "file" and fact.source != "summary", order(fact))


def _with_texts(facts: Iterable[Fact], ledger: Ledger) -> list[Fact]:
    """The facts, with tasks that were stated only in part completed (rule 6)."""
    tasks = [fact for fact in ledger if fact.kind == "task"]
    texts = _first_by(_key, (fact for fact in tasks if fact.text), order)
    states = _first_by(_key, (fact for fact in tasks if fact.status and fact.source != "summary"), order)
    known = {key_of(fact.text) for key, fact in texts.items() if key.startswith(TASK_KEY)}
    whole: list[Fact] = []
    for fact in facts:
        stated: Fact | None = fact
        if fact.kind == "task" and fact.source == "summary" and fact.key in known:
            continue
        if fact.kind == "task" and fact.listing in _IN_PART:
            stated = _whole_task(texts.get(fact.key), states.get(fact.key))
        elif fact.kind == "task" and fact.source == "summary" and fact.key.startswith(TASK_KEY):
            stated = _as_its_tool_says(fact, states.get(fact.key))
        if stated is not None and not (stated.kind == "task" and stated.status == "dropped"):
            whole.append(stated)
    return whole


def _as_its_tool_says(fact: Fact, state: Fact | None) -> Fact:
    """A summary's task, in the state that its tool reported last."""
    if state is None or state.status == fact.status:
        return fact
    return structs.replace(fact, status=state.status, source=state.source, origin=state.origin)


def _first_by(name: Callable[[Fact], Name], facts: Iterable[Fact], rank: Callable[[Fact], Any]) -> dict[Name, Fact]:
    """The fact with the highest rank for each name; of equal ones, the first."""
    first: dict[Name, Fact] = {}
    for fact in facts:
        rival = first.get(name(fact))
        if rival is None or rank(fact) > rank(rival):
            first[name(fact)] = fact
    return first


def _whole_task(text: Fact | None, state: Fact | None) -> Fact | None:
    """The task with its newest text and state, and the origins of both. Returns None if nothing states its text."""
    if text is None:
        return None
    status, told_by = (state.status, (text.origin, state.origin)) if state is not None else ("open", (text.origin,))
    return structs.replace(text, status=status, origin="\n".join(dict.fromkeys(told_by)))


_SORTED_BY_WORDING = frozenset((("decision", "assistant"), ("decision", "user"), ("constraint", "user")))


def of_old(fact: Fact) -> bool:
    """Whether an earlier release sorted this fact by its wording, or recorded that a file was brought back (rule
    9). Questions in prose had only a digest as their key; a checklist in prose had the listing of a summary.
    """
    if fact.kind == "question":
        return "\n" not in fact.key
    if fact.kind == "file":
        return fact.status == BROUGHT_BACK
    checklist = fact.kind == "task" and fact.source == "assistant" and fact.listing == "summary"
    return checklist or (fact.kind, fact.source) in _SORTED_BY_WORDING


SAID_OR_DONE = ("user", "assistant", "tool")  # sources of what was said or done; a summary is none


class LedgerView(msgspec.Struct, frozen=True):
    """What a packet or a summary may say. All facts are oldest first.

    `requests`: what the user said. `unseen`: those of them that are not shown, by number. `earlier`: how many of
    the user's messages came before them. `last_words`: how the assistant's turn right before the shown messages
    ended, or None if a later user's message is shown. `ends`: how earlier turns ended. `facts`: those that hold and
    are not shown, by slot. `edge`: the number of the newest user's message whose turn is not shown in full.
    `changed`: when a file was last changed.
    """

    requests: Sequence[Fact]
    unseen: Mapping[int, Fact]
    last_words: Fact | None
    ends: Sequence[Fact]
    facts: Mapping[str, Sequence[Fact]]
    earlier: int = 0
    edge: int = 0
    changed: tuple[int, ...] = ()

    def after(self, fact: Fact) -> int:
        """The number of the user's message before this fact, or 0."""
        return self.earlier + bisect_right([_stamp(request) for request in self.requests], _stamp(fact))

    def is_overtaken(self, run: Fact) -> bool:
        """Whether a file changed since this check ran."""
        return _stamp(run) < self.changed

    def of(self, slot: str, *sources: str) -> list[Fact]:
        """The facts of a slot, from these sources."""
        return [fact for fact in self.facts.get(slot, ()) if fact.source in sources]


def record_of(
    ledger: Ledger, shown: Container[str], cut: Container[str] = frozenset(), earlier: int = 0
) -> LedgerView:
    """What this ledger holds beside what is shown. `shown`: digests of messages and summaries. `cut`: digests of
    messages whose results are shown shortened. `earlier`: how many of the user's messages came before those in the
    ledger.
    """
    now, past = now_and_past(ledger)
    requests = [fact for fact in past if fact.kind == "request" and fact.source == "user"]
    facts: dict[str, list[Fact]] = {}
    for fact in (*now, *(entry for entry in past if entry.source in ("summary", "branch") or entry.kind == "task")):
        said_by = fact.origin.split("\n")  # two messages may state a task
        of_result = KINDS[fact.kind].from_result or (fact.kind == "task" and fact.key.startswith(TASK_KEY))
        if any(entry not in shown or (of_result and entry in cut) for entry in said_by):
            facts.setdefault(fact.kind, []).append(fact)
    ends = list({fact.detail: fact for fact in past if fact.kind == "said"}.values())
    gone = [fact for fact in past if fact.kind == "said" and fact.origin not in shown]
    stamps = [_stamp(entry) for entry in requests]
    told = (fact for fact in ledger if fact.source in SAID_OR_DONE)
    edge = earlier + bisect_right(stamps, _newest(fact for fact in told if fact.origin not in shown))
    unseen = {number: fact for number, fact in enumerate(requests, earlier + 1) if fact.origin not in shown}
    ended = earlier + bisect_right(stamps, _stamp(gone[-1])) if gone else 0
    later = range(ended + 1, earlier + len(requests) + 1)
    last = gone[-1] if gone and all(number in unseen for number in later) else None
    return LedgerView(
        requests=requests,
        unseen=unseen,
        last_words=last,
        ends=[
            entry for entry in ends if entry.origin not in shown and entry is not last and entry.status != GOING_ON
        ],
        facts=facts,
        earlier=earlier,
        edge=edge,
        changed=_newest(
            entry for entry in now if entry.kind == "file" and entry.source == "tool" and entry.status != "read"
        ),
    )


def _newest(facts: Iterable[Fact]) -> tuple[int, ...]:
    """The time of the newest fact, or () without facts."""
    return max(map(_stamp, facts), default=())


def _stamp(fact: Fact) -> tuple[int, int, int]:
    return fact.time_ms, fact.seq, fact.order
