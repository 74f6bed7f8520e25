"""What has to be known to write a summary, what it took, and what is written."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from ctxmgr.engine.compaction import Depths
from ctxmgr.model import BasePrices, Slices, SummaryPrompts, Weigh
from ctxmgr.model.compaction import (
    BranchMessage,
    BranchSummaryPlan,
    CompactionPlan,
    Completion,
    Format,
    Strategy,
)
from ctxmgr.model.saved import Ledger
from ctxmgr.summarize.formats import Shape
from ctxmgr.summarize.parse import Reason
from ctxmgr.summarize.prompts import SYSTEM, Matter, PromptParts


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


class CompletionFailure(msgspec.Struct, frozen=True):
    """Why there is no answer: of which ask, for what reason, and the words of whoever ran it. `prose`: what the
    model said in place of a summary, where that can be kept."""

    reason: Reason
    label: str = ""
    detail: str = ""
    prose: str = ""


class SummaryUsage:
    """What one summary took: calls and retries, tokens where they were reported, and what was not shown.

    `ladder` says in words what of the conversation was shortened for a model, each thing once; `left_out` counts
    messages that a model saw only as a digest; `joined`: why slices were put together without a model. `bill`: what
    both ways cost, where there was a choice. `warm_failure`: why the host's list, where it was asked, gave no
    summary; `turn_failure`: why a cut turn's part was written without a model.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.retries = 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.ladder: list[str] = []
        self.left_out = 0
        self.joined = ""
        self.bill: dict[str, Any] | None = None
        self.warm_failure: CompletionFailure | None = None
        self.turn_failure: CompletionFailure | None = None

    def add(self, completions: Sequence[Completion], *, again: bool) -> None:
        """Count the calls of a batch that came to an end by themselves; `again`: they were retries. Of the others
        it is chance whether they had been made yet when their deadline passed."""
        made = sum(completion.stop != "cancelled" for completion in completions)
        self.calls += made
        self.retries += made if again else 0
        for spent in (completion.usage for completion in completions if completion.usage is not None):
            self.input_tokens = (self.input_tokens or 0) + spent.input_tokens
            self.output_tokens = (self.output_tokens or 0) + spent.output_tokens

    def unshortened(self) -> None:
        """What was shortened for a call that was not made does not count."""
        self.ladder, self.left_out = [], 0

    def shortened(self, steps: Iterable[str]) -> None:
        """Note what was given up to make a conversation fit."""
        self.ladder += [step for step in dict.fromkeys(steps) if step not in self.ladder]


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
    `context`: the host's own list, where a summary may be asked for at the end of it. `usage` is written:
    each summary needs its own.
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
    usage: SummaryUsage = msgspec.field(default_factory=SummaryUsage)

    @property
    def system(self) -> str:
        """The system prompt of each ask."""
        return self.prompts.system.strip() or SYSTEM


class FinishedSummary(msgspec.Struct, frozen=True):
    """A finished summary: its text with the file lists, and its details as the host keeps them.

    `details` is {readFiles, modifiedFiles, ctxmgr: {strategy, format, calls, retries, inputTokens?,
    outputTokens?, ladder: [words], leftOut, joined?, fallback?, turnFallback?, short?, mended?}}; a
    fallback is {from, reason, label?, said?}, what was mended [{kind, text, corrected?}]. A branch's format is
    "structured", or "free" where the user's instructions stood in place of ours.
    """

    summary: str
    details: dict[str, Any]
