"""The event `turn_end`: the model answered and its tools ran. Reads the usage, learns from the messages, and
requests a compaction when it is time.

1. A provider's count is a reading if it is plausible (`meter`); a failed reply gives none. If a host reports no
   plausible count at all, the list's estimate is used.
2. A compaction is requested once (`latch`), and only for what no projection would remove by itself.
3. A packet that resumes has reached the model that answered, and is not sent again.
4. Messages reported here are not read again when the next list brings them.
5. A refusal as too long teaches a smaller window (`learned_window`), a success of more tokens a larger one. If that
   window would hold what was refused, our count is wrong: until the provider counts or accepts a list as large,
   only a shorter one fits. A refusal of the request's bytes teaches no window; a shorter list has fewer of them.
6. What the provider read from its cache is compared with the expectation (`engine.caching`).
7. A refusal for the roles of messages teaches that this model requires them to alternate.
8. A single text in place of a reply is the client's report of a failed call.
9. Usage with unknown members is reported once, with their names.

As for a list: passes from turn to turn, and one `_commit` that changes the session.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ctxmgr.engine.arrival import arriving_weight
from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.memory import with_shared_words
from ctxmgr.engine.pressure import latch, learned_window, meter, overflowed, wordings
from ctxmgr.formats import is_number_as_text, unknown_usage
from ctxmgr.model import Message, Usage
from ctxmgr.model.api import converted, lifecycle
from ctxmgr.model.saved import Ledger, State
from ctxmgr.session import ledger_updates
from ctxmgr.session.effective import (
    UsageMismatches,
    window_of,
    with_refusal,
    with_strict_roles,
    with_success,
    with_window,
)
from ctxmgr.session.methods.archiving import warn
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import INLINE_BYTES, Offload, Verb

TRAIL_LOOKED_AT = 64  # entries at the end of the path that are checked for repetition


class EndedTurn(msgspec.Struct, frozen=True):
    """A turn that ended, and its consequences so far. `session` is as it was before; passes only read it.

    `messages`: the reply and its results. `users`: of the list, with the entries that the host names for them.
    `usage`: as reported. `counted`: it is believed; `doubted`: it is not; `by_estimate`: no usage is known.
    `tokens`: of what would be sent now. `state` and `ledger`: the next ones. `overflowed`: the provider refused the
    list as too long. `asks`: a compaction is requested.
    """

    session: SessionCore
    params: lifecycle.TurnEndParams
    messages: tuple[Message, ...]
    users: list[tuple[Message, str]]
    usage: Usage | None
    failed: bool
    overflowed: bool
    state: State
    ledger: Ledger
    mismatches: UsageMismatches
    counted: bool = False
    doubted: bool = False
    by_estimate: bool = False
    tokens: int = 0
    asks: bool = False

    @property
    def reply(self) -> Message:
        return self.messages[0]


def turn_end(session: SessionCore, params: lifecycle.TurnEndParams) -> Verb[EndedTurn]:
    """The model answered and its tools ran."""
    raws = [_reply(bytes(params.message)), *(bytes(raw) for raw in params.tool_results or ())]
    session.check_format(raws, "$.message")
    if sum([len(raw) for raw in raws if raw not in session.pending_messages]) > INLINE_BYTES:
        messages = yield Offload(lambda: session.reader.read(raws, session.pending_messages))
    else:
        messages = session.reader.read(raws, session.pending_messages)
    turn = _turn_ended(session, params, messages)
    _commit(turn)
    warn(session, unknown_words(params.usage))
    return turn


def _reply(raw: bytes) -> bytes:
    """Rule 8."""
    return b'{"error":' + raw + b"}" if raw.startswith(b'"') else raw


def checked(usage: Mapping[str, Any]) -> dict[str, Any]:
    """The members whose types we check. Cohere's `tokens` holds an object and is another member, and some providers
    write numbers as text.
    """
    return {
        name: int(value) if is_number_as_text(value) else value
        for name, value in usage.items()
        if name != "tokens" or not isinstance(value, dict)
    }


def unknown_words(usage: Mapping[str, Any] | None) -> str:
    """Rule 9; "" if all members are known."""
    names = ", ".join(unknown_usage(usage))
    return f"usage has unknown members, which are not counted: {names}" if names else ""


def _turn_ended(session: SessionCore, params: lifecycle.TurnEndParams, messages: tuple[Message, ...]) -> EndedTurn:
    reply = messages[0].view
    usage = reply.usage
    if params.usage is not None:
        converted(checked(params.usage), lifecycle.UsageParams, "$.usage")
        usage = session.fmt.usage(params.usage)
    turn = EndedTurn(
        session=session,
        params=params,
        messages=messages,
        users=_named_users(session, params.entry_ids),
        usage=usage,
        failed=reply.stop in ("error", "aborted"),
        overflowed=overflowed(reply, usage, session.state.model.window),
        state=session.state,
        ledger=session.ledger,
        mismatches=session.mismatches,
    )
    for make in PASSES:
        turn = make(turn)
    return turn


def count_tokens(turn: EndedTurn) -> EndedTurn:
    """Rule 1."""
    session, usage, state = turn.session, turn.usage, turn.state
    weight, reading, mismatches = state.outgoing_tokens + turn.reply.weight, state.meter, turn.mismatches
    reported = usage is not None and not turn.failed
    if usage is not None and reported:
        reading = meter.observe(reading, session.ratio_key, usage.total_tokens, weight, state.model.window)
    counted = reading is not state.meter
    doubted = reported and not counted
    if usage is not None and doubted:
        mismatches = mismatches.with_usage(usage.total_tokens, weight)
    by_estimate = session.by_estimate if turn.failed else usage is None or doubted
    active = session.preset.is_active(state)
    for message in turn.messages[1:]:
        weight += arriving_weight(message, session.policy) if active else message.weight
    return msgspec.structs.replace(
        turn,
        state=msgspec.structs.replace(
            state,
            meter=reading,
            unseen=meter.unseen(reading, session.ratio_key) if counted else state.unseen,
            outgoing_tokens=weight,
        ),
        mismatches=mismatches,
        counted=counted,
        doubted=doubted,
        by_estimate=by_estimate and reading.reading_tokens is None,
        tokens=meter.tokens(reading, session.ratio_key, weight, max(state.overhead, state.unseen)),
    )


def learn_facts(turn: EndedTurn) -> EndedTurn:
    """Statements and actions become facts of the entries that the host names."""
    session, messages, ids = turn.session, turn.messages, turn.params.entry_ids
    named = {message.digest: id for message, id in turn.users}
    state, bound = ledger_updates.bind(turn.state, ids.message if ids else None, named)
    base = len(session.projection.messages) + 1
    numbered = list(enumerate(messages, base))
    entries: dict[int, str | None] = {}
    if ids is not None:
        entries = dict(enumerate((ids.message, *(ids.tool_results or ())), base))
    time_ms = int(turn.params.at) if turn.params.at is not None else None
    calls = session.calls(messages)
    state, facts = ledger_updates.from_messages(state, numbered, calls, time_ms, entries, session.source_messages)
    facts = with_shared_words(session.ledger, facts)
    state = ledger_updates.learn(state, facts, bound=True)
    if len(messages) > 1:  # the host may compact before it sends another list
        inputs = session.inputs(session.state, session.ledger)
        state = ledger_updates.with_instructions(state, extend(ConversationIndex(), messages), 0, inputs)
    ledger = ledger_updates.merged(session.ledger, session.state, state, (*bound, *facts))
    return msgspec.structs.replace(turn, state=state, ledger=ledger)


def follow_path(turn: EndedTurn) -> EndedTurn:
    """Adds this turn's entries to the path."""
    ids, trail = turn.params.entry_ids, turn.state.trail
    if ids is None:
        return turn
    newest = trail[-TRAIL_LOOKED_AT:]
    on_path = (*(id for _, id in turn.users), ids.message, *(ids.tool_results or ()))
    added = tuple(id for id in on_path if id is not None and id not in newest)
    if not added:
        return turn
    return msgspec.structs.replace(turn, state=msgspec.structs.replace(turn.state, trail=trail + added))


