"""The verbs `planCompaction`, `compact` and `session_before_compact`: jobs that end with a compaction.

Rules:
1. Nothing half done is ever answered: a summary is whole, or the answer is an error, or the host's turn.
2. Two compactions of one branch at once would each lose what the other keeps: the second is refused.
3. What a host has planned is kept to where ctxmgr can not plan by itself.
"""

from typing import Any

import msgspec

from ctxmgr.model import CallFailed, policy_keys
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.compaction import (
    BranchEntry,
    CompactionPlan,
    CompletionRequest,
    Format,
    NothingToCompact,
    Strategy,
)
from ctxmgr.session.compaction import job_context, preparations
from ctxmgr.session.compaction.job_context import JobContext, advanced
from ctxmgr.session.prefetch import PrefetchedCompaction
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Await, Job, Offload, Routine
from ctxmgr.summarize import FinishedSummary, SummaryInput, writing

RESERVE_SHARE = 4  # the reserve, and a summary with it, is never more than a quarter of the session's window


def plan(session: SessionCore, params: wire.PlanCompactionParams) -> Job:
    entries = _raws(params.entries)
    seen = job_context.take(session, params.settings, params.custom_instructions, holds=entries is None)

    def steps() -> Routine[wire.PlanCompactionResult]:
        planned: wire.PlanCompactionResult = yield Offload(lambda: _planned(seen, entries, params))
        return planned

    return Job(steps(), seen.runner)


def _planned(
    seen: JobContext, entries: list[bytes] | None, params: wire.PlanCompactionParams
) -> wire.PlanCompactionResult:
    prepared = preparations.planned(seen, seen.path(entries, params.leaf_id), entries)
    if isinstance(prepared, NothingToCompact):
        return wire.PlanCompactionResult(None, (), prepared.reason)
    brief = _brief(seen, prepared, "single-shot", params.format)
    enabled = params.settings.enabled if params.settings else None
    return wire.PlanCompactionResult(
        preparations.for_host(prepared, seen.policy.enabled if enabled is None else enabled),
        tuple(wire.Prompt(ask.purpose, ask.system, ask.prompt, ask.max_tokens) for ask in _first_asks(brief)),
        serialized=preparations.serialized(prepared) if params.serialize else None,
    )


def _first_asks(brief: SummaryInput[CompactionPlan]) -> tuple[CompletionRequest, ...]:
    asking = writing.compaction(brief)
    try:
        return next(asking)
    except StopIteration:
        return ()


def compact(session: SessionCore, params: wire.CompactParams) -> Job:
    entries = _raws(params.entries)
    holds = entries is None
    seen = job_context.take(session, params.settings, params.custom_instructions, holds=holds, at=params.at)

    def steps() -> Routine[wire.CompactResult]:
        path = yield Offload(lambda: seen.path(entries, params.leaf_id))
        prepared = yield Offload(lambda: preparations.planned(seen, path, entries))
        if isinstance(prepared, NothingToCompact):
            raise CallFailed(prepared.reason)
        yield from _after_ahead(session)
        written = yield from _alone(session, path, _written(seen, prepared, params.strategy, params.format))
        if written is None:
            raise CallFailed("a compaction of this branch is being written")
        return wire.CompactResult(_compaction(prepared, written))

    return Job(steps(), seen.runner, job_context.deadline(seen, params.deadline_ms), token=params.progress_token)


def before_compact(session: SessionCore, params: wire.BeforeCompactParams) -> Job:
    """The host's own preparation is used where it sends no entries, or where on them nothing is to be done.

    What was written ahead has not heard the instructions of this call: with some it is written anew.
    """
    host = preparations.decoded(params.preparation, wire.HostPreparation)
    policy = policy_keys.compaction(session.policy)
    if policy.by == "host":
        return Job(_answered(wire.BeforeCompactResult()), job_context.via(session, policy))
    seen = job_context.take(session, None, params.custom_instructions, holds=False, at=params.at)
    entries = _raws(params.branch_entries)
    instructed = bool((params.custom_instructions or "").strip())

    def steps() -> Routine[wire.BeforeCompactResult]:
        given = yield Offload(lambda: preparations.given(host, seen))
        path = yield Offload(lambda: seen.path(entries, params.leaf_id) if entries else ())
        yield from _after_ahead(session)
        ahead = None if instructed else session.prefetch.prepared
        if ahead is not None and preparations.still_fits(ahead, path, given):
            noted = ahead.handed_out(session.state.scratchpad, session.weigh)
            return wire.BeforeCompactResult(compaction=noted)
        prepared = yield Offload(lambda: preparations.made(seen, path, given))
        if prepared is None:
            return wire.BeforeCompactResult()
        written = yield from _alone(session, path, _written(seen, prepared, None, None))
        if written is None:
            return wire.BeforeCompactResult(cancel=True)
        return wire.BeforeCompactResult(compaction=_compaction(prepared, written))

    return Job(
        steps(),
        seen.runner,
        job_context.deadline(seen, params.deadline_ms),
        wire.BeforeCompactResult(),
        params.progress_token,
    )


