"""Turns messages into the question that a strategy asks about them, within the model's window.

Rules:
1. What an ask holds never weighs more than the window leaves beside its answer. The ladder shortens the
   conversation, and nothing else is shortened: where the rest alone is too much, there is no ask.
2. What the ladder left out is told in a digest. What was shortened or left out is noted in the account.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.compaction import FOR_MODEL, Depths, scoring, truncation
from ctxmgr.engine.memory import summary
from ctxmgr.model import Slices, Weigh
from ctxmgr.model.compaction import BranchMessage, CompletionRequest, Purpose
from ctxmgr.summarize.prompts import SYSTEM, Matter, PromptParts, Shape, merge_prompt, prompt
from ctxmgr.summarize.request.parse import RejectedAnswer
from ctxmgr.summarize.request.retry import ShapedRequest, give_up
from ctxmgr.summarize.request.usage import SummaryUsage

INPUT_SHARE = 0.8
"""Of what the window leaves beside the answer, as we weigh it: providers count a quarter more than o200k_base does
(the start of the ratio that `ctxmgr.engine.pressure.meter` learns)."""

LEAST_ROOM = 256  # tokens of conversation, below which an ask is not worth its money
DIGEST_SHARE = 0.1  # of the room of the conversation, for what the ladder left out
LABELS = {"history": "history", "turn-prefix": "first part of the turn", "branch": "branch"}  # of a whole job
MOST_DIGEST = 2_000  # tokens; a longer list of what is not shown helps nobody


class SummaryTerms(msgspec.Struct, frozen=True):
    """What holds for all asks of one summary. `window` of the summarising model in tokens; `usage` is written."""

    weigh: Weigh
    window: int
    retries: int
    slices: Slices
    depths: Depths | None
    usage: SummaryUsage
    system: str = SYSTEM


class PromptTask(msgspec.Struct, frozen=True):
    """One text to be written. `max_tokens`: its most tokens. `previous`, `earlier` and `notes` as in
    `PromptParts`.

    `left_out` are messages that belong to it and are told in a digest alone. `scratchpad`: the model's own notes,
    shown with the newest messages.
    """

    matter: Matter
    messages: tuple[BranchMessage, ...]
    shape: Shape
    max_tokens: int
    instructions: str = ""
    previous: str = ""
    earlier: str = ""
    notes: str = ""
    left_out: tuple[BranchMessage, ...] = ()
    scratchpad: str = ""

    @property
    def given(self) -> PromptParts:
        """What the job has beside its messages."""
        return PromptParts("", previous=self.previous, earlier=self.earlier, notes=self.notes)


def room(terms: SummaryTerms, output: int) -> int:
    """Tokens of input, as we weigh them, that the window leaves beside an answer."""
    return int((terms.window - output) * INPUT_SHARE)


def question(
    terms: SummaryTerms,
    job: PromptTask,
    messages: Sequence[BranchMessage],
    given: PromptParts,
    *,
    output: int,
    place: tuple[int, int] | None = None,
) -> ShapedRequest:
    """The ask about these messages, given what else is shown with them, for `output` tokens. Raises GaveUp where
    nothing fits.

    `given.conversation` is what is shown of them, where that is settled and there is room for it. `place`: they are
    slice n of m, None: all of the job. What the job left out is told with the first of them.
    """
    label = LABELS[job.matter] if place is None else f"slice {place[0]} of {place[1]}"
    left_out = job.left_out if place is None or place[0] == 1 else ()
    notes = job.scratchpad if place is None or place[0] == place[1] else ""
    text, given = given.conversation, msgspec.structs.replace(given, conversation="", scratchpad=notes)

    def put(given: PromptParts) -> str:
        return prompt(job.matter, job.shape, given, job.instructions, place=place, most=output)

    free = room(terms, output) - terms.weigh(terms.system) - terms.weigh(put(given))
    if free < LEAST_ROOM:
        give_up(RejectedAnswer("does not fit", f"{free} of {terms.window} tokens left for the conversation"), label)
    if text and not left_out and terms.weigh(text) <= free:
        digest = ""
    else:
        text, digest = _fitted(terms, messages, left_out, free)
    whole = msgspec.structs.replace(given, conversation=text, left_out=digest)
    replaced = sum(map(terms.weigh, (text, digest, given.previous, given.earlier, given.notes, notes)))
    purpose: Purpose = job.matter if place is None else "slice"
    return ShapedRequest(CompletionRequest(purpose, terms.system, put(whole), output, label), job.shape, replaced)


def _fitted(
    terms: SummaryTerms, messages: Sequence[BranchMessage], left_out: Sequence[BranchMessage], free: int
) -> tuple[str, str]:
    """The conversation and the digest of what it leaves out, both within `free` tokens."""
    fitted = truncation.fit(
        messages, free if not left_out else free - _digest_room(free), terms.weigh, shown=FOR_MODEL
    )
    missing = (*left_out, *fitted.left_out)
    if fitted.reductions:
        weights = scoring.importances(messages)
        kept = free - (_digest_room(free) if missing else 0)
        fitted = truncation.fit(messages, kept, terms.weigh, weights, FOR_MODEL)
        missing = (*left_out, *fitted.left_out)
        if missing and kept == free:
            fitted = truncation.fit(messages, free - _digest_room(free), terms.weigh, weights, FOR_MODEL)
            missing = (*left_out, *fitted.left_out)
    terms.usage.shortened(fitted.reductions)
    terms.usage.left_out += len(missing)
    return fitted.text, summary.left_out(missing, _digest_room(free), terms.weigh) if missing else ""


def _digest_room(free: int) -> int:
    return min(MOST_DIGEST, int(free * DIGEST_SHARE))


def merge_question(terms: SummaryTerms, job: PromptTask, texts: tuple[str, ...]) -> ShapedRequest:
    """The ask that makes one text of the texts of slices. Raises GaveUp where they do not fit."""
    text = merge_prompt(job.matter, job.shape, texts, job.given, job.instructions, most=job.max_tokens)
    over = terms.weigh(terms.system) + terms.weigh(text) - room(terms, job.max_tokens)
    if over > 0:
        give_up(RejectedAnswer("does not fit", f"{over} tokens too many"), "merge")
    replaced = sum(map(terms.weigh, (*texts, job.previous, job.earlier, job.notes)))
    return ShapedRequest(
        CompletionRequest("merge", terms.system, text, job.max_tokens, f"merge of {len(texts)} slices"),
        job.shape,
        replaced,
    )
