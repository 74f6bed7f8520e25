"""Turns a preparation, and what its session knows, into the summary that says all of it (`ctxmgr.engine.mending`).

Rules:
1. What is summarised and what stays is read anew: it is the newest evidence. What the session knows beside it is
   older; where it is not known what stays, newer.
2. Of a session that knows nothing, the previous summary tells the rules.
3. A commit that the model names has to stand in the messages, in the previous summary, or in what the session
   knows; a file, too, where it read these alone, and not a host's own list.
4. What was stated in the part that stays is not added, for it is shown. It counts as evidence.
5. What is added weighs at most a quarter of a summary's budget, and of what the summary replaces.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.extractive.collecting import carry, collect
from ctxmgr.engine.ledger import fold, now_and_past
from ctxmgr.engine.mending import Evidence, Mended, SummaryDraft, mended
from ctxmgr.model.compaction import BranchMessage, BranchSummaryPlan, CompactionPlan
from ctxmgr.model.saved import Fact, Ledger
from ctxmgr.summarize.request import SummaryInput, recent_turns, turn_context

ADDED_SHARE = 0.25  # of a summary's budget
UNITS_A_TOKEN = 4  # UTF-16 units, of most texts
_LAST = (f"\n\n---\n\n{turn_context.MARK}", f"\n\n{recent_turns.HEADING}")  # what stands at a summary's end
_OWN = ("user", "assistant", "tool")  # who states what the session itself heard


def compaction(brief: SummaryInput[CompactionPlan], text: str, lists: str, output: int) -> Mended:
    """`text` as a model wrote it, `lists` of files that go behind it, `output`: tokens of a summary's budget."""
    prepared = brief.preparation
    removed = (*prepared.history, *prepared.prefix)
    messages = (*removed, *prepared.recent)
    facts = collect(messages, opened=True).facts
    known = [fact for fact in brief.ledger.facts.values() if fact.source in _OWN]
    if known:
        first = -1 if prepared.recent else len(messages)
        before = _restamped(known, first)
    else:
        before = [fact for fact in carry.read(prepared.previous).facts if fact.slot == "constraint"]
    shown = len(removed) if prepared.recent else None
    told = (shown, _reading(brief, messages), brief.context is None)
    return _mended(brief, text, lists, (*before, *facts), (output, removed), told)


def branch(brief: SummaryInput[BranchSummaryPlan], text: str, lists: str, output: int) -> Mended:
    """The same of a branch that was left: what it shows itself is all that counts."""
    prepared = brief.preparation
    messages = (*prepared.left_out, *prepared.messages)
    return _mended(brief, text, lists, collect(messages, opened=True).facts, (output, messages), (None, None, True))


def details(found: Mended) -> list[dict[str, Any]]:
    """What was done, as a summary's details have it."""
    return [
        {"kind": one.kind, "text": one.text, **({"corrected": True} if one.corrected else {})}
        for one in found.mends
    ]


def _reading(brief: SummaryInput[CompactionPlan], messages: Sequence[BranchMessage]) -> Callable[[str], bool]:
    """Rule 3."""
    prompts = (brief.prompts.system, brief.prompts.history, brief.prompts.turn_prefix)
    read = [brief.preparation.previous or "", brief.instructions, brief.scratchpad, *map(str, prompts)]
    read += [one for fact in brief.ledger.facts.values() for one in (fact.text, fact.detail)]
    whole = "\n".join(read).lower()

    def was_read(letters: str) -> bool:
        return letters in whole or any(letters.encode() in message.raw.lower() for message in messages)

    return was_read


def _restamped(known: Sequence[Fact], first: int) -> list[Fact]:
    """The facts with times before those of all messages, or (`first` of 0 and more) after them, in their order."""
    stamps = sorted({(fact.time_ms, fact.seq) for fact in known})
    start = first if first >= 0 else -len(stamps)
    times = {stamp: start + place for place, stamp in enumerate(stamps)}
    return [msgspec.structs.replace(fact, time_ms=times[fact.time_ms, fact.seq], seq=0) for fact in known]


def _mended(
    brief: SummaryInput[Any],
    text: str,
    lists: str,
    facts: Sequence[Fact],
    bounds: tuple[int, Sequence[BranchMessage]],
    told: tuple[int | None, Callable[[str], bool] | None, bool],
) -> Mended:
    output, replaced = bounds
    units = sum(message.utf16_units for message in replaced)
    budget = int(ADDED_SHARE * min(output, units // UNITS_A_TOKEN))
    now, past = now_and_past(fold(Ledger(), facts))
    places = [at for mark in _LAST if (at := text.find(mark)) >= 0]
    draft = SummaryDraft(text, lists, min(places, default=None))
    return mended(draft, Evidence(now, past, *told), budget=budget, weigh=brief.weigh)
