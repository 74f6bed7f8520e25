"""What is needed to write a summary, what it took, and what was written."""

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
from ctxmgr.summarize.parse import CompletionFailure
from ctxmgr.summarize.prompts import SYSTEM, Matter, PromptParts


class PromptTask(msgspec.Struct, frozen=True):
    """One text to write. `max_tokens`: its limit. `given`: what is shown beside its messages; the scratchpad is
    shown with the newest of them. `left_out`: messages that belong to it and are only covered by a digest.
    """

    matter: Matter
    messages: tuple[BranchMessage, ...]
    shape: Shape
    max_tokens: int
    instructions: str = ""
    given: PromptParts = PromptParts()
    left_out: tuple[BranchMessage, ...] = ()


class SummaryUsage:
    """What one summary took: calls and retries, tokens if reported, and what was not shown.

    `ladder`: what of the conversation was shortened for a model, in words, without repetition. `left_out`: messages
    that a model only saw as a digest. `joined`: why slices were combined without a model. `bill`: the cost of both
    ways, if there was a choice. `warm_failure`: why the request on the host's list gave no summary. `turn_failure`:
    why the part of a cut turn was written without a model.
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
        """Counts the calls of a batch that ended by themselves; `again`: they were retries. Whether the others had
        been made when their deadline passed is chance.
        """
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
        """Notes what was given up to make a conversation fit."""
        self.ladder += [step for step in dict.fromkeys(steps) if step not in self.ladder]


WINDOW = 128_000  # tokens, for a summarizing model of unknown window (pi)


Prepared = TypeVar("Prepared", CompactionPlan, BranchSummaryPlan)


class HostContext(msgspec.Struct, frozen=True):
    """The list of the host's last request and what came since, by its provider's count. `tokens` in total,
    `cached_tokens` of them in the cache. `window` of that model. `ratio`: the provider's tokens per token of
    `weigh`. `prices` of the model, None if unknown.
    """

    cached_tokens: int
    tokens: int
    window: int
    ratio: float = 1.0
    prices: BasePrices | None = None


class SummaryInput(msgspec.Struct, Generic[Prepared], frozen=True):
    """A preparation and how to summarize it.

    `weigh`: tokens of a text. `window` and `max_output_tokens` of the summarizing model in tokens,
    `max_output_tokens` None if unknown. `instructions`: the user's own; for a branch, `replace_instructions` says
    that they replace ours. `retries`: of each refused request. `depths` of breaks, for natural slices; None: from
    words. `scratchpad`: the model's current notes. `prompts` replace ours. `ledger`: what the session knows, to
    check what a model wrote; may be empty. `context`: the host's own list, if a summary may be requested at its
    end. `usage` is written: each summary needs its own.
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
        """The system prompt of each request."""
        return self.prompts.system.strip() or SYSTEM


class FinishedSummary(msgspec.Struct, frozen=True):
    """A finished summary: its text with the file lists, and its details as the host keeps them.

    `details` is {readFiles, modifiedFiles, ctxmgr: {strategy, format, calls, retries, inputTokens?, outputTokens?,
    ladder: [words], leftOut, joined?, fallback?, turnFallback?, short?, mended?}}; a fallback is {from, reason,
    label?, said?}, what was mended [{kind, text, corrected?}]. A branch's format is "structured", or "free" if the
    user's instructions replaced ours.
    """

    summary: str
    details: dict[str, Any]
