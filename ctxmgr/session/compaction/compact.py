"""The methods `planCompaction`, `compact` and `session_before_compact`: jobs that end with a compaction.

Rules:
1. A partial summary is never returned. The answer is a whole summary, an error, or the host's turn.
2. Two concurrent compactions of one branch would each lose what the other keeps, so the second is refused.
3. The host's plan is used where ctxmgr cannot plan by itself.
4. If the policy asks for natural breaks, vectors of the host or of the embeddings extra show them. Without vectors,
   the words do.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from ctxmgr.engine.compaction import cohesion, prepare, render, slices
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model import CallFailed, invalid_params, misfit, policy_keys
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.compaction import (
    BranchEntry,
    BranchMessage,
    CompactionPlan,
    CompletionRequest,
    CutBudget,
    FileLists,
    Format,
    NothingToCompact,
    Strategy,
)
from ctxmgr.session.compaction import job_context
from ctxmgr.session.compaction.job_context import JobContext, advanced
from ctxmgr.session.prefetch import PrefetchedCompaction
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import Embedding, SessionCore
from ctxmgr.session.work import Await, Embed, Job, Offload, Routine
from ctxmgr.summarize import FinishedSummary, SummaryInput, writing

RESERVE_SHARE = 4  # the reserve, and with it a summary, is at most a quarter of the session's window


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
    prepared = plan_of(seen, seen.path(entries, params.leaf_id), entries)
    if isinstance(prepared, NothingToCompact):
        return wire.PlanCompactionResult(None, (), prepared.reason)
    brief = _brief(seen, prepared, "single-shot", params.format)
    enabled = params.settings.enabled if params.settings else None
    return wire.PlanCompactionResult(
        for_host(prepared, seen.policy.enabled if enabled is None else enabled),
        tuple(wire.Prompt(ask.purpose, ask.system, ask.prompt, ask.max_tokens) for ask in _first_asks(brief)),
        serialized=serialized(prepared) if params.serialize else None,
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
    seen = job_context.take(session, params.settings, params.custom_instructions, holds=holds, time_ms=params.at)

    def steps() -> Routine[wire.CompactResult]:
        path = yield Offload(lambda: seen.path(entries, params.leaf_id))
        prepared = yield Offload(lambda: planned(seen, path, entries))
        if isinstance(prepared, NothingToCompact):
            raise CallFailed(prepared.reason)
        yield from _after_ahead(session)
        written = yield from _alone(session, path, _written(seen, prepared, params.strategy, params.format))
        if written is None:
            raise CallFailed("a compaction of this branch is being written")
        return wire.CompactResult(_compaction(prepared, written))

    return Job(steps(), seen.runner, job_context.deadline(seen, params.deadline_ms), token=params.progress_token)


def before_compact(session: SessionCore, params: wire.BeforeCompactParams) -> Job:
    """Uses the host's own preparation if it sends no entries, or if they leave nothing to do.

    A compaction written ahead does not know this call's instructions; if there are any, it is written again.
    """
    host = decoded(params.preparation, wire.HostPreparation)
    policy = policy_keys.compaction(session.policy)
    if policy.by == "host":
        return Job(_answered(wire.BeforeCompactResult()), job_context.via(session, policy))
    seen = job_context.take(session, None, params.custom_instructions, holds=False, time_ms=params.at)
    entries = _raws(params.branch_entries)
    instructed = bool((params.custom_instructions or "").strip())

    def steps() -> Routine[wire.BeforeCompactResult]:
        given = yield Offload(lambda: from_host(host, seen))
        path = yield Offload(lambda: seen.path(entries, params.leaf_id) if entries else ())
        yield from _after_ahead(session)
        ahead = None if instructed else session.prefetch.prepared
        if ahead is not None and still_fits(ahead, path):
            noted = ahead.handed_out(session.state.scratchpad, session.weigh)
            return wire.BeforeCompactResult(compaction=noted)
        prepared = yield Offload(lambda: made(seen, path, given))
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
    """If a compaction is being written in the background, waits for it instead of paying twice."""
    if session.prefetch.future is not None:
        yield Await(session.prefetch.future)


def ahead(session: SessionCore) -> Job:
    """The job that writes a compaction of the session ahead. Ends with a `PrefetchedCompaction` or None."""
    seen = job_context.take(session, None, None)

    def steps() -> Routine[PrefetchedCompaction | None]:
        path = yield Offload(lambda: seen.path(None, None))
        prepared = yield Offload(lambda: planned(seen, path, None))
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
        return PrefetchedCompaction(_compaction(prepared, written), leaf, seen.scratchpad, _reserve(seen, prepared))

    return Job(steps(), seen.runner, seen.policy.deadline_ms)


def _written(
    seen: JobContext, prepared: CompactionPlan, strategy: Strategy | None, form: Format | None
) -> Routine[FinishedSummary]:
    chosen = job_context.strategy(seen, strategy)
    depths = yield from break_depths(seen, prepared.history, chosen)
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
    """Rule 2: writes a compaction of this branch. None if another one is being written."""
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


Shape = TypeVar("Shape")


def from_host(host: wire.HostPreparation, seen: JobContext) -> CompactionPlan:
    """The host's preparation as ours. Its messages are read off the loop. Its file sets come as lists, or as {}
    from a host that forgot to convert them.
    """
    theirs = host.settings or wire.GivenSettings()
    cut = CutBudget(
        keep_recent_tokens=_number(theirs.keep_recent_tokens, seen.cut_budget.keep_recent_tokens),
        reserve_tokens=_number(theirs.reserve_tokens, seen.cut_budget.reserve_tokens),
        weigher=seen.cut_budget.weigher,
    )
    return CompactionPlan(
        first_kept=host.first_kept_entry_id,
        history=_messages(seen.reader, host.messages_to_summarize or []),
        prefix=_messages(seen.reader, host.turn_prefix_messages or []),
        split=bool(host.is_split_turn),
        tokens_before=int(host.tokens_before or 0),
        previous=host.previous_summary or None,
        files=FileLists(*(_paths(host.file_ops, name) for name in ("read", "written", "edited"))),
        settings=cut,
    )


def decoded(raw: msgspec.Raw, shape: type[Shape]) -> Shape:
    """Decodes a host's preparation of this shape. Raises CallError with the path of the fault."""
    try:
        return msgspec.json.decode(raw, type=shape)
    except msgspec.ValidationError as fault:
        wrong = misfit(fault, shape)
        raise invalid_params(wrong.text, "$.preparation" + wrong.path) from None
    # its message may quote the host's text
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise invalid_params(f"cannot be decoded: {type(fault).__name__}", "$.preparation") from None


