"""Turns what happens while a summary is written into what its details say of it."""

from collections.abc import Iterable, Sequence

from ctxmgr.model.compaction import Completion


class SummaryUsage:
    """What one summary took: calls and retries, tokens where they were reported, and what was not shown.

    `ladder` says in words what of the conversation was shortened for a model, each thing once; `left_out` counts
    messages that a model saw only as a digest; `joined`: why slices were put together without a model.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.retries = 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.ladder: list[str] = []
        self.left_out = 0
        self.joined = ""

    def add(self, completions: Sequence[Completion], *, again: bool) -> None:
        """Count the calls of a batch that came to an end by themselves; `again`: they were retries. Of the others
        it is chance whether they had been made yet when their deadline passed."""
        made = sum(completion.stop != "cancelled" for completion in completions)
        self.calls += made
        self.retries += made if again else 0
        for spent in (one.usage for one in completions if one.usage is not None):
            self.input_tokens = (self.input_tokens or 0) + spent.input_tokens
            self.output_tokens = (self.output_tokens or 0) + spent.output_tokens

    def unshortened(self) -> None:
        """What was shortened for a call that was not made does not count."""
        self.ladder, self.left_out = [], 0

    def shortened(self, steps: Iterable[str]) -> None:
        """Note what was given up to make a conversation fit."""
        self.ladder += [step for step in dict.fromkeys(steps) if step not in self.ladder]
