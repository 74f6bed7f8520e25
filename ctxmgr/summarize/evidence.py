"""Turns a preparation, and what its session knows, into the summary that says all of it (`engine.memory.repair`).

Rules:
1. What is summarised and what stays is read anew: it is the newest evidence. What the session knows beside it is
   older; where it is not known what stays, newer.
2. Of a session that knows nothing, the previous summary tells what the user said, with its numbers.
3. What was stated in the part that stays is not added, for it is shown. It counts as evidence.
4. What is added weighs at most a quarter of a summary's budget, and of what the summary replaces.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.engine.memory import RepairedSummary, SummaryDraft, carried_facts, facts_of, fold, last_number, repaired
from ctxmgr.model.compaction import BranchMessage, BranchSummaryPlan, CompactionPlan
from ctxmgr.model.saved import Fact, Ledger
from ctxmgr.summarize.brief import SummaryInput
from ctxmgr.summarize.previous_summary import RECENT_HEADING, TURN_MARK

ADDED_SHARE = 0.25  # of a summary's budget
UNITS_A_TOKEN = 4  # UTF-16 units, of most texts
_LAST = (f"\n\n---\n\n{TURN_MARK}", f"\n\n{RECENT_HEADING}")  # what stands at a summary's end
_OWN = ("user", "assistant", "tool")  # who states what the session itself heard


def compaction(brief: SummaryInput[CompactionPlan], text: str, lists: str, output: int) -> RepairedSummary:
    """`text` as a model wrote it, `lists` of files that go behind it, `output`: tokens of a summary's budget."""
    prepared = brief.preparation
    removed = (*prepared.history, *prepared.prefix)
    facts = facts_of((*removed, *prepared.recent))
    shown = frozenset(fact.origin for fact in facts if fact.time_ms >= len(removed))
    known = [fact for fact in brief.ledger.facts.values() if fact.source in _OWN]
    if known:
        before = _restamped(known, -1 if prepared.recent else len(removed))
        before, facts = _once(before, facts)
    else:
        before = [fact for fact in carried_facts(prepared.previous) if fact.kind == "request"]
    return _repaired(brief, text, lists, (*before, *facts), (output, removed), shown)


def branch(brief: SummaryInput[BranchSummaryPlan], text: str, lists: str, output: int) -> RepairedSummary:
    """The same of a branch that was left: what it shows itself is all that counts."""
    prepared = brief.preparation
    messages = (*prepared.left_out, *prepared.messages)
    return _repaired(brief, text, lists, facts_of(messages), (output, messages), frozenset())


def details(summary: RepairedSummary) -> list[dict[str, Any]]:
    """What was done, as a summary's details have it."""
    return [{"kind": repair.kind, "text": repair.text} for repair in summary.repairs]


def _once(known: Sequence[Fact], facts: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Both, with each of the user's messages once: at its place in the session, with the origin that shows it."""
    heard: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.kind == "request":
            heard.setdefault(fact.text, []).append(fact)
    kept: list[Fact] = []
    for fact in sorted(known, key=lambda fact: (fact.time_ms, fact.seq), reverse=True):
        same = heard[fact.text].pop() if fact.kind == "request" and heard.get(fact.text) else fact
        kept.append(msgspec.structs.replace(fact, origin=same.origin))
    left = {id(fact) for some in heard.values() for fact in some}
    return kept[::-1], [fact for fact in facts if fact.kind != "request" or id(fact) in left]


def _restamped(known: Sequence[Fact], first: int) -> list[Fact]:
    """The facts with times before those of all messages, or (`first` of 0 and more) after them, in their order."""
    stamps = sorted({(fact.time_ms, fact.seq) for fact in known})
    start = first if first >= 0 else -len(stamps)
    times = {stamp: start + number for number, stamp in enumerate(stamps)}
    return [msgspec.structs.replace(fact, time_ms=times[fact.time_ms, fact.seq], seq=0) for fact in known]


def _repaired(
    brief: SummaryInput[Any],
    text: str,
    lists: str,
    facts: Sequence[Fact],
    bounds: tuple[int, Sequence[BranchMessage]],
    shown: frozenset[str],
) -> RepairedSummary:
    output, replaced = bounds
    units = sum(message.utf16_units for message in replaced)
    budget = int(ADDED_SHARE * min(output, units // UNITS_A_TOKEN))
    places = [offset for mark in _LAST if (offset := text.find(mark)) >= 0]
    draft = SummaryDraft(text, lists, min(places, default=None))
    earlier = last_number([fact for fact in facts if fact.source == "summary"])
    return repaired(draft, fold(Ledger(), facts), shown, budget=budget, weigh=brief.weigh, earlier=earlier)
