"""Turns policy and zone into how much a packet may weigh, and a ledger into a packet of no more than that."""

from collections.abc import Container, Iterable, Sequence

import msgspec

from ctxmgr.engine.ledger import current
from ctxmgr.engine.packet import findings, packet, users
from ctxmgr.engine.packet.in_view import InView, in_view
from ctxmgr.engine.text import scratchpad_in, scratchpad_lines
from ctxmgr.model import PACKET_MARK, Message, PacketTokens, Policy, Weigh, Zone
from ctxmgr.model.saved import Ledger, RawSummary, State


def packet_budget(policy: Policy, zone: Zone, resume: bool) -> int:
    """In tokens."""
    if resume:
        return policy.resume_tokens
    if isinstance(policy.packet_tokens, PacketTokens):
        return int(getattr(policy.packet_tokens, zone))
    shares = {"green": 1.0, "yellow": 0.8, "red": 0.6, "compact": 0.4}  # as the default's row falls
    return int(policy.packet_tokens * shares[zone])


def packet_allowance(state: State, budget: int) -> int:
    """So many tokens a packet of this budget may weigh beyond what left the list: after a host's compaction or move
    it stands for what the host took away as well, and a scratchpad stands in view from its first word on."""
    return budget if state.summaries or state.resume or state.scratchpad.strip() else 0


class PacketText(msgspec.Struct, frozen=True):
    """What a packet is written of. `summaries` as hosts wrote them."""

    ledger: Ledger
    scratchpad: str
    weigh: Weigh
    summaries: tuple[RawSummary, ...] = ()

    def is_outdated(self, shown: str) -> bool:
        """Does a packet that is shown tell other notes than there are?"""
        return scratchpad_in(shown) != scratchpad_lines(self.scratchpad)

    def in_view(self, messages: Iterable[Message]) -> frozenset[str]:
        """What these messages show: their digests, and those of summaries whose text stands in them. Not every
        format has a message of its own for a summary."""
        kept = [message for message in messages if message.view.role in ("user", "summary", "assistant")]
        texts = ["\n".join(block.text for block in message.view.blocks) for message in kept]
        said = (one.digest for one in self.summaries if any(one.text.strip() in text for text in texts))
        return frozenset((*(message.digest for message in kept), *said))

    def findings(self, budget: int, shown: Container[str]) -> str:
        """What the assistant decided and found, as `findings.findings_text`."""
        return findings.findings_text(self.ledger, shown, budget, self.weigh)

    def users(self, budget: int, shown: Container[str]) -> users.UsersText:
        """What the user said, word for word, as `users.users_text`."""
        return users.users_text(self.ledger, shown, budget, self.weigh)

    def resumed(
        self,
        budget: int,
        listed: Iterable[Message],
        whole: Sequence[Message],
        elsewhere: frozenset[str] = frozenset(),
    ) -> str:
        """Where the work stood, in so many tokens: what the list does not state by what it shows `whole`. A host
        may ask with the list that it had before: one that does not hold the newest summary is not read.
        `elsewhere`: names of facts that are told beside it."""
        newest = next((one.digest for one in reversed(self.summaries) if one.kind == "compaction"), None)
        shown = self.in_view(whole) | elsewhere
        if newest is not None and newest not in self.in_view(listed):
            return self._rendered(budget, resume=True, shown=shown)
        files = (fact.text for fact in current(self.ledger) if fact.slot == "file")
        return self._rendered(budget, resume=True, shown=in_view(whole, files, shown))

    def within(self, budget: int, shown: Container[str] = frozenset()) -> str:
        """In so many tokens, "" where nothing fits; `shown`: as in `packet.render`."""
        return self._rendered(budget, resume=False, shown=shown)

    def noted(self, text: str, resume: bool) -> str:
        """A whole packet that begins with such a text, with its note where it is not small."""
        return packet.noted(text, resume, self.weigh)

    def note_tokens(self) -> int:
        """So many more than its budget a packet may weigh by its note."""
        return self.weigh(packet.NOTE)

    def _rendered(self, budget: int, resume: bool, shown: Container[str] | InView) -> str:
        text = packet.render(
            self.ledger,
            budget=budget,
            weigh=self.weigh,
            resume=resume,
            scratchpad=self.scratchpad,
            shown=shown,
        )
        if not text and self.weigh(PACKET_MARK) <= budget:
            return PACKET_MARK  # so little was left out that nothing more may be said of it
        return text
