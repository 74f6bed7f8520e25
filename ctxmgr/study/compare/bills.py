"""Turns a compaction into its cost if a model writes it, both ways: with a copy of the conversation, and at the end
of the list that was sent to the session's model.

1. The engine does the arithmetic (`ctxmgr.summarize.compacting`), so the cheaper way here is the one it would
   choose.
2. One call is billed, whatever wrote the summary. Its output is as long as the summary.
3. The provider's cache holds what was sent for the last reply: the overhead and the list before that reply.
   Everything newer, and the message that requests the summary, is written to the cache. After a pause longer than
   the cache's lifetime the cache is empty.
4. No window limits the list: the window of the session's model is unknown, and the model did accept the list.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.model import WeighMessage, prices
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, places_in_list
from ctxmgr.study.observations import PriceSheet
from ctxmgr.summarize import HostContext, SummaryInput, WayCosts, writing

UNBOUNDED = 1 << 40  # tokens


class BilledList(msgspec.Struct, frozen=True):
    """A list before a compaction. `tokens`: of the list. `sent_tokens`: of what was sent for its last reply.
    `asked_ms` and `ended_ms`: the times of that reply and of the last entry in milliseconds, None if unknown.
    """

    tokens: int
    sent_tokens: int
    asked_ms: int | None = None
    ended_ms: int | None = None


def sent(path: Sequence[BranchEntry], weigh: WeighMessage) -> BilledList:
    """The list of a branch path, without system prompts. A reply before the newest compaction does not count, since
    another list was sent for it (rule 3).
    """
    places = places_in_list(path)
    start = places[0] if places and path[places[0]].kind == "compaction" else -1
    replies = (index for index in range(len(path) - 1, start, -1) if path[index].answers)
    reply = next(replies, None)
    before = 0 if reply is None else reply
    weights = {
        index: sum(weigh(message) for message in path[index].messages if not message.system)
        for number, index in enumerate(places)
        if not number or path[index].kind != "compaction"
    }
    return BilledList(
        sum(weights.values()),
        sum(weight for index, weight in weights.items() if index < before),
        None if reply is None else path[reply].time_ms,
        path[-1].time_ms if path else None,
    )


def costs(
    brief: SummaryInput[CompactionPlan], listed: BilledList, summary_tokens: int, sheet: PriceSheet
) -> WayCosts | None:
    """None if the compaction gives a model nothing to summarize."""
    if not (brief.preparation.history or brief.preparation.prefix):
        return None
    cached = sheet.overhead_tokens + listed.sent_tokens
    context = HostContext(
        0 if prices.is_cold(listed.asked_ms, listed.ended_ms, sheet.ttl_ms) else cached,
        sheet.overhead_tokens + listed.tokens,
        UNBOUNDED,
        prices=sheet.prices,
    )
    return writing.both_ways(brief, context, summary_tokens)
