"""The verbs `summarizeBranch` and `session_before_tree`: jobs that end with the summary of a branch left."""

from ctxmgr.engine.compaction import branch as engine
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.compaction import BranchSummaryPlan, Strategy
from ctxmgr.session.compaction import job_context, preparations
from ctxmgr.session.compaction.job_context import JobContext
from ctxmgr.session.compaction.steps import advanced
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import Job, Offload, Routine
from ctxmgr.summarize import writing


def summarize(session: SessionCore, params: wire.SummarizeBranchParams) -> Job:
    seen = job_context.take(session, params.settings, params.custom_instructions, holds=False)
    entries = [bytes(raw) for raw in params.entries]

    def steps() -> Routine[wire.SummarizeBranchResult]:
        prepared = yield Offload(lambda: _between(seen, entries, params))
        written = yield from _written(seen, prepared, params.strategy, bool(params.replace_instructions))
        return wire.SummarizeBranchResult(written, prepared.ancestor, len(prepared.entries))

    return Job(steps(), seen.runner, job_context.deadline(seen, params.deadline_ms), token=params.progress_token)


def _between(seen: JobContext, entries: list[bytes], params: wire.SummarizeBranchParams) -> BranchSummaryPlan:
    """A leaf of null is a place before the first entry: nothing was left, or all of it."""
    old = view_branch.branch(seen.form, entries, params.old_leaf_id) if params.old_leaf_id is not None else ()
    target = view_branch.branch(seen.form, entries, params.target_id) if params.target_id is not None else ()
    return engine.prepare(old, target, _budget(seen), seen.weigh, seen.cut_budget.weigher)


def before_tree(session: SessionCore, params: wire.BeforeTreeParams) -> Job:
    """No model is asked where the user wants no summary, or where the host writes its own."""
    given = preparations.decoded(params.preparation, wire.TreePreparation)
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
    """What the host lists is the path that was left, without what both paths share."""
    return engine.prepare(
        view_branch.branch(seen.form, entries, None), (), _budget(seen), seen.weigh, seen.cut_budget.weigher
    )


def _budget(seen: JobContext) -> int:
    """Tokens of the branch that a summariser is shown: the window less what pi reserves for the rest."""
    return max(1, seen.runner.window - seen.policy.branch_reserve_tokens)


def _written(
    seen: JobContext, prepared: BranchSummaryPlan, asked: Strategy | None, replace: bool
) -> Routine[wire.BranchSummary | None]:
    if not prepared.messages:
        return None
    brief = job_context.brief(seen, prepared, job_context.strategy(seen, asked), replace_instructions=replace)
    written = yield from advanced(writing.branch_summary(brief))
    return wire.BranchSummary(written.summary, written.details)
