"""The ways of writing a summary with a model. They request completions and never make one.

- Single-shot: one call writes the whole text. All others reduce to this if there is nothing to divide.
- Incremental: only the oldest part of a history is summarized; notes on the newest turns follow the summary. Notes
  get at most half of the output budget, and cover at most half of the turns (`recent_turns`). The next compaction
  summarizes the notes with what is oldest then, so each turn is described in detail once more after it has left the
  conversation. Needs at least two turns; a turn's first part and a branch use a single shot.
- Parallel-stitch: slices are summarized concurrently, then one call merges the texts. Without a merge call, the
  texts are merged by their sections (`outline.together`): a longer and less fluent summary.
- Sequential: slices are summarized in order, each with knowledge of the earlier ones. Accumulated: each slice gets
  its own text and sees the earlier ones; the texts are concatenated, so text about an early slice is never
  rewritten. Rolling: each slice updates one running summary, which stays short and may lose old content.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from ctxmgr.engine.compaction import FOR_MODEL, Slice, cohesion, scoring, slices, truncation
from ctxmgr.model.compaction import Asking, Completion, CompletionRequest, Strategy
from ctxmgr.summarize.asks import (
    SummaryFailed,
    answer,
    answers,
    give_up,
    input_room,
    merge_question,
    question,
)
from ctxmgr.summarize.brief import PromptTask, SummaryInput
from ctxmgr.summarize.outline import together
from ctxmgr.summarize.parse import LEAST_TOKENS, AcceptedAnswer, CompletionFailure
from ctxmgr.summarize.previous_summary import RECENT_HEADING, recent_notes, without_recent_turns
from ctxmgr.summarize.prompts import PromptParts

First = TypeVar("First")
Second = TypeVar("Second")


class _Run:
    """One of the two: the batch it waits for, None once it has its result."""

    def __init__(self, asking: Asking[Any]) -> None:
        self.asking = asking
        self.batch: tuple[CompletionRequest, ...] | None = None
        self.result: Any = None
        self._step(None)

    def answered(self, completions: tuple[Completion, ...]) -> None:
        if self.batch is not None:
            self._step(completions)

    def _step(self, completions: tuple[Completion, ...] | None) -> None:
        try:
            self.batch = next(self.asking) if completions is None else self.asking.send(completions)
        except StopIteration as done:
            self.batch, self.result = None, done.value


def side_by_side(first: Asking[First], second: Asking[Second]) -> Asking[tuple[First, Second]]:
    """Runs both to their results. An exception in one ends the other too."""
    try:
        left, right = _Run(first), _Run(second)
        while left.batch is not None or right.batch is not None:
            mine = left.batch or ()
            completions = yield mine + (right.batch or ())
            try:
                left.answered(completions[: len(mine)])
            finally:  # counts answers even if the other has given up
                right.answered(completions[len(mine) :])
    finally:
        first.close()
        second.close()
    return left.result, right.result


WINDOW_SHARE = 0.5
"""Of the room for input that a slice is cut to: beside it stand its lead, the outline, and what precedes it."""

LEAD_SHARE = 10  # a lead is at most a tenth of its slice in a small window, as of the slices by default
GOAL_CHARACTERS = 2_000  # of a previous summary, which starts with its goal
LEAST_SLICE = 1_000  # tokens; smaller ones say less than their outline


def sliced(brief: SummaryInput[Any], job: PromptTask, cap: int | None = None) -> tuple[Slice, ...]:
    """The slices, oldest first. `cap`: the output tokens of all together."""
    settings = brief.slices
    most = max(LEAST_SLICE, int(input_room(brief, job.max_tokens) * WINDOW_SHARE))
    if settings.tokens > most:
        overlap = min(settings.overlap, most // LEAD_SHARE)
        settings = msgspec.structs.replace(settings, tokens=most, overlap=overlap)
    depths = cohesion.depths if brief.depths is None else brief.depths
    return slices.cut(job.messages, settings, brief.weigh, cap=cap, depths=depths)


def slice_texts(brief: SummaryInput[Any], job: PromptTask, cut: Sequence[Slice]) -> tuple[str, ...]:
    """What is shown of each slice: as many tokens as the slice was counted at, with more for messages that matter
    to the goal. "" if the policy wants all messages shown alike.
    """
    if not brief.slices.weighted:
        return ("",) * len(cut)
    goal = f"{job.instructions}\n{job.given.previous[:GOAL_CHARACTERS]}"
    weights = scoring.importances(job.messages, goal)
    shown, start = [], 0
    for part in cut:
        of_slice = weights[start : start + len(part.messages)]
        start += len(part.messages)
        units = scoring.shares(part.messages, of_slice, part.weight, brief.weigh)
        parts = (scoring.within(*each, FOR_MODEL) for each in zip(part.messages, units, strict=True))
        shown.append("\n\n".join(filter(None, parts)))
    return tuple(shown)


def slice_parts(
    brief: SummaryInput[Any], job: PromptTask, cap: int | None = None
) -> list[tuple[Slice, PromptParts]]:
    """The slices, oldest first, and what a model is shown of each and before it. `cap` as in `sliced`."""
    cut = sliced(brief, job, cap)
    leads = (truncation.fit(part.lead, part.lead_weight, brief.weigh).text for part in cut)
    texts = zip(slice_texts(brief, job, cut), leads, strict=True)
    return [(part, PromptParts(shown, before=lead)) for part, (shown, lead) in zip(cut, texts, strict=True)]


def single_shot(brief: SummaryInput[Any], job: PromptTask) -> Asking[AcceptedAnswer]:
    """One request for everything. Raises SummaryFailed."""
    return (yield from answer(brief, question(brief, job, job.messages, job.given, output=job.max_tokens)))


NOTES_SHARE = 0.5  # of the output; our choice, since the summary stands for far more turns


def incremental(brief: SummaryInput[Any], job: PromptTask) -> Asking[AcceptedAnswer]:
    """Requests the oldest part, and puts the notes below it. Raises SummaryFailed."""
    if job.matter != "history":
        return (yield from single_shot(brief, job))
    older, notes = recent_notes(job.messages, int(job.max_tokens * NOTES_SHARE), brief.weigh)
    if not notes:
        return (yield from single_shot(brief, job))
    output = job.max_tokens - brief.weigh(notes)
    oldest = msgspec.structs.replace(job, messages=job.messages[:older], max_tokens=output)
    accepted = yield from single_shot(brief, oldest)
    text, before = without_recent_turns(accepted.text)  # a model may have mistaken notes it was shown for a section
    if before:
        notes = f"{RECENT_HEADING}\n\n{before}{notes.removeprefix(RECENT_HEADING)}"
    return AcceptedAnswer(f"{text}\n\n{notes}", accepted.short)


def parallel_stitch(brief: SummaryInput[Any], job: PromptTask) -> Asking[AcceptedAnswer]:
    """Requests all slices at once, then the merge; a single slice is requested as a whole. Raises SummaryFailed."""
    slices = slice_parts(brief, job)
    if len(slices) < 2:
        return (yield from single_shot(brief, job))
    asked = [
        question(
            brief,
            job,
            part.messages,
            shown,
            output=min(part.max_output_tokens, job.max_tokens),
            slice_number=(number, len(slices)),
        )
        for number, (part, shown) in enumerate(slices, 1)
    ]
    accepted = yield from answers(brief, asked)
    try:
        merge = merge_question(brief, job, tuple(answer.text for answer in accepted))
        merged = yield from answer(brief, merge)
    except SummaryFailed as gave_up:
        brief.usage.joined = gave_up.failure.reason
        most = sum(request.max_tokens for request in asked) + brief.weigh(job.given.previous)
        given = job.given
        return put_together(
            brief, job, (given.previous, given.earlier, given.notes, *(answer.text for answer in accepted)), most
        )
    if merged.short or not job.shape.short:
        return merged
    return msgspec.structs.replace(merged, short=accepted[-1].short)


def put_together(
    brief: SummaryInput[Any], job: PromptTask, texts: tuple[str, ...], most: int, short: str = ""
) -> AcceptedAnswer:
    """The texts merged by their sections, oldest first. Raises SummaryFailed if that is too long."""
    text = together([text for text in texts if text.strip()], job.shape)
    weight = brief.weigh(text)
    if weight > max(most, LEAST_TOKENS):
        give_up(CompletionFailure("too long", f"{weight} tokens for {most}"), "slices put together")
    return AcceptedAnswer(text, short)


EARLIER_SHARE = 0.3  # of the input's room, for summaries of earlier slices; the newest stay


def accumulated(brief: SummaryInput[Any], job: PromptTask) -> Asking[AcceptedAnswer]:
    """One text per slice, concatenated in order. The first updates the previous summary. Raises SummaryFailed."""
    slices = slice_parts(brief, job, cap=job.max_tokens)
    if len(slices) < 2:
        return (yield from single_shot(brief, job))
    written: list[str] = []
    short, most = "", 0
    given = job.given
    carried = sum(map(brief.weigh, (given.previous, given.earlier, given.notes)))  # by the first slice's text
    for number, (part, shown) in enumerate(slices, 1):
        given = msgspec.structs.replace(given, conversation=shown.conversation, before=shown.before)
        output = min(job.max_tokens, part.max_output_tokens + carried)
        asked = question(brief, job, part.messages, given, output=output, slice_number=(number, len(slices)))
        most += asked.max_tokens
        accepted = yield from answer(brief, asked)
        written.append(accepted.text)
        short, carried = accepted.short, 0
        given = PromptParts(slices=_earlier_texts(brief, job, written))
    return put_together(brief, job, tuple(written), most, short)


def rolling(brief: SummaryInput[Any], job: PromptTask) -> Asking[AcceptedAnswer]:
    """A running summary that each slice updates. Raises SummaryFailed."""
    slices = slice_parts(brief, job)
    if len(slices) < 2:
        return (yield from single_shot(brief, job))
    given, accepted = job.given, AcceptedAnswer("")
    for number, (part, shown) in enumerate(slices, 1):
        given = msgspec.structs.replace(given, conversation=shown.conversation, before=shown.before)
        asked = question(
            brief, job, part.messages, given, output=job.max_tokens, slice_number=(number, len(slices))
        )
        accepted = yield from answer(brief, asked)
        given = PromptParts(previous=accepted.text)
    return accepted


def _earlier_texts(brief: SummaryInput[Any], job: PromptTask, texts: list[str]) -> tuple[str, ...]:
    """The earlier texts that a slice is shown: all, or the newest if all are too much."""
    free = int(input_room(brief, job.max_tokens) * EARLIER_SHARE)
    kept: list[str] = []
    for text in reversed(texts):
        free -= brief.weigh(text)
        if free < 0:
            brief.usage.shortened((f"summaries of {len(texts) - len(kept)} early slices not shown to later ones",))
            break
        kept.append(text)
    return tuple(reversed(kept))


STRATEGIES: Mapping[Strategy, Callable[[SummaryInput[Any], PromptTask], Asking[AcceptedAnswer]]] = MappingProxyType(
    {
        "single-shot": single_shot,
        "parallel-stitch": parallel_stitch,
        "sequential-accumulated": accumulated,
        "sequential-rolling": rolling,
        "incremental": incremental,
    }
)
