"""The verb `context`: a list arrives, is projected, and goes back as messages, edits or `unchanged`.

What can fail runs inside one attempt; if it fails, the fallback answers, and the session stays as it was.
"""

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants import FRESH
from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.pressure import meter
from ctxmgr.model.api import lifecycle, reports
from ctxmgr.model.facts import Ledger
from ctxmgr.model.faults import where
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Keep
from ctxmgr.model.state import State
from ctxmgr.session import ledger_updates
from ctxmgr.session.context import fallback
from ctxmgr.session.context.balancing import Choosing
from ctxmgr.session.context.inputs import Setting
from ctxmgr.session.context.projecting import Broken, Outcome, outcome
from ctxmgr.session.context.raw_messages import Spool
from ctxmgr.session.projection import Standing, runs, shared
from ctxmgr.session.session import MEMO_AT_MOST, Session
from ctxmgr.session.work import INLINE_BYTES, Verb, Work

Parts = list[bytes | memoryview]
_encode = msgspec.json.Encoder().encode


class Stale(Exception):
    """`append` does not fit what was sent before: the host must send the whole list."""


class Arrival(msgspec.Struct, frozen=True):
    """A list as it came: its first `prefix` messages are those of the standing list, `fresh` the raw rest."""

    prefix: int
    fresh: tuple[bytes, ...]


class Attempt(msgspec.Struct, frozen=True):
    """What came of projecting: an outcome with its ledger, or the reason why there is none."""

    outcome: Outcome | None
    ledger: Ledger
    reason: str = ""
    checks: tuple[str, ...] = ()
    places: str = ""


def context(
    session: Session, spool: Spool, params: lifecycle.ContextParams, stripped: int | None = None, mended: int = 0
) -> Verb[Parts]:
    """The members of the answer as bytes, without the enclosing braces.

    `stripped`: so many messages were recognised in the request's bytes, and left out of `params.messages`;
    `mended`: so many unpaired surrogates were mended in the request. Raises Stale.
    """
    arrival = _arrive(session, params, stripped)
    size = sum(map(len, arrival.fresh))
    if size > INLINE_BYTES or session.standing.weigher != session.reader.name:
        attempt: Attempt = yield Work(lambda: _attempt(session, arrival, params))
    else:
        try:
            attempt = _attempt(session, arrival, params, may_choose=False)
        except Choosing:
            attempt = yield Work(lambda: _attempt(session, arrival, params))
    before = session.standing
    if attempt.outcome is None:
        return _fall_back(session, spool, arrival, attempt)
    done = attempt.outcome
    spool.truncate(arrival.prefix)
    spool.extend(arrival.fresh)
    session.state, session.standing, session.ledger = done.state, done.standing, attempt.ledger
    session.leaving += done.rows
    session.early.clear()
    session.heard.update(ledger_updates.mark(message) for message in done.standing.messages[arrival.prefix :])
    if len(session.memo) > MEMO_AT_MOST:
        session.memo.clear()
    return _answer(session, spool, params, done, before, arrival, mended)


def _arrive(session: Session, params: lifecycle.ContextParams, stripped: int | None) -> Arrival:
    held = session.standing.messages
    if params.append is not None:
        if not session.standing.tag or params.append.base != session.standing.tag:
            raise Stale("the base is not of the last answer")
        if params.append.after != len(held):
            raise Stale(f"{len(held)} messages were sent before")
        return Arrival(len(held), tuple(bytes(raw) for raw in params.append.messages))
    raws = tuple(bytes(raw) for raw in params.messages or ())
    if stripped is not None:
        return Arrival(stripped, raws)
    prefix = 0
    for message, raw in zip(held, raws, strict=False):
        if message.raw != raw:
            break
        prefix += 1
    return Arrival(prefix, raws[prefix:])


