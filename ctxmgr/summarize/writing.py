"""Turns a preparation into a finished compaction or branch summary, with or without a model.

Rules:
1. History and the first part of a cut turn are two texts, requested concurrently, and joined under pi's mark.
2. Without new history the previous summary is carried on unchanged, except a turn's context at its end. That is
   shown with the turn's new part, and one context replaces both. With new history it is shown with that. So a chain
   of compactions neither doubles it nor drops any of it unread.
3. File lists, and the lead line of a summary's format, are removed from the previous summary before use and added
   back once, so they do not double either.
4. If a request about the history has failed for good, everything is written without a model, and the details say
   so. That has the same budgets, and needs nobody. If only the cut turn's first part failed, only that part is. A
   model's prose stays, as critical context.
5. A summary longer than what it replaces is not returned.
6. The model's own notes (its scratchpad) are at the end of a text written without a model, in any format; a model
   is shown them and carries them over. A previous summary's notes section is omitted, since the notes are kept
   separately.
7. A model's text is checked against what is known (below). Missing content is added under one heading, and the
   details say which.

The check (`engine.memory.repair`):

1. What is summarized and what stays is read again as the newest evidence. The session's own knowledge counts as
   older; if it is unknown what stays, as newer.
2. For a session that knows nothing, the previous summary supplies the user's words, with their numbers.
3. What was stated in the part that stays is not added, since it is shown. It counts as evidence.
4. Additions have at most a quarter of a summary's budget, and of what the summary replaces.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.engine.compaction import files, render
from ctxmgr.engine.memory import (
    BRANCH_LEAD,
    RepairedSummary,
    carried_facts,
    facts_of,
    fold,
    last_number,
    repaired,
    summary,
    without_scratchpad,
)
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import (
    WITHOUT_MODEL,
    Asking,
    BranchMessage,
    BranchSummaryPlan,
    CompactionPlan,
    FileLists,
    Format,
    uses_model,
)
from ctxmgr.model.saved import Fact, Ledger
from ctxmgr.summarize import compacting
from ctxmgr.summarize.asks import SummaryFailed
from ctxmgr.summarize.brief import FinishedSummary, HostContext, PromptTask, SummaryInput
from ctxmgr.summarize.compacting import WayCosts
from ctxmgr.summarize.formats import BRANCH, CONTINUE, FREE, HANDOFF, NINE, STRUCTURED, Shape, asked_for
from ctxmgr.summarize.parse import AcceptedAnswer, CompletionFailure
from ctxmgr.summarize.previous_summary import RECENT_HEADING, TURN_MARK, previous_parts
from ctxmgr.summarize.prompts import PromptParts
from ctxmgr.summarize.strategies import STRATEGIES

ADDED_SHARE = 0.25  # of a summary's budget
UNITS_A_TOKEN = 4  # UTF-16 units, of most texts
_LAST = (f"\n\n---\n\n{TURN_MARK}", f"\n\n{RECENT_HEADING}")  # what may be at a summary's end
_OWN = ("user", "assistant", "tool")  # who states what the session itself heard


def repaired_compaction(brief: SummaryInput[CompactionPlan], text: str, lists: str, output: int) -> RepairedSummary:
    """`text`: written by a model. `lists`: of files, which follow it. `output`: tokens of a summary's budget."""
    prepared = brief.preparation
    removed = (*prepared.history, *prepared.prefix)
    facts = facts_of((*removed, *prepared.recent))
    shown = frozenset(fact.origin for fact in facts if fact.time_ms >= len(removed))
    known = [fact for fact in brief.ledger if fact.source in _OWN]
    if known:
        before = _restamped(known, -1 if prepared.recent else len(removed))
        before, facts = _once(before, facts)
    else:
        before = [fact for fact in carried_facts(prepared.previous) if fact.kind == "request"]
    return _repaired(brief, text, lists, (*before, *facts), output, removed, shown)