NO_PATH = NothingToCompact(
    "Nothing to compact: no path leads to the leaf. Ids are strings, and leafId is one of them."
)
SILENT = NothingToCompact("Nothing to compact: what would be summarised says nothing.")


def planned(
    seen: JobContext, path: tuple[BranchEntry, ...], entries: Sequence[bytes] | None
) -> CompactionPlan | NothingToCompact:
    """The compaction of this path that a host can apply, or why there is none."""
    plan = plan_of(seen, path, entries)
    return prepare.NAMELESS if isinstance(plan, CompactionPlan) and not plan.first_kept else plan


def plan_of(
    seen: JobContext, path: tuple[BranchEntry, ...], entries: Sequence[bytes] | None
) -> CompactionPlan | NothingToCompact:
    """The plan for this path, whose first kept entry may have no id, or why there is none."""
    if entries and not path:
        return NO_PATH
    decision = prepare.decide(path, seen.cut_budget, seen.weigh)
    if isinstance(decision, CompactionPlan):
        return decision if speaks(decision) else SILENT
    if entries and len(path) < len(entries):
        beside = f" Of {len(entries)} entries {len(path)} are on the path to the leaf."
        return NothingToCompact(decision.reason + beside)
    return decision


def speaks(prepared: CompactionPlan) -> bool:
    """Whether there is anything to summarize, or a summary to continue."""
    messages = (*prepared.history, *prepared.prefix)
    return bool(prepared.previous) or any(render.message_text(message) for message in messages)


