"""What a provider's cache would have read, and what it bills: simulated, by a clock that only a test moves.

A token is four characters of a block's JSON.

Anthropic (`MarkedCache`):
1. The prefix is tools, system, messages, as blocks; a mark itself, and whether one text is a string or a block, are
   no part of it.
2. What is written ends at a mark, and only where there are `least_tokens` before it.
3. From each mark it is looked back over 20 blocks, the marked one counted, for an end that was written.
4. An entry lives five minutes, or an hour where the mark says so, from when it was last read.

OpenAI (`PrefixCache`):
5. The prefix is tools, then items, as the bytes that came; it is read in steps of 128 tokens from 1,024 on. It
   lives for a day.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate

TOKEN_CHARS = 4
LOOK_BACK_BLOCKS = 20
MINUTE_MS = 60_000
LIFETIMES_MS = {"5m": 5 * MINUTE_MS, "1h": 60 * MINUTE_MS}
STEP_TOKENS, LEAST_TOKENS = 128, 1_024
DAY_MS = 24 * 60 * MINUTE_MS


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_ms = 0

    def advance(self, by_ms: int) -> None:
        self.now_ms += by_ms


@dataclass(frozen=True)
class Block:
    """A part of a prompt. `mark` is the lifetime that is asked for at its end, "" for no mark."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; `fresh` were neither read from the cache nor written to it."""

    fresh: int = 0
    read: int = 0
    written_5m: int = 0
    written_1h: int = 0
    output: int = 0

    @property
    def sent(self) -> int:
        return self.fresh + self.read + self.written

    @property
    def written(self) -> int:
        return self.written_5m + self.written_1h

    @property
    def billed(self) -> float:
        """In tokens of fresh input, without the output."""
        return self.fresh + 0.1 * self.read + 1.25 * self.written_5m + 2 * self.written_1h

    def __add__(self, other: "Usage") -> "Usage":
        mine, others = vars(self), vars(other)
        return Usage(**{name: mine[name] + others[name] for name in mine})


def tokens(text: str) -> int:
    return len(text) // TOKEN_CHARS


class MarkedCache:
    def __init__(self, clock: Clock, least_tokens: int = LEAST_TOKENS) -> None:
        self._clock, self._least = clock, least_tokens
        self._entries: dict[bytes, tuple[int, int]] = {}  # how long each lives, and when it was last used

    def use(self, scope: str, blocks: Sequence[Block]) -> Usage:
        """What one call reads and writes. `scope`: what else must be equal, such as the model."""
        names = _chained(scope.encode(), [block.text.encode() for block in blocks])
        ends = [chars // TOKEN_CHARS for chars in accumulate(len(block.text) for block in blocks)]
        marks = [at for at, block in enumerate(blocks) if block.mark]
        hit = max((at for mark in marks if (at := self._found(names, mark)) is not None), default=-1)
        total, done = ends[-1] if ends else 0, ends[hit] if hit >= 0 else 0
        read, written = done, {"5m": 0, "1h": 0}
        for at in (one for one in marks if ends[one] >= self._least):
            written[blocks[at].mark] += max(ends[at] - done, 0)
            done = max(done, ends[at])
            self._entries.setdefault(names[at], (LIFETIMES_MS[blocks[at].mark], 0))
            self._touch(names[at])
        if hit >= 0:
            self._touch(names[hit])
        return Usage(total - done, read, written["5m"], written["1h"])

    def _found(self, names: Sequence[bytes], mark: int) -> int | None:
        back = range(mark, max(mark - LOOK_BACK_BLOCKS, -1), -1)
        return next((at for at in back if self._alive(names[at])), None)

    def _alive(self, name: bytes) -> bool:
        lifetime_ms, used_ms = self._entries.get(name, (0, 0))
        return used_ms + lifetime_ms > self._clock.now_ms

    def _touch(self, name: bytes) -> None:
        self._entries[name] = (self._entries[name][0], self._clock.now_ms)


class PrefixCache:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[bytes, int] = {}

    def use(self, scope: str, pieces: Sequence[bytes]) -> Usage:
        whole = b"".join(pieces)
        size = STEP_TOKENS * TOKEN_CHARS
        names = _chained(scope.encode(), [whole[at : at + size] for at in range(0, len(whole) - size + 1, size)])
        steps = next((at for at, name in enumerate(names) if self._until.get(name, -1) <= self._clock.now_ms), None)
        read = STEP_TOKENS * (len(names) if steps is None else steps)
        self._until |= dict.fromkeys(names, self._clock.now_ms + DAY_MS)
        read = read if read >= LEAST_TOKENS else 0
        return Usage(len(whole) // TOKEN_CHARS - read, read)


def _chained(first: bytes, parts: Sequence[bytes]) -> list[bytes]:
    """A name for each prefix."""
    names, last = [], sha256(first).digest()
    for part in parts:
        last = sha256(last + part).digest()
        names.append(last)
    return names