def ask_for_compaction(turn: EndedTurn) -> EndedTurn:
    """Rule 2."""
    session, may_ask = turn.session, turn.session.may_ask()
    if turn.overflowed:
        after, asks = latch.overflow(turn.state.latch, _newest_user(session), may_ask)
    else:
        reading: latch.Reading = "unknown"
        if turn.counted or ((turn.by_estimate or turn.doubted) and not turn.failed):
            low = turn.tokens < session.thresholds.calm
            reading = "high" if _is_high(session, turn.tokens) else "low" if low else "middle"
        after, asks = latch.turn_end(turn.state.latch, reading, may_ask)
    totals = turn.state.totals
    if asks:
        totals = msgspec.structs.replace(totals, compactions_requested=totals.compactions_requested + 1)
    return msgspec.structs.replace(
        turn, state=msgspec.structs.replace(turn.state, latch=after, totals=totals), asks=asks
    )


def _is_high(session: SessionCore, tokens: int) -> bool:
    """Whether it is time to request a compaction. What the next list may remove by itself does not count."""
    asking = session.preset.asking_tokens(session.thresholds)
    if tokens < asking:
        return False
    inputs = session.inputs(session.state, session.ledger)
    leaves = session.preset.leavable_weight(session.state, session.plan, session.projection.answered, inputs)
    return tokens - inputs.gauge.ratio * leaves >= asking


