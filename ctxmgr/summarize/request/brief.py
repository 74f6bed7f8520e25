"""What has to be known to write a summary, and what is written."""

from typing import Any, Generic, TypeVar

import msgspec

from ctxmgr.engine.compaction import Depths
from ctxmgr.model import BasePrices, Slices, SummaryPrompts, Weigh
from ctxmgr.model.compaction import BranchSummaryPlan, CompactionPlan, Format, Strategy
from ctxmgr.model.saved import Ledger
from ctxmgr.summarize.prompts import SYSTEM
from ctxmgr.summarize.request.prompt_task import SummaryTerms
from ctxmgr.summarize.request.usage import SummaryUsage

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
