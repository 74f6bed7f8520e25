"""Turns a projection, or the reason why there is none, into the members of an answer and its report.

If nothing was removed and the host allows it, the answer is `unchanged`. Otherwise it has whole messages, or edits
of the list that the host sent.
"""

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.engine.presets import Delta, Planned
from ctxmgr.model import Keep
from ctxmgr.model.api import lifecycle, reports, since
from ctxmgr.session.context import fallback
from ctxmgr.session.context.comparing import answer_bytes, edits, runs
from ctxmgr.session.context.raw_messages import RawMessages
from ctxmgr.session.projection import Projection
from ctxmgr.session.session import SessionCore

Parts = list[bytes | memoryview]
_encode = msgspec.json.Encoder().encode


class ProjectionFailure(msgspec.Struct, frozen=True):
    """Why there is no projection: `reason` for the report, the broken `checks`, the `places` of a fault for people,
    its class `fault`.
    """

    reason: str
    checks: tuple[str, ...] = ()
    places: str = ""
    fault: str = "checks"


class Compared(msgspec.Struct, frozen=True):
    """How an answer compares with the previous one. `begins`: their common beginning, None without a previous one.
    `breakpoints`: positions for cache marks. `bust`: what its host changed early.
    """

    begins: tuple[int, int, int] | None = None
    breakpoints: tuple[int, ...] = ()
    bust: lifecycle.CacheBust | None = None


def answer(
    session: SessionCore,
    raw_messages: RawMessages,
    wanted: str | None,
    planned: Planned,
    compared: Compared,
    mended: int = 0,
) -> Parts:
    """The answer for the session's projection. `wanted`: "messages", "edits" or None. `mended`: repaired surrogates
    of the request.
    """
    projection = session.projection
    untouched = projection.plan.pieces in ((), (Keep(0, len(projection.messages)),))
    raw_fits = planned.tokens <= session.thresholds.limit
    reason = None
    if untouched and raw_fits and wanted != "messages":
        reason = "nothing to leave out" if session.preset.is_active(session.state) else "pruning is off"
        body: Parts = [b'"unchanged":true']
    elif wanted == "edits":
        raw_messages.forget_answer()
        body = [b'"edits":[', b"".join(edits(projection))[1:], b"]"]
    else:
        body = [b'"messages":[', *_messages(projection, raw_messages), b"]"]
    report = msgspec.structs.replace(_report(projection, session, compared, reason), mended=mended or None)
    if planned.receipt is not None:
        gone = tuple(reports.ReadGone(path) for path in planned.evicted_reads)
        report = msgspec.structs.replace(report, arithmetic=planned.receipt.arithmetic, reads_gone=gone or None)
    tail = b',"base":%b,"report":%b,"seq":%d' % (
        _encode(projection.etag),
        _report_bytes(session, report),
        session.state.seq,
    )
    return [*body, tail]


def _report_bytes(session: SessionCore, report: reports.Report) -> bytes:
    return _encode(since.as_of(report, session.version))


def _messages(projection: Projection, raw_messages: RawMessages) -> Parts:
    return raw_messages.parts(runs(projection))


def _report(
    projection: Projection,
    session: SessionCore,
    compared: Compared,
    reason: str | None,
) -> reports.Report:
    """What the projection did."""
    changed, tokens, size = compared.begins if compared.begins is not None else (-1, None, None)
    plan = projection.plan
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
        cache_breakpoints=compared.breakpoints,
        checks=("fit",) if plan.too_big else (),
        too_big=tuple(reports.TooBig(heavy.kind, heavy.index, heavy.tokens) for heavy in plan.too_big) or None,
        blocks_cut=plan.blocks_cut or None,
        messages_dropped=plan.dropped or None,
        carried_tokens=max(0, plan.weight - plan.raw_weight) or None,
        prefix_tokens=tokens,
        prefix_bytes=size,
        reason=reason,
        cache_bust=compared.bust,
    )


def fall_back(session: SessionCore, raw_messages: RawMessages, delta: Delta, failure: ProjectionFailure) -> Parts:
    """The answer without a projection, which is counted. The next list continues from before the fault, which may
    have been temporary. After a plan that broke its promises, or a second fault in a row, it starts from scratch.
    """
    session.log_lines.append(failure.places or failure.reason)
    session.failure_count, session.last_fault = session.failure_count + 1, failure.fault
    last = session.projection
    raws = [*(message.raw for message in last.messages[: delta.shared_count]), *delta.appended]
    limit = session.thresholds.limit - session.state.overhead
    joined = b",".join
    cut = fallback.cut if session.preset.is_active(session.state) else lambda raws, fmt, limit: raws
    if last.answered and delta.shared_count == len(last.messages):
        room = limit - answer_bytes(last) / fallback.BYTES_PER_TOKEN
        rest: Parts = [b",", joined(cut(delta.appended, session.fmt, room))] if delta.appended else []
        kept = _messages(last, raw_messages)
        body: Parts = [b'"messages":[', *kept, *(rest if kept else rest[1:]), b"]"]
    elif fallback.estimated_tokens(raws) <= limit:
        body = [b'"unchanged":true']
    else:
        body = [b'"messages":[', joined(cut(fallback.suffix(raws, session.fmt, limit), session.fmt, limit)), b"]"]
    totals = session.state.totals
    totals = msgspec.structs.replace(totals, fallbacks=totals.fallbacks + 1)
    counted = truth.uncounted(session.state.counted)
    session.state = msgspec.structs.replace(session.state, totals=totals, counted=counted)
    report = _report(last, session, Compared((0, 0, 0)), failure.reason)
    if failure.checks or session.failure_count > 1:
        session.begin_afresh(failure.reason)
        raw_messages.truncate(0)
    session.void_base()
    report = msgspec.structs.replace(report, raw_tokens=fallback.estimated_tokens(raws), checks=failure.checks)
    return [*body, b',"base":"","report":%b,"seq":%d' % (_report_bytes(session, report), session.state.seq)]
