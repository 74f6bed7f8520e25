"""Turns the ledger, and what is beside it, into the texts that a packet of `balanced` is made of.

Instructions that the host took away stand in it word for word, in a budget of their own.
"""

import math
from collections.abc import Callable, Iterable

import msgspec

from ctxmgr.engine.memory import PacketText, Removed, scratchpad_in
from ctxmgr.engine.rewriting import handles
from ctxmgr.model import Message, Packet

NO_PACKET = Packet("", 0)


class PacketWriter(msgspec.Struct, frozen=True):
    """Writes a packet out of the ledger. `budget_tokens` for its facts; `allowance`: so many more than what left it
    may weigh. `archives`: are originals kept anywhere? `absent`: those instructions, in at most so many tokens; ""
    for none."""

    text: PacketText
    budget_tokens: int
    allowance: int
    archives: bool
    absent: Callable[[float], str]

    @property
    def most_allowed(self) -> int:
        """Tokens that the packet may weigh beyond what left, with those instructions."""
        told = self.absent(math.inf)
        return self.allowance + (self.weigh(told) if told else 0)

    def written(self, tokens: int, shown: Iterable[Message], cut: Iterable[Message], removed: Removed) -> str:
        """What is known beside what is `shown`, of that `cut` with results shortened, in no more than these tokens
        and the budget; "" for nothing."""
        most, short = min(self.budget_tokens, tokens), frozenset(message.digest for message in cut)
        return self.text.within(most, self.text.in_view(shown), removed, short)

    def has_news(self, shown: Packet) -> bool:
        """Are the model's notes other than the packet that is shown tells them?"""
        return self.text.is_outdated(shown.text)

    def renews_notes(self, shown: Packet, packet: Packet) -> bool:
        """Does this packet tell other notes of the model than the one that is shown?"""
        return scratchpad_in(shown.text) != scratchpad_in(packet.text)

    def handle(self, key: str) -> str:
        """The name of an original in the archive; "" where there is none."""
        return handles.handle(key) if self.archives else ""

    def weigh(self, text: str) -> int:
        """In tokens."""
        return self.text.weigh(text)