def made(seen: JobContext, path: tuple[BranchEntry, ...], host: CompactionPlan) -> CompactionPlan | None:
    """Our preparation if the host sent its entries, since it covers earlier compactions. Otherwise, and if ours
    finds nothing to do, the host's own. None if there is nothing at all.
    """
    if path:
        settings = msgspec.structs.replace(seen.cut_budget, keep_recent_tokens=host.settings.keep_recent_tokens)
        decision = prepare.decide(
            path, msgspec.structs.replace(settings, reserve_tokens=host.settings.reserve_tokens), seen.weigh
        )
        if isinstance(decision, CompactionPlan) and decision.first_kept:
            return decision
    return host if speaks(host) else None


def still_fits(ahead: PrefetchedCompaction, path: tuple[BranchEntry, ...]) -> bool:
    """Whether a compaction written ahead belongs to this branch. Without entries the session decides: it discards
    what a move or a compaction made obsolete.
    """
    if not path:
        return True
    ids = {entry.id for entry in path}
    return ahead.compaction.first_kept_entry_id in ids and (ahead.leaf is None or ahead.leaf in ids)


def for_host(prepared: CompactionPlan, enabled: bool) -> wire.Preparation:
    """In the host's shape."""
    cut = prepared.settings
    return wire.Preparation(
        first_kept_entry_id=prepared.first_kept,
        messages_to_summarize=tuple(msgspec.Raw(message.raw) for message in prepared.history),
        turn_prefix_messages=tuple(msgspec.Raw(message.raw) for message in prepared.prefix),
        is_split_turn=prepared.split,
        tokens_before=prepared.tokens_before,
        file_ops=wire.FileOps(prepared.files.read, prepared.files.written, prepared.files.edited),
        settings=wire.SettingsUsed(enabled, cut.reserve_tokens, cut.keep_recent_tokens, cut.weigher),
        previous_summary=prepared.previous,
    )


def _messages(reader: Reader, raws: list[msgspec.Raw]) -> tuple[BranchMessage, ...]:
    entries = view_branch.from_messages(reader.fmt, [bytes(raw) for raw in raws], [""] * len(raws))
    return tuple(message for entry in reader.with_tools_in(entries) for message in entry.messages)


def serialized(prepared: CompactionPlan) -> wire.Serialized:
    return wire.Serialized(render.conversation(prepared.history), render.conversation(prepared.prefix))


def _paths(ops: Any, name: str) -> tuple[str, ...]:
    listed = ops.get(name) if isinstance(ops, dict) else None
    return tuple(path for path in listed if isinstance(path, str)) if isinstance(listed, list) else ()


def _number(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**53 else default


SLICED: tuple[Strategy, ...] = ("parallel-stitch", "sequential-accumulated", "sequential-rolling")


def break_depths(
    seen: JobContext, messages: Sequence[BranchMessage], strategy: Strategy
) -> Routine[list[float] | None]:
    """One depth per step of these messages. None: use the words."""
    wanted = seen.policy.slices
    if wanted.breaks != "natural" or wanted.cohesion == "words" or strategy not in SLICED:
        return None
    steps = slices.steps(messages)
    if len(steps) < 2:  # there is nothing between them to compare
        return None
    texts = yield Offload(lambda: tuple(map(cohesion.step_text, steps)))
    if wanted.cohesion == "host":
        vectors = (yield Embed(texts)) if seen.host_embeds else None
    else:
        embed = seen.embed
        vectors = (yield Offload(lambda: _embedded(embed, texts))) if embed is not None else None
    if vectors is None:
        return None
    deepened: list[float] = yield Offload(lambda: cohesion.deepened(cohesion.depths_from_vectors(vectors), steps))
    return deepened


def _embedded(embed: Embedding, texts: tuple[str, ...]) -> list[list[float]] | None:
    """None if the extra fails: its parts are not ours, and a compaction does not fail because of it."""
    try:
        return embed(texts)
    except Exception:  # noqa: BLE001
        return None