def _attempt(
    session: Session, arrival: Arrival, params: lifecycle.ContextParams, may_choose: bool = True
) -> Attempt:
    """Assigns nothing: may run in another thread while the session waits. Raises Choosing where it had better."""
    try:
        old, prefix, state = session.standing, arrival.prefix, session.state
        if old.weigher == session.reader.name:
            messages = (*old.messages[:prefix], *_read(session, arrival))
        else:
            messages, state, old = _weighed_anew(session, arrival)
            prefix = 0
        if state.shown is not None and state.shown.weigher != session.reader.name:
            # of another run: its weights say nothing about these
            state = msgspec.structs.replace(state, meter=meter.void(state.meter), shown=None)
        state, ledger = _learn(session, state, messages, arrival.prefix, params)
        setting = Setting(
            policy=session.policy,
            at=session.at,
            form=session.form,
            weigh=session.weigh,
            weigher=session.reader.name,
            model=session.ratio_key,
            overhead=state.overhead if params.overhead_tokens is None else int(params.overhead_tokens),
            ledger=ledger,
            memo=session.memo,
            moment=int(params.at) if params.at is not None else None,
            archive=bool(session.capabilities.retrieve),
            may_choose=may_choose,
        )
        return Attempt(outcome(state, old, messages, prefix, setting), ledger)
    except Choosing:
        raise
    except Broken as broken:
        return Attempt(None, session.ledger, f"checks failed: {broken}", broken.checks)
    except Exception as fault:  # noqa: BLE001  whatever it is, the host's call must go on
        return Attempt(None, session.ledger, f"internal fault: {type(fault).__name__}", (), where(fault))


def _weighed_anew(session: Session, arrival: Arrival) -> tuple[tuple[Message, ...], State, Standing]:
    """Another weigher is in force: the list is read again, and what the reading stood for is scaled to it."""
    old = session.standing
    held = old.messages[: arrival.prefix]
    messages = session.reader.read([*(message.raw for message in held), *arrival.fresh])
    before = sum(message.weight for message in held)
    after = sum(message.weight for message in messages[: len(held)])
    state = session.state
    if before and after:
        shown = state.shown
        if shown is not None:
            weight = round(shown.weight * after / before)
            shown = msgspec.structs.replace(shown, weight=weight, weigher=session.reader.name)
        scaled = meter.rescaled(state.meter, session.reader.name, after / before)
        state = msgspec.structs.replace(state, shown=shown, meter=scaled)
    anew = msgspec.structs.replace(old, conversation=ConversationIndex(), carried=FRESH, answered=False)
    return messages, state, anew


def _read(session: Session, arrival: Arrival) -> tuple[Message, ...]:
    """Messages known from `turn_end`, or from the list before it was written anew, are not read again."""
    known: dict[bytes, Message] = dict(session.early)
    if arrival.prefix < len(session.standing.messages):
        known |= {message.raw: message for message in session.standing.messages[arrival.prefix :]}
    return session.reader.read(arrival.fresh, known)


def _learn(
    session: Session, state: State, messages: tuple[Message, ...], prefix: int, params: lifecycle.ContextParams
) -> tuple[State, Ledger]:
    """Facts of messages not heard before; summaries are folded and kept whole."""
    ledger = session.ledger
    fresh = [(position, messages[position]) for position in range(prefix, len(messages))]
    if state.away:
        shown = messages[prefix:] if session.standing.tag else messages
        state, back = ledger_updates.returned(state, {message.digest for message in shown})
        ledger = fold(ledger, back)
    for _, message in fresh:
        if message.view.summary:
            text = message.view.units[0].text
            state, facts = ledger_updates.from_summary(state, text, message.view.summary, message.view.at, None)
            state, ledger = ledger_updates.learn(state, facts, bound=False), fold(ledger, facts)
    calls = session.calls(message for _, message in fresh)
    at = int(params.at) if params.at is not None else None
    before, (state, facts) = state, ledger_updates.from_messages(state, fresh, calls, at, {}, session.heard)
    state = ledger_updates.learn(state, facts, bound=False)
    return state, ledger_updates.merged(ledger, before, state, facts)


# answers


