"""The calls of a recorded session whose list ctxmgr changes: the original list, and ctxmgr's."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ctxmgr.model import Message
from ctxmgr.study.driving import ReplayOptions, drive
from ctxmgr.study.observations import Observation, message_reader
from ctxmgr.study.recordings import Recording


class ListPair(msgspec.Struct, frozen=True):
    """Both lists of one call. `number`: of the call, from 1. `before`: the host's list; `after`: ctxmgr's.
    `before_tokens` and `after_tokens`: without system prompt and tools.
    """

    number: int
    before: tuple[Message, ...]
    after: tuple[Message, ...]

    @property
    def before_tokens(self) -> int:
        return sum(message.weight for message in self.before)

    @property
    def after_tokens(self) -> int:
        return sum(message.weight for message in self.after)


def changed_lists(recorded: Recording, preset: str, window: int, step: Callable[[], None]) -> list[ListPair]:
    """One pair for each call whose list changes, oldest first. `window` in tokens. Calls `step` once for each
    entry. Raises RuntimeError with what went wrong while the recording was driven.
    """
    with tempfile.TemporaryDirectory(prefix="ctxmgr-ab-") as state:
        options = ReplayOptions(
            preset=preset,
            window=window,
            state_dir=Path(state),
            recorded_compactions=True,
            measure=True,
        )
        outcome = drive(recorded, options, step)
    if outcome.fault_codes:
        raise RuntimeError(outcome.fault_codes[0])
    pairs = (_pair(number, seen) for number, seen in enumerate(outcome.observations, 1))
    return [pair for pair in pairs if pair is not None]


def spread(pairs: Sequence[ListPair], count: int) -> list[ListPair]:
    """At most `count` pairs, spread evenly over the session, with the last pair among them."""
    if len(pairs) <= count:
        return list(pairs)
    return [pairs[(number + 1) * len(pairs) // count - 1] for number in range(count)]


def _pair(number: int, seen: Observation) -> ListPair | None:
    before = [item.raw for item in seen.items]
    after = [message.raw for message in seen.projected_messages]
    if before == after:
        return None
    return ListPair(number, *(tuple(message_reader().read(raws)) for raws in (before, after)))