def _newest_user(session: SessionCore) -> str:
    """Identifies the newest user message; without one, the number of earlier compactions."""
    conversation = session.projection.conversation
    newest = conversation.newest_user
    if newest >= 0:
        return f"{conversation.key(newest)} {conversation.messages[newest].view.time_ms}"
    return f"none after {sum(summary.kind == 'compaction' for summary in session.state.summaries)}"


def compare_cache(turn: EndedTurn) -> EndedTurn:
    """Rule 6."""
    session, before = turn.session, turn.session.state
    cache, counted = before.cache, truth.uncounted(before.counted)
    if turn.usage is not None and turn.counted and before.last_projection is not None:
        gauge, weight = session.gauge(before), before.last_projection.weight
        documented_ms = session.model.documented_ms(before)
        call = truth.CountedCall(before.model.id, turn.usage, weight, gauge.ratio, gauge.terms.cache, documented_ms)
        cache, counted = truth.answered(before.cache, before.counted, call)
    return msgspec.structs.replace(turn, state=msgspec.structs.replace(turn.state, cache=cache, counted=counted))


def end_resuming(turn: EndedTurn) -> EndedTurn:
    """Rule 3."""
    state = turn.state
    used_up = state.resumed and not turn.failed
    state = msgspec.structs.replace(
        state, resume=state.resume and not used_up, resumed=state.resumed and not used_up, seq=state.seq + 1
    )
    return msgspec.structs.replace(turn, state=state)


def learn_window(turn: EndedTurn) -> EndedTurn:
    """Rule 5."""
    state, error = turn.state, turn.reply.view.error
    declared, taken, read = state.model.window, window_of(state), state.meter.reading_tokens
    if turn.overflowed and turn.reply.view.stop == "error":
        if not wordings.is_of_bytes(error):
            sent = turn.session.gauge(state).tokens(state.outgoing_tokens)
            sure = sent if read is not None or sent >= taken else None
            named = wordings.named_window(error)
            state = with_window(state, learned_window.after_refusal(taken, declared, named, sure))
        state = with_refusal(state, turn.session.gauge(state).fit_weight)
    elif turn.counted and read is not None and read > taken:
        state = with_window(state, learned_window.after_success(taken, declared, read))
    if not turn.failed and not turn.overflowed:
        state = with_success(state, turn.counted)
    return msgspec.structs.replace(turn, state=state)


def learn_roles(turn: EndedTurn) -> EndedTurn:
    """Rule 7."""
    view = turn.reply.view
    if view.stop != "error" or turn.overflowed or not wordings.says_of_roles(view.error):
        return turn
    return msgspec.structs.replace(turn, state=with_strict_roles(turn.state))


PASSES: tuple[Callable[[EndedTurn], EndedTurn], ...] = (
    count_tokens,
    learn_facts,
    follow_path,
    ask_for_compaction,
    compare_cache,
    end_resuming,
    learn_window,
    learn_roles,
)


def _commit(turn: EndedTurn) -> None:
    session, messages, ids = turn.session, turn.messages, turn.params.entry_ids
    session.set_state(turn.state)
    session.ledger, session.by_estimate, session.mismatches = turn.ledger, turn.by_estimate, turn.mismatches
    session.pending_messages.hear(messages)
    session.source_messages.add(*messages)
    if ids is not None:
        given = [ids.message, *(ids.tool_results or ())]
        for message, id in (*zip(messages, given, strict=False), *turn.users):
            if id:
                session.entry_of.add(message, id)


def _named_users(session: SessionCore, ids: lifecycle.EntryIds | None) -> list[tuple[Message, str]]:
    """The newest user messages of the last list, with the entries that the host names for them."""
    names = [ids.user] if ids is not None and isinstance(ids.user, str) else list((ids and ids.user) or ())
    if not names:
        return []
    users = [message for message in session.projection.messages if message.view.opens_turn][-len(names) :]
    return [(message, id) for message, id in zip(reversed(users), reversed(names), strict=False) if id][::-1]
