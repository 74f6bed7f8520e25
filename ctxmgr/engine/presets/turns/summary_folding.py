"""What a packet takes over from a list: which messages leave for it, and for how much it may stand.

1. A summary that is in the ledger leaves, wherever it stands: the packet says what it said, in short where it is
   long.
2. A packet stands for what left the list. After a compaction or a move of the host's it stands for what the host
   took away as well, of which nobody knows the weight: then its budget and the window alone bound it.
"""

import math
from collections.abc import Callable

import msgspec


class LeftOut(msgspec.Struct, frozen=True):
    """What a packet is to stand for: `tokens` that left the list, which starts at the message `start`. It may weigh
    `most_tokens`. Of the messages from `start` on, those `gone` left, too, and those `cut` have shortened
    results."""

    tokens: int
    start: int
    most_tokens: int
    gone: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()


class Folding(msgspec.Struct, frozen=True):
    """What the packet takes over from messages.

    `packet_for`: the text and weight for what left, ("", 0) where nothing fits; None: there is none. `folded`: is
    this summary (its index) in the ledger? `allowance`: tokens that the packet may weigh beyond what left (rule 2),
    as far as the list stays below `window`.
    """

    packet_for: Callable[[LeftOut], tuple[str, int]] | None
    folded: Callable[[int], bool]
    allowance: int = 0
    window: float = math.inf

    def packet(self, left: LeftOut) -> tuple[str, int]:
        """The packet for it."""
        return self.packet_for(left) if self.packet_for is not None and left.most_tokens else ("", 0)

    def most_tokens(self, tokens: int, kept: int) -> int:
        """That a packet may weigh where so many tokens left and so many are `kept` (rule 2)."""
        return max(tokens, int(min(tokens + self.allowance, self.window - kept)))
