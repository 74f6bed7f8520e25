"""The event `turn_end`: the model answered and its tools ran. What it cost is read, what it said is learnt, and the
host is asked for a compaction where it is time.

1. A provider's count is a reading, where it can be believed (`meter`); a reply that failed gives none. Where a
   host reports none at all, or none to be believed, the estimate of the list stands for it.
2. It is asked once (`latch`), and only for what no projection would take away by itself.
3. A packet that resumes was told to the model that answered: it does not come again.
4. What was reported here is not read again when the next list brings it.
5. A refusal as too long teaches a smaller window (`learned`), a success of more tokens a larger one. Where that
   window would hold what was refused, our count is wrong: until the provider counts a list that it takes, or takes
   one as large, only a shorter one fits.
6. What the provider read from its cache is compared with what it should have (`engine.caching`).
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.engine.arrival import arriving_weight
from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.memory import with_shared_words
from ctxmgr.engine.pressure import latch, learned, meter, overflowed
from ctxmgr.model import Message, Usage
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import CacheTruth, CountedList, Latch, State
from ctxmgr.session import ledger_updates
from ctxmgr.session.session import SessionCore
from ctxmgr.session.windows import window_of, with_refusal, with_success
from ctxmgr.session.work import INLINE_BYTES, Offload, Verb

TRAIL_LOOKED_AT = 64  # entries at the end of the path, where one that comes again is known
EARLY_BYTES_AT_MOST = 32 << 10  # of messages heard before this turn_end that no list has shown yet


class TurnEnd(msgspec.Struct, frozen=True):
    """Why a compaction is to be asked for, "" where none is, and at how many tokens. `overflowed`: the provider
    refused the list as too long."""

    reason: str
    tokens: int
    overflowed: bool


def turn_end(session: SessionCore, params: lifecycle.TurnEndParams) -> Verb[TurnEnd]:
    """The model answered and its tools ran."""
    raws = [bytes(params.message), *(bytes(raw) for raw in params.tool_results or ())]
    session.check_format(raws, "$.message")
    if sum(len(raw) for raw in raws if raw not in session.pending_messages) > INLINE_BYTES:
        messages = yield Offload(lambda: session.reader.read(raws, session.pending_messages))
    else:
        messages = session.reader.read(raws, session.pending_messages)
    return _turn_ended(session, params, messages)


def _turn_ended(session: SessionCore, params: lifecycle.TurnEndParams, messages: tuple[Message, ...]) -> TurnEnd:
    reply = messages[0]
    held = session.state.outgoing_tokens + reply.weight
    usage = _usage(session, params, reply)
    reading, failed = session.state.meter, reply.view.stop in ("error", "aborted")
    if usage is not None and not failed:
        reading = meter.observe(reading, session.ratio_key, usage.total_tokens, held, session.state.model.window)
    heard = reading is not session.state.meter
    doubted = usage is not None and not failed and not heard
    doubts = (
        session.doubts.with_usage(usage.total_tokens, held) if usage is not None and doubted else session.doubts
    )
    by_estimate = reading.reading_tokens is None and (session.by_estimate if failed else usage is None or doubted)
    active = session.preset.is_active(session.state)
    held += sum(arriving_weight(message, session.policy) if active else message.weight for message in messages[1:])
    tokens = meter.tokens(reading, session.ratio_key, held, max(session.state.overhead, session.state.unseen))
    users = _named_users(session, params.entry_ids)
    state, facts = _learn_turn(session, params, messages, users)
    ledger = ledger_updates.merged(session.ledger, session.state, state, facts)
    overflow = overflowed(reply.view, usage, session.state.model.window)
    new_latch, asks = _latch_turn(session, overflow, tokens, heard or ((by_estimate or doubted) and not failed))
    totals = state.totals
    if asks:
        count = totals.compactions_requested + 1
        totals = msgspec.structs.replace(totals, compactions_requested=count)
    cache, counted = _cache(session, usage if heard else None)
    used_up = state.resumed and reply.view.stop not in ("error", "aborted")
    session.state = msgspec.structs.replace(
        state,
        resume=state.resume and not used_up,
        resumed=state.resumed and not used_up,
        seq=state.seq + 1,
        meter=reading,
        unseen=meter.unseen(reading, session.ratio_key) if heard else state.unseen,
        latch=new_latch,
        totals=totals,
        outgoing_tokens=held,
        cache=cache,
        counted=counted,
    )
    session.ledger, session.by_estimate, session.doubts = ledger, by_estimate, doubts
    _remember_early(session, messages)
    marks = [ledger_updates.mark(message) for message in messages]
    session.source_messages.add(*messages)
    if params.entry_ids is not None:
        ids = [params.entry_ids.message, *(params.entry_ids.tool_results or ())]
        session.entry_of |= {mark: id for mark, id in zip(marks, ids, strict=False) if id}
        session.entry_of |= {ledger_updates.mark(message): id for message, id in users}
    _learn_window(session, reply, overflow, reading.reading_tokens if heard else None)
    if not failed and not overflow:
        session.state = with_success(session.state, heard)
    reason = "overflow" if overflow else "threshold"
    return TurnEnd(reason if asks else "", tokens, overflow)


def _cache(session: SessionCore, usage: Usage | None) -> tuple[CacheTruth, CountedList]:
    """Rule 6. `usage`: None where there is none that is believed."""
    state = session.state
    if usage is None or state.last_projection is None:
        return state.cache, truth.uncounted(state.counted)
    gauge, weight = session.gauge(state), state.last_projection.weight
    documented_ms = session.model.documented_ms(state)
    call = truth.CountedCall(state.model.id, usage, weight, gauge.ratio, gauge.terms.cache, documented_ms)
    return truth.answered(state.cache, state.counted, call)


def _learn_window(session: SessionCore, reply: Message, overflow: bool, counted: int | None) -> None:
    """Rule 5. `counted`: tokens of a request that was taken, None where nothing is known of it."""
    said, taken = session.state.model.window, window_of(session.state)
    if overflow and reply.view.stop == "error":
        if learned.is_of_bytes(reply.view.error):
            return
        gauge = session.gauge(session.state)
        known = session.state.meter.reading_tokens is not None
        sent = gauge.tokens(session.state.outgoing_tokens)
        named = learned.named_window(reply.view.error)
        sure = sent if known or sent >= taken else None
        session.learn_window(learned.after_refusal(taken, said, named, sure))
        session.state = with_refusal(session.state, session.gauge(session.state).fit_weight)
    elif counted is not None and counted > taken:
        session.learn_window(learned.after_success(taken, said, counted))


def _usage(session: SessionCore, params: lifecycle.TurnEndParams, reply: Message) -> Usage | None:
    if params.usage is not None:
        given: Usage | None = session.fmt.usage(msgspec.to_builtins(params.usage))
        return given
    return reply.view.usage


def _named_users(session: SessionCore, ids: lifecycle.EntryIds | None) -> list[tuple[Message, str]]:
    """The newest user messages of the last list, with the entries that the host names for them."""
    names = [ids.user] if ids is not None and isinstance(ids.user, str) else list((ids and ids.user) or ())
    if not names:
        return []
    users = [message for message in session.projection.messages if message.view.opens_turn][-len(names) :]
    return [(message, id) for message, id in zip(reversed(users), reversed(names), strict=False) if id][::-1]


def _learn_turn(
    session: SessionCore,
    params: lifecycle.TurnEndParams,
    messages: tuple[Message, ...],
    users: list[tuple[Message, str]],
) -> tuple[State, Any]:
    ids = params.entry_ids
    named = {message.digest: id for message, id in users}
    state, bound = ledger_updates.bind(session.state, ids.message if ids else None, named)
    base = len(session.projection.messages) + 1
    numbered = [(base + number, message) for number, message in enumerate(messages)]
    entries: dict[int, str | None] = {}
    trail = state.trail
    if ids is not None:
        given = [ids.message, *(ids.tool_results or ())]
        entries = dict(zip((position for position, _ in numbered), given, strict=False))
        on_path = [*(id for _, id in users), *given]
        newest = trail[-TRAIL_LOOKED_AT:]
        trail += tuple(one for one in on_path if one is not None and one not in newest)
    calls = session.calls(messages)
    at = int(params.at) if params.at is not None else None
    state, facts = ledger_updates.from_messages(state, numbered, calls, at, entries, session.source_messages)
    facts = with_shared_words(session.ledger, facts)
    state = ledger_updates.learn(state, facts, bound=True)
    if len(messages) > 1:  # the host may compact before it sends another list
        inputs = session.inputs(state, session.ledger)
        state = ledger_updates.with_instructions(state, extend(ConversationIndex(), messages), 0, inputs)
    if len(trail) != len(state.trail):
        state = msgspec.structs.replace(state, trail=trail)
    return state, (*bound, *facts)


def _latch_turn(session: SessionCore, overflow: bool, tokens: int, heard: bool) -> tuple[Latch, bool]:
    may_ask = session.may_ask()
    if overflow:
        return latch.overflow(session.state.latch, _newest_user(session), may_ask)
    reading: latch.Reading = "unknown"
    if heard:
        reading = "high" if _is_high(session, tokens) else "low" if tokens < session.thresholds.calm else "middle"
    return latch.turn_end(session.state.latch, reading, may_ask)


def _is_high(session: SessionCore, tokens: int) -> bool:
    """Is it time to ask? What may leave with the next list by itself does not count."""
    asking = session.preset.asking_tokens(session.thresholds)
    if tokens < asking:
        return False
    inputs = session.inputs(session.state, session.ledger)
    leaves = session.preset.leavable_weight(session.state, session.plan, session.projection.answered, inputs)
    return tokens - inputs.gauge.ratio * leaves >= asking


def _newest_user(session: SessionCore) -> str:
    """What the newest user message is told apart by; a run without one, by the compactions before it."""
    conversation = session.projection.conversation
    newest = conversation.newest_user
    if newest >= 0:
        return f"{conversation.key(newest)} {conversation.messages[newest].view.time_ms}"
    return f"none after {sum(summary.kind == 'compaction' for summary in session.state.summaries)}"


def _remember_early(session: SessionCore, messages: Sequence[Message]) -> None:
    """The newest by bytes; those of the event just heard stay whatever their size."""
    early = session.pending_messages
    early |= {message.raw: message for message in messages}
    size = sum(map(len, early)) - sum(len(message.raw) for message in messages)
    for raw in list(early)[: -len(messages)]:
        if size <= EARLY_BYTES_AT_MOST:
            break
        size -= len(raw)
        del early[raw]
