"""Finds where a prompt changed early though ctxmgr did not change it, and how many tokens are written again because
of it.

1. A list that only grew, and whose host reports no change beside it, is not checked (`committing`).
2. There is no loss without a cache: the cache is cold, there is none, or the model changed.
3. A compaction starts another list. That is no bust, nor is a change before the list that comes with it.
4. In a list, only messages count that were sent before and are sent again behind the change. A list that goes back,
   or on from an earlier place, sends nothing again.
5. What ctxmgr removed, before or with this answer, is not counted as written again: at most the tokens that both
   answers have behind their common beginning. A change before the list costs all that they share.
"""

import msgspec

from ctxmgr.model import CallTokens, difference, prices
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import State
from ctxmgr.session.context.fitting import ListPlan
from ctxmgr.session.session import SessionCore

LEAST_TOKENS = 1_024  # most providers cache no shorter prefix


def bust_of(
    session: SessionCore, params: lifecycle.ContextParams, shared_count: int, plan: ListPlan, prefix_tokens: int
) -> lifecycle.CacheBust | None:
    """`session` is as it was before this list, which shares `shared_count` messages with the last one.
    `prefix_tokens`: the tokens of the answers' common beginning.
    """
    before, told = session.projection.messages, params.prefix_change
    gone, after = before[shared_count:], plan.projection.messages[shared_count:]
    sent = {message.raw for message in gone}
    has_summary = any(message.view.summary == "compaction" and message.raw not in sent for message in after)
    if has_summary or not _was_kept(session, params, plan):
        return None
    gauge = session.gauge(session.state)
    if told is not None:
        return _counted(session, told, gauge.tokens(prefix_tokens))
    end = next((count for count in range(len(after), 0, -1) if after[count - 1].raw in sent), 0)
    again = after[:end]  # the rest is new
    found = difference.first_difference([message.raw for message in gone], [message.raw for message in again])
    if found is None:
        return None
    behind = min(session.plan.weight, plan.plan.weight) - prefix_tokens  # rule 5
    weight = min(behind, sum(message.weight for message in again if message.raw in sent))
    change = lifecycle.PrefixChange("messages", found.how, shared_count + found.index, found.offset)
    return _counted(session, change, round(gauge.ratio * weight))


def _was_kept(session: SessionCore, params: lifecycle.ContextParams, plan: ListPlan) -> bool:
    """Rules 2 and 3."""
    state, arrived = session.state, plan.arrived
    rule = session.model.terms_by(state).cache
    if rule.kind == "none" or arrived.anew or arrived.state.reopen in ("compaction", "model"):
        return False
    time_ms = int(params.at) if params.at is not None else None
    return not prices.is_cold(state.counted.listed_ms, time_ms, rule.lifetime_ms)


def _counted(session: SessionCore, change: lifecycle.PrefixChange, tokens: int) -> lifecycle.CacheBust | None:
    """The bust, or None if the loss is too small."""
    if tokens < LEAST_TOKENS:
        return None
    terms, whole = session.model.terms_by(session.state).prices, session.tokens()
    written = prices.dollars(CallTokens(written_tokens=tokens), terms, whole)
    read = prices.dollars(CallTokens(read_tokens=tokens), terms, whole)
    dearer = round(written - read, 6) if written is not None and read is not None else None
    return lifecycle.CacheBust(**msgspec.structs.asdict(change), tokens=tokens, dollars=dearer)


def with_bust(state: State, bust: lifecycle.CacheBust) -> State:
    """The state that counts it, too."""
    busts = lifecycle.CacheBusts.of(lifecycle.CacheBusts.saved(state.busts), bust)
    return msgspec.structs.replace(state, busts=msgspec.to_builtins(busts))
