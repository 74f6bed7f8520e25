"""A provider's cache with marks, as its documentation has it, and a host that sends lists to it.

Starts are kept at marks alone. At each mark it looks for what is kept there and at fewer than `look_back` blocks
before; the longest found is read. What is found or kept lives on from then.
"""

from collections.abc import Sequence

from ctxmgr.engine.caching import MarkInputs, placed
from ctxmgr.model import CacheRule
from ctxmgr.model.saved import MarkedStart

Listed = tuple[tuple[str, int], ...]
"""Messages: what tells one from another, and its content blocks; a message of no blocks can bear no mark."""
RULE = CacheRule("marks", most_marks=4, look_back_blocks=20)
LIFETIME_MS = 300_000


class Provider:
    def __init__(self, rule: CacheRule, lifetime_ms: int = LIFETIME_MS) -> None:
        self.rule, self.lifetime_ms = rule, lifetime_ms
        self.kept: dict[Listed, int] = {}  # starts, and when each was last kept or found

    def call(self, sent: Listed, indices: Sequence[int], time_ms: int = 0) -> int:
        """So many of the messages are read."""
        alive = {start: at for start, at in self.kept.items() if time_ms - at <= self.lifetime_ms}
        found = {self._found(sent[: index + 1], alive) for index in indices}
        self.kept = alive | {sent[:count]: time_ms for count in found if count}
        self.kept |= {sent[: index + 1]: time_ms for index in indices}
        return max(found, default=0)

    def _found(self, start: Listed, alive: dict[Listed, int]) -> int:
        for count in range(len(start), 0, -1):
            behind = sum(blocks for _, blocks in start[count:])
            if self.rule.look_back_blocks and count < len(start) and behind >= self.rule.look_back_blocks:
                return 0
            if start[:count] in alive:
                return count
        return 0

    def longest(self, sent: Listed, time_ms: int = 0) -> int:
        """Of what is kept at all, so many messages this list begins with."""
        alive = (start for start, at in self.kept.items() if time_ms - at <= self.lifetime_ms)
        return max((len(start) for start in alive if sent[: len(start)] == start), default=0)


class Host:
    """Sends lists with the marks that are advised, call by call."""

    def __init__(self, rule: CacheRule = RULE, own: int = 2) -> None:
        self.rule, self.own = rule, own
        self.provider = Provider(rule)
        self.sent: Listed = ()
        self.starts: tuple[MarkedStart, ...] = ()
        self.indices: tuple[int, ...] = ()

    def call(self, messages: Listed, time_ms: int | None = 0) -> int:
        """So many of its messages are read."""
        shared = sum(1 for _ in self._shared(messages))
        grew = shared == len(self.sent)
        inputs = MarkInputs(
            rule=self.rule,
            message_count=len(messages),
            same_count=None if grew and self.sent else shared,
            own_marks=self.own,
            blocks=lambda start, end: sum(blocks for _, blocks in messages[start:end]),
            may_bear=lambda place: messages[place][1] > 0,
            time_ms=time_ms,
        )
        made = placed(inputs, self.starts)
        self.sent, self.starts, self.indices = messages, made.starts, made.indices
        return self.provider.call(messages, made.indices, time_ms or 0)

    def _shared(self, messages: Listed) -> Sequence[int]:
        same = 0
        for old, new in zip(self.sent, messages, strict=False):
            if old != new:
                break
            same += 1
        return range(same)


def told(*blocks: int, name: str = "m", first: int = 0) -> Listed:
    return tuple((f"{name}{first + place}", count) for place, count in enumerate(blocks))