def _after_ahead(session: SessionCore) -> Routine[None]:
    """What is being written in the background may be just what is asked for: it is waited for, not paid twice."""
    if session.prefetch.future is not None:
        yield Await(session.prefetch.future)


def ahead_wanted(session: SessionCore) -> bool:
    """Whether one should be begun in the background now."""
    known = session.state.meter.reading_tokens is not None or session.by_estimate
    wanted = policy_keys.compaction(session.policy).prepare_ahead and session.may_ask()
    return wanted and session.prefetch.wanted(session.zone(), known)


def ahead(session: SessionCore) -> Job:
    """The job that writes a compaction ahead of what the session holds; it ends with a `PrefetchedCompaction` or
    None."""
    seen = job_context.take(session, None, None)

    def steps() -> Routine[PrefetchedCompaction | None]:
        path = yield Offload(lambda: seen.path(None, None))
        prepared = yield Offload(lambda: preparations.planned(seen, path, None))
        if isinstance(prepared, NothingToCompact):
            session.prefetch.failure = prepared.reason
            return None
        written = yield from _alone(session, path, _written(seen, prepared, None, None))
        if written is None:
            session.prefetch.failure = "another compaction of this branch was being written"
            return None
        if "fallback" in written.details["ctxmgr"]:
            session.prefetch.failure = "no model wrote it"
            return None
        leaf = next((entry.id for entry in reversed(path) if entry.id), None)
        return PrefetchedCompaction(
            _compaction(prepared, written), leaf, seen.memory.scratchpad, _reserve(seen, prepared)
        )

    return Job(steps(), seen.runner, seen.policy.deadline_ms)


def _written(
    seen: JobContext, prepared: CompactionPlan, strategy: Strategy | None, form: Format | None
) -> Routine[FinishedSummary]:
    chosen = job_context.strategy(seen, strategy)
    depths = yield from preparations.depths(seen, prepared.history, chosen)
    context = yield Offload(lambda: job_context.at_its_end(seen, prepared))
    brief = _brief(seen, prepared, chosen, form, depths=depths, context=context)
    return (yield from advanced(writing.compaction(brief)))


def _brief(
    seen: JobContext, prepared: CompactionPlan, strategy: Strategy, form: Format | None, **more: Any
) -> SummaryInput[CompactionPlan]:
    cut = msgspec.structs.replace(prepared.settings, reserve_tokens=_reserve(seen, prepared))
    prepared = msgspec.structs.replace(prepared, settings=cut)
    return job_context.brief(seen, prepared, strategy, format=form or seen.policy.format, **more)


def _reserve(seen: JobContext, prepared: CompactionPlan) -> int:
    return min(prepared.settings.reserve_tokens, seen.window // RESERVE_SHARE)


def _compaction(prepared: CompactionPlan, written: FinishedSummary) -> wire.Compaction:
    return wire.Compaction(written.summary, prepared.first_kept, prepared.tokens_before, written.details)


def _alone(
    session: SessionCore, path: tuple[BranchEntry, ...], writing: Routine[FinishedSummary]
) -> Routine[FinishedSummary | None]:
    """Rule 2: what is written of this branch; None where another compaction of it is being written."""
    ids = [entry.id for entry in path if entry.id]
    claim = session.branch_locks.claim(dict.fromkeys(ids), ids[-1] if ids else None)
    if claim is None:
        return None
    try:
        return (yield from writing)
    finally:
        session.branch_locks.release(claim)


def _raws(entries: Any) -> list[bytes] | None:
    return None if entries is None else [bytes(raw) for raw in entries]


def _answered(value: Any) -> Routine[Any]:
    yield from ()
    return value
