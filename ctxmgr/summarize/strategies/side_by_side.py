"""Turns two runs of asks into one whose batches hold the asks of both, so that neither waits for the other."""

from typing import Any, TypeVar

from ctxmgr.model.compaction import Asking, Completion, CompletionRequest

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
    """Run both to their results. What one raises ends the other too."""
    try:
        left, right = _Run(first), _Run(second)
        while left.batch is not None or right.batch is not None:
            mine = left.batch or ()
            completions = yield mine + (right.batch or ())
            try:
                left.answered(completions[: len(mine)])
            finally:  # what was answered is counted, even where the other has given up
                right.answered(completions[len(mine) :])
    finally:
        first.close()
        second.close()
    return left.result, right.result