def _once(known: Sequence[Fact], facts: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    """Both, with each of the user's messages once: at its place in the session, with the origin that shows it."""
    heard: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.kind == "request":
            heard.setdefault(fact.text, []).append(fact)
    kept: list[Fact] = []
    for fact in sorted(known, key=lambda fact: (fact.time_ms, fact.seq), reverse=True):
        same = heard[fact.text].pop() if fact.kind == "request" and heard.get(fact.text) else fact
        kept.append(msgspec.structs.replace(fact, origin=same.origin))
    left = {id(fact) for some in heard.values() for fact in some}
    return kept[::-1], [fact for fact in facts if fact.kind != "request" or id(fact) in left]


def _restamped(known: Sequence[Fact], first: int) -> list[Fact]:
    """The facts with times before those of all messages, or (`first` >= 0) after them, in order."""
    stamps = sorted({(fact.time_ms, fact.seq) for fact in known})
    start = first if first >= 0 else -len(stamps)
    times = {stamp: start + number for number, stamp in enumerate(stamps)}
    return [msgspec.structs.replace(fact, time_ms=times[fact.time_ms, fact.seq], seq=0) for fact in known]


def _repaired(
    brief: SummaryInput[Any],
    text: str,
    lists: str,
    facts: Sequence[Fact],
    output: int,
    replaced: Sequence[BranchMessage],
    shown: frozenset[str] = frozenset(),
) -> RepairedSummary:
    units = sum(message.utf16_units for message in replaced)
    budget = int(ADDED_SHARE * min(output, units // UNITS_A_TOKEN))
    places = [offset for mark in _LAST if (offset := text.find(mark)) >= 0]
    return repaired(
        text,
        fold(Ledger(), facts),
        shown,
        budget=budget,
        weigh=brief.weigh,
        lists=lists,
        end=min(places, default=None),
        earlier=last_number([fact for fact in facts if fact.source == "summary"]),
    )


SHAPES: dict[Format, Shape] = {
    "structured": STRUCTURED,
    "nine-section": NINE,
    "handoff": HANDOFF,
    "continue": CONTINUE,
}
BRANCH_TOKENS = 4_096  # of a branch summary; pi gave 2,048, later no limit, and a truncated answer is refused here

NOTHING = "Nothing was said here that could be summed up."


def compaction(brief: SummaryInput[CompactionPlan]) -> Asking[FinishedSummary]:
    """Writes a compaction. Whatever the completions, it ends in a non-empty summary."""
    prepared = brief.preparation
    shape = asked_for(brief.prompts.history, SHAPES[brief.format])
    before = previous_parts(prepared.previous)
    failure: CompletionFailure | None = None
    accepted = AcceptedAnswer("")
    if uses_model(brief.strategy) and (prepared.history or prepared.prefix):
        try:
            accepted = yield from compacting.written(brief, shape, before)
        except SummaryFailed as gave_up:
            failure = gave_up.failure
    by_model = bool(accepted.text)
    if not by_model:
        accepted = compacting.extracted(brief, before, failure.prose if failure else "", shape)
    body = accepted.text.removeprefix(shape.lead).strip() or NOTHING
    text = f"{shape.lead}\n\n{body}" if shape.lead else body
    # with its file lists removed (rule 3), whoever wrote them
    ops = files.merged(files.listed(prepared.previous or ""), prepared.files)
    finished = RepairedSummary(text)
    if by_model:
        finished = repaired_compaction(brief, text, files.rendered(ops), compacting.history_output(brief, shape))
    done = _written(brief, finished, ops, failure, shape.name if by_model else brief.format, accepted.short)
    if not by_model:
        done.details["ctxmgr"]["leftOut"] += summary.untold((*prepared.history, *prepared.prefix), text)
    return done


def both_ways(brief: SummaryInput[CompactionPlan], context: HostContext, output_tokens: int) -> WayCosts:
    """What one call costs with a copy and at the end of the host's list, whichever way writes this one."""
    shape = asked_for(brief.prompts.history, SHAPES[brief.format])
    past = previous_parts(brief.preparation.previous)
    return compacting.both_ways(brief, shape, past, context, output_tokens)


def with_newer_notes(text: str, notes: str, reserve_tokens: int, weigh: Weigh) -> str:
    """A finished summary with these notes in place of its own: at its end, before its file lists."""
    body = files.without_lists(text)
    lists = text[len(body) :] if text.startswith(body) else ""
    noted = compacting.notes_within(notes, int(reserve_tokens * compacting.HISTORY_SHARE), weigh)
    return compacting.with_notes(without_scratchpad(body), noted) + lists


def branch_summary(brief: SummaryInput[BranchSummaryPlan]) -> Asking[FinishedSummary]:
    """Writes a summary of an abandoned branch. An empty branch needs no request."""
    prepared = brief.preparation
    output = compacting.output(brief, BRANCH_TOKENS)
    shape = asked_for(brief.prompts.branch, BRANCH)
    if brief.replace_instructions and brief.instructions.strip():
        shape = FREE
    failure: CompletionFailure | None = None
    accepted = AcceptedAnswer("")
    if uses_model(brief.strategy) and prepared.messages:
        try:
            job = PromptTask(
                "branch",
                prepared.messages,
                shape,
                output,
                brief.instructions,
                PromptParts(scratchpad=brief.scratchpad),
                left_out=prepared.left_out,
            )
            accepted = yield from STRATEGIES[brief.strategy](brief, job)
        except SummaryFailed as gave_up:
            failure = gave_up.failure
    messages = (*prepared.left_out, *prepared.messages)
    if accepted.text:
        form, lists = shape.name, files.rendered(prepared.files)
        # only what the branch itself shows counts
        finished = _repaired(brief, accepted.text, lists, facts_of(messages), output, messages)
    else:
        budget = compacting.bounded(BRANCH_TOKENS, brief.weigh(render.conversation(messages)))
        noted, budget = compacting.with_notes_room(brief, budget)
        text = summary.branch(messages, budget=budget, weigh=brief.weigh) or NOTHING
        form, finished = BRANCH.name, RepairedSummary(compacting.with_notes(text, noted))
    finished = msgspec.structs.replace(finished, text=f"{BRANCH_LEAD}\n\n{finished.text}")
    return _written(brief, finished, prepared.files, failure, form)


def _written(
    brief: SummaryInput[Any],
    finished: RepairedSummary,
    ops: FileLists,
    failure: CompletionFailure | None,
    form: str,
    short: str = "",
) -> FinishedSummary:
    """The summary with its file lists, and its details."""
    account = brief.usage
    details: dict[str, Any] = {
        "strategy": WITHOUT_MODEL if failure else brief.strategy,
        "format": form,
        "calls": account.calls,
        "retries": account.retries,
        "ladder": [] if failure else list(account.ladder),  # without a model everything is read
        "leftOut": 0 if failure else account.left_out,
    }
    if account.input_tokens is not None or account.output_tokens is not None:
        details |= {"inputTokens": account.input_tokens or 0, "outputTokens": account.output_tokens or 0}
    if account.joined and not failure:
        details["joined"] = account.joined
    if failure:
        details["fallback"] = _fallback(brief, failure)
    if short:
        details["short"] = short
    if finished.repairs:
        details["mended"] = msgspec.to_builtins(list(finished.repairs))
    if account.bill is not None:
        details["bill"] = account.bill
    if account.warm_failure is not None:
        details["warmFallback"] = {**_fallback(brief, account.warm_failure), "from": "warm"}
    if account.turn_failure is not None:
        details["turnFallback"] = _fallback(brief, account.turn_failure)
    return FinishedSummary(finished.text + files.rendered(ops), files.details(ops, details))


def _fallback(brief: SummaryInput[Any], failure: CompletionFailure) -> dict[str, str]:
    fields = {"from": brief.strategy, "reason": failure.reason, "label": failure.label, "said": failure.detail}
    return {key: value for key, value in fields.items() if value}
