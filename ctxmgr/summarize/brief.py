"""What has to be known to write a summary, what one ask of it holds, and what is written.

Rules:
1. What an ask holds never weighs more than the window leaves beside its answer. The ladder shortens the
   conversation, and nothing else is shortened: where the rest alone is too much, there is no ask.
2. What the ladder left out is told in a digest. What was shortened or left out is noted in the account.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from ctxmgr.engine.compaction import FOR_MODEL, Depths, scoring, truncation
from ctxmgr.engine.memory import summary
from ctxmgr.model import BasePrices, Slices, SummaryPrompts, Weigh
from ctxmgr.model.compaction import (
    BranchMessage,
    BranchSummaryPlan,
    CompactionPlan,
    CompletionRequest,
    Format,
    Purpose,
    Strategy,
)
from ctxmgr.model.saved import Ledger
from ctxmgr.summarize.formats import Shape
from ctxmgr.summarize.parse import RejectedAnswer
from ctxmgr.summarize.prompts import SYSTEM, Matter, PromptParts, merge_prompt, prompt
from ctxmgr.summarize.retry import ShapedRequest, SummaryUsage, give_up

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


def input_room(terms: SummaryTerms, output: int) -> int:
    """Tokens of input, as we weigh them, that the window leaves beside an answer."""
    return int((terms.window - output) * INPUT_SHARE)


def question(
    terms: SummaryTerms,
    job: PromptTask,
    messages: Sequence[BranchMessage],
    given: PromptParts,
    *,
    output: int,
    slice_number: tuple[int, int] | None = None,
) -> ShapedRequest:
    """The ask about these messages, given what else is shown with them, for `output` tokens. Raises GaveUp where
    nothing fits.

    `given.conversation` is what is shown of them, where that is settled and there is room for it. `slice_number`:
    they are slice n of m, None: all of the job. What the job left out is told with the first of them.
    """
    label = LABELS[job.matter] if slice_number is None else f"slice {slice_number[0]} of {slice_number[1]}"
    left_out = job.left_out if slice_number is None or slice_number[0] == 1 else ()
    notes = job.scratchpad if slice_number is None or slice_number[0] == slice_number[1] else ""
    text, given = given.conversation, msgspec.structs.replace(given, conversation="", scratchpad=notes)

    def put(given: PromptParts) -> str:
        return prompt(job.matter, job.shape, given, job.instructions, slice_number=slice_number, most=output)

    free = input_room(terms, output) - terms.weigh(terms.system) - terms.weigh(put(given))
    if free < LEAST_ROOM:
        give_up(RejectedAnswer("does not fit", f"{free} of {terms.window} tokens left for the conversation"), label)
    if text and not left_out and terms.weigh(text) <= free:
        digest = ""
    else:
        text, digest = _fitted(terms, messages, left_out, free)
    whole = msgspec.structs.replace(given, conversation=text, left_out=digest)
    replaced = sum(map(terms.weigh, (text, digest, given.previous, given.earlier, given.notes, notes)))
    purpose: Purpose = job.matter if slice_number is None else "slice"
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
    over = terms.weigh(terms.system) + terms.weigh(text) - input_room(terms, job.max_tokens)
    if over > 0:
        give_up(RejectedAnswer("does not fit", f"{over} tokens too many"), "merge")
    replaced = sum(map(terms.weigh, (*texts, job.previous, job.earlier, job.notes)))
    return ShapedRequest(
        CompletionRequest("merge", terms.system, text, job.max_tokens, f"merge of {len(texts)} slices"),
        job.shape,
        replaced,
    )


WINDOW = 128_000  # tokens, of a summarising model that nobody described (pi)


Prepared = TypeVar("Prepared", CompactionPlan, BranchSummaryPlan)


class HostContext(msgspec.Struct, frozen=True):
    """The list that the host's model was asked with last, and what came since, as its provider counts. `tokens` of
    all of it, `cached_tokens` of them in the cache; `window` of that model; `ratio`: the provider's tokens for each
    that `weigh` counts; `prices` of the model, None where nobody told them."""

    cached_tokens: int
    tokens: int
    window: int
    ratio: float = 1.0
    prices: BasePrices | None = None


class SummaryInput(msgspec.Struct, Generic[Prepared], frozen=True):
    """A preparation and how to summarise it.

    `weigh`: tokens of a text. `window` and `max_output_tokens` of the summarising model in tokens,
    `max_output_tokens` None where it is not known. `instructions` are the user's own; of a branch
    `replace_instructions` says that they stand in place of ours. `retries` of each ask that is refused. `depths` of
    breaks, for natural slices; None: told by words. `scratchpad`: the model's own notes as they stand. `prompts`
    stand in place of ours. `ledger`: what the session knows, to check what a model wrote; it may be empty.
    `context`: the host's own list, where a summary may be asked for at the end of it.
    """

    preparation: Prepared
    weigh: Weigh
    strategy: Strategy = "single-shot"
    format: Format = "structured"
    instructions: str = ""
    replace_instructions: bool = False
    slices: Slices = Slices()
    window: int = WINDOW
    max_output_tokens: int | None = None
    retries: int = 1
    depths: Depths | None = None
    scratchpad: str = ""
    prompts: SummaryPrompts = SummaryPrompts()
    ledger: Ledger = Ledger()
    context: HostContext | None = None

    def terms(self, account: SummaryUsage) -> SummaryTerms:
        """What holds for all asks."""
        system = self.prompts.system.strip() or SYSTEM
        return SummaryTerms(
            self.weigh, self.window, max(0, self.retries), self.slices, self.depths, account, system
        )


class FinishedSummary(msgspec.Struct, frozen=True):
    """A finished summary: its text with the file lists, and its details as the host keeps them.

    `details` is {readFiles, modifiedFiles, ctxmgr: {strategy, format, calls, retries, inputTokens?,
    outputTokens?, ladder: [words], leftOut, joined?, fallback?, turnFallback?, short?, mended?}}; a
    fallback is {from, reason, label?, said?}, what was mended [{kind, text, corrected?}]. A branch's format is
    "structured", or "free" where the user's instructions stood in place of ours.
    """

    summary: str
    details: dict[str, Any]
