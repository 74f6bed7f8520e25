"""Writes the packet of an epoch out of the ledger: how `PacketWriter` is done where nothing else is asked for."""

import msgspec

from ctxmgr.engine.packet import PacketText
from ctxmgr.engine.rewriting import handles


class LedgerWriter(msgspec.Struct, frozen=True):
    """`budget` of the ledger's facts, in tokens. `resume`: where the work stood is told with them. `archives`: are
    originals kept anywhere?"""

    text: PacketText
    budget: int
    resume: bool
    archives: bool

    def facts(self, stands_for: int) -> str:
        """The ledger's facts, in no more tokens than these."""
        return self.text.within(min(self.budget, stands_for), self.resume, asked=self.resume)

    def handle(self, key: str) -> str:
        """The name of an original in the archive."""
        return handles.handle(key) if self.archives else ""

    def weigh(self, text: str) -> int:
        """In tokens."""
        return self.text.weigh(text)
