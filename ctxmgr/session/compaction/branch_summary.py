"""The methods `summarizeBranch` and `session_before_tree`: jobs that summarize an abandoned branch."""

from ctxmgr.engine.compaction import branch as engine
from ctxmgr.model import CallFailed
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.compaction import BranchEntry, BranchSummaryPlan, Strategy
from ctxmgr.session.compaction import job_context
from ctxmgr.session.compaction.compact import decoded
from ctxmgr.session.compaction.job_context import JobContext, advanced
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Job, Offload, Routine
from ctxmgr.summarize import writing


def summarize(session: SessionCore, params: wire.SummarizeBranchParams) -> Job:
    entries = None if params.entries is None else [bytes(raw) for raw in params.entries]
    seen = job_context.take(session, params.settings, params.custom_instructions, holds=entries is None)

    def steps() -> Routine[wire.SummarizeBranchResult]:
        prepared = yield Offload(lambda: _between(seen, entries, params))
        if prepared is None:
            raise CallFailed("the session does not know these entries: send entries")
        written = yield from _written(seen, prepared, params.strategy, bool(params.replace_instructions))
        return wire.SummarizeBranchResult(written, prepared.ancestor, len(prepared.entries))

    return Job(steps(), seen.runner, job_context.deadline(seen, params.deadline_ms), token=params.progress_token)


def _between(
    seen: JobContext, entries: list[bytes] | None, params: wire.SummarizeBranchParams
) -> BranchSummaryPlan | None:
    """The abandoned entries. A leaf of null is before the first entry: nothing is abandoned, or everything. None: a
    path is unknown.
    """
    old, target = (_path(seen, entries, leaf) for leaf in (params.old_leaf_id, params.target_id))
    if old is None or target is None:
        return None
    return engine.prepare(old, target, _budget(seen), seen.weigh, seen.cut_budget.weigher)


def _path(seen: JobContext, entries: list[bytes] | None, leaf: str | None) -> tuple[BranchEntry, ...] | None:
    """The path to a leaf. Without entries the session knows one path: what it holds, up to the leaf."""
    if leaf is None:
        return ()
    path = seen.path(entries, leaf)
    if entries is not None:
        return path
    ends = (end for end in range(len(path), 0, -1) if path[end - 1].id == leaf)
    return next((path[:end] for end in ends), None)


def before_tree(session: SessionCore, params: wire.BeforeTreeParams) -> Job:
    """Asks no model if the user wants no summary or the host writes its own."""
    given = decoded(params.preparation, wire.TreePreparation)
    seen = job_context.take(session, None, given.custom_instructions, holds=False)
    entries = [bytes(raw) for raw in given.entries_to_summarize or []]

    def steps() -> Routine[wire.BeforeTreeResult]:
        if seen.policy.by == "host" or not given.user_wants_summary or not entries:
            return wire.BeforeTreeResult()
        prepared = yield Offload(lambda: _listed(seen, entries))
        written = yield from _written(seen, prepared, None, bool(given.replace_instructions))
        return wire.BeforeTreeResult(summary=written)

    return Job(
        steps(),
        seen.runner,
        job_context.deadline(seen, params.deadline_ms),
        wire.BeforeTreeResult(),
        params.progress_token,
    )


def _listed(seen: JobContext, entries: list[bytes]) -> BranchSummaryPlan:
    """The host lists the abandoned path, without what both paths share."""
    return engine.prepare(seen.path(entries, None), (), _budget(seen), seen.weigh, seen.cut_budget.weigher)


def _budget(seen: JobContext) -> int:
    """How many tokens of the branch a summarizer sees: the window minus what pi reserves for the rest."""
    return max(1, seen.runner.window - seen.policy.branch_reserve_tokens)


def _written(
    seen: JobContext, prepared: BranchSummaryPlan, asked: Strategy | None, replace: bool
) -> Routine[wire.BranchSummary | None]:
    if not prepared.messages:
        return None
    brief = job_context.brief(seen, prepared, job_context.strategy(seen, asked), replace_instructions=replace)
    written = yield from advanced(writing.branch_summary(brief))
    return wire.BranchSummary(written.summary, written.details)