def _answer(
    session: Session,
    spool: Spool,
    params: lifecycle.ContextParams,
    done: Outcome,
    before: Standing,
    arrival: Arrival,
    mended: int,
) -> Parts:
    standing = session.standing
    untouched = standing.plan.pieces in ((), (Keep(0, len(standing.messages)),))
    raw_fits = done.tokens <= session.at.limit
    reason = None
    if untouched and raw_fits and params.answer != "messages":
        reason = "pruning is off" if done.mode == "off" else "nothing to leave out"
        body: Parts = [b'"unchanged":true']
    elif params.answer == "edits":
        body = [b'"edits":[', *_edits(standing), b"]"]
    else:
        body = [b'"messages":[', *_messages(standing, spool), b"]"]
    begins = shared(before, standing, arrival.prefix) if before.plan.pieces else None
    report = _report(standing, session, begins, reason, mended)
    if done.epoch is not None:
        gone = tuple(reports.ReadGone(path) for path in done.reads_gone)
        report = msgspec.structs.replace(report, arithmetic=done.epoch.arithmetic, reads_gone=gone or None)
    tail = b',"base":%b,"report":%b,"seq":%d' % (_encode(standing.tag), _encode(report), session.state.seq)
    return [*body, tail]


def _messages(standing: Standing, spool: Spool) -> Parts:
    parts: Parts = []
    for start, end, content in runs(standing):
        if parts:
            parts.append(b",")
        parts += [content] if content else spool.run(start, end)
    return parts


def _edits(standing: Standing) -> Parts:
    parts: Parts = []
    for start, end, content in runs(standing):
        if parts:
            parts.append(b",")
        parts += [b'{"put":', content, b"}"] if content else [b'{"keep":[%d,%d]}' % (start, end)]
    return parts


def _report(
    standing: Standing,
    session: Session,
    begins: tuple[int, int, int] | None,
    reason: str | None,
    mended: int = 0,
) -> reports.Report:
    """What the standing projection did; `begins` is what its answer shares with the one before, if one was."""
    changed, tokens, size = begins if begins is not None else (-1, None, None)
    plan = standing.plan
    return reports.Report(
        raw_tokens=plan.raw_weight,
        tokens=plan.weight,
        zone=plan.zone,
        epoch=session.state.epoch.number,
        first_changed_index=changed,
        turns_kept=plan.turns_kept,
        turns_dropped=plan.turns_dropped,
        results_distilled=plan.distilled,
        results_pruned=plan.pruned,
        packet_tokens=plan.packet_weight,
        checks=(),
        messages_dropped=plan.dropped or None,
        prefix_tokens=tokens,
        prefix_bytes=size,
        reason=reason,
        mended=mended or None,
    )


def _fall_back(session: Session, spool: Spool, arrival: Arrival, attempt: Attempt) -> Parts:
    """The session stays as it was, but for the count and the void base."""
    session.complaints.append(attempt.places or attempt.reason)
    held = session.standing
    raws = [*(message.raw for message in held.messages[: arrival.prefix]), *arrival.fresh]
    limit = session.at.limit - session.state.overhead
    joined = b",".join
    if held.answered and arrival.prefix == len(held.messages):
        rest: Parts = [b",", joined(arrival.fresh)] if arrival.fresh else []
        kept = _messages(held, spool)
        body: Parts = [b'"messages":[', *kept, *(rest if kept else rest[1:]), b"]"]
    elif fallback.estimated_tokens(raws) <= limit:
        body = [b'"unchanged":true']
    else:
        body = [b'"messages":[', joined(fallback.suffix(raws, session.form, limit)), b"]"]
    totals = session.state.totals
    totals = msgspec.structs.replace(totals, fallbacks=totals.fallbacks + 1)
    session.state = msgspec.structs.replace(session.state, totals=totals)
    session.void_base()
    report = _report(held, session, (0, 0, 0), attempt.reason)
    report = msgspec.structs.replace(
        report, raw_tokens=fallback.estimated_tokens(raws), zone=held.zone, checks=attempt.checks
    )
    return [*body, b',"base":"","report":%b,"seq":%d' % (_encode(report), session.state.seq)]
