"""Renders the packet for what would be removed, from a state; once for each position.

While the first kept turn stays the same, the packet keeps its bytes as long as it fits, in any zone, so that new
facts do not change the prefix. The kept turns contain what is new. Instructions and parts of the task that were
removed, also by the host, are quoted word for word, within what those in kept turns leave of budgets of their own.
"""

import math
from collections.abc import Callable

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.instructions import (
    INSTRUCTIONS_SHARE,
    QUOTED_WEIGHT,
    Copies,
    InPlace,
    Quoted,
    absent,
    leaving,
    quoted,
)
from ctxmgr.engine.memory import NOTE, PacketText, Removed, packet_allowance, packet_budget
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.protection import Protection
from ctxmgr.model import PACKET_MARK, Zone
from ctxmgr.model.saved import RenderedPacket, State

QUOTING_TOKENS = 60  # for the headings above quoted texts


class LeftOut(msgspec.Struct, frozen=True):
    """What a packet stands for: `tokens` removed from the list, which now starts at the message `start`. The packet
    may have `most_tokens`. Of the messages before `start`, those in `kept` stay. Of the others, those in `gone`
    were removed too, and those in `cut` have shortened results.
    """

    tokens: int
    start: int
    most_tokens: int
    kept: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()

    def removed(self) -> frozenset[int]:
        """All messages that were removed."""
        return self.gone.union(range(self.start)) - self.kept


class Packets:
    """`rendered`: the current packet. In tokens: `budget` of the next packet; `allowance` beyond what was removed
    from the list, including the quotes of what the host removed. `lasting`: a packet written to resume a session
    stays whatever its size, because without removed turns, another packet would cost the prefix for nothing.
    """

    def __init__(
        self,
        conversation: ConversationIndex,
        state: State,
        zone: Zone,
        inputs: Inputs,
        protection: Protection,
        lasting: bool,
    ) -> None:
        self.rendered, self.budget = state.packet, packet_budget(inputs.policy, zone, state.resume)
        self._conversation, self._resume = conversation, state.resume
        self._instructions, self._task = protection.instructions(), protection.task()
        self._room = InPlace(INSTRUCTIONS_SHARE * inputs.gauge.usable_weight)
        self._absent = absent(state.instructions, conversation, inputs.policy.protected_instructions)
        self._owed = quoted(self._absent, self._room, math.inf, inputs.weigh)
        self._absent_tokens = self._owed.packet_tokens(inputs.weigh)
        self._lasting = lasting
        in_force = state.packet.weight if lasting and state.packet is not None else 0  # checked when it was written
        allowed = packet_allowance(state, self.budget) + self._absent_tokens
        if state.newest_summary:  # a quote has more tokens than the original
            allowed += QUOTING_TOKENS + int((QUOTED_WEIGHT - 1) * self._task.weight(conversation))
        self.allowance = max(allowed, in_force)
        self._text = PacketText.of(state, inputs.ledger, inputs.weigh)
        self._may_ask = inputs.archives

    @property
    def may_say(self) -> bool:
        """Whether the packet may have any content."""
        return bool(self.budget or self._absent or self._instructions.blocks or self._task.parts)

    def render(self, left: LeftOut) -> tuple[str, int]:
        """The packet and its token count."""
        if not self.stays(left):
            before, key = self.rendered, _placement_key(left, self._resume)
            shrinks = before is not None and before.placement_key == key and before.weight > left.most_tokens
            half = max(left.tokens, left.most_tokens // 2, self._absent_tokens)  # so that it lasts some calls
            most = min(half, left.most_tokens) if shrinks else left.most_tokens
            text = self._written(left, most)
            self.rendered = RenderedPacket(key, text, self._text.weigh(text))
        return (self.rendered.text, self.rendered.weight) if self.rendered is not None else ("", 0)

    def whole(self, left: LeftOut) -> bool:
        """Whether the packet has each part of the task whole that its budget allows."""
        return self.stays(left) or self._quoted(left, math.inf).texts == self._quoted(left, left.most_tokens).texts

    def _quoted(self, left: LeftOut, most: float) -> Quoted:
        """The quotes in a packet of at most `most` tokens."""
        weigh, conversation, gone = self._text.weigh, self._conversation, left.removed()
        copies = Copies(
            leaving(conversation, self._instructions, gone - left.gone), self._task.leaving(conversation, gone)
        )
        in_place = InPlace.of(conversation, self._room.share, self._instructions, self._task, gone)
        return quoted(self._absent + copies, in_place, most - weigh(PACKET_MARK) - 2, weigh)

    def _written(self, left: LeftOut, most: int) -> str:
        """The text in at most `most` tokens: first the quotes, then what is known."""
        weigh, conversation = self._text.weigh, self._conversation
        gone = left.removed()
        kept = (message for index, message in enumerate(conversation.messages) if index not in gone)
        told = self._quoted(left, most)
        room = most - (weigh(told.text) + 2 if told.text else 0)
        shown = self._text.in_view(kept, told.texts)
        cut = frozenset(conversation.digest(index) for index in left.cut)
        text = self._text.within(min(self.budget, room), shown, self._removed(left), cut)
        return "\n\n".join(filter(None, (text or (PACKET_MARK if told.text else ""), told.text)))

    def _removed(self, left: LeftOut) -> Removed:
        gone = [self._conversation.messages[index] for index in sorted(left.removed() - left.gone)]
        results = sum(block.kind == "result" for message in gone for block in message.view.blocks)
        return Removed(len(gone), results, may_ask=self._may_ask)

    def stays(self, left: LeftOut) -> bool:
        """Whether the current packet keeps its bytes. Not if the host has removed more instructions, or more
        of the task. A packet written to resume a session does if it is no larger than others.
        """
        before = self.rendered
        if before is None or before.weight > left.most_tokens or not self._owed.stands_in(before.text):
            return False
        if self._resume or before.placement_key != _placement_key(left, resume=True):
            return before.placement_key == _placement_key(left, self._resume)
        return self._lasting or before.weight <= self.budget + self._absent_tokens + self._text.weigh(NOTE)


def _placement_key(left: LeftOut, resume: bool) -> str:
    return f"{'resume' if resume else 'lean'}: {left.tokens} before {left.start}"


class Folding(msgspec.Struct, frozen=True):
    """What the packet takes over from messages, and how large it may be.

    1. A summary that is in the ledger is removed, wherever it is: the packet repeats it, shortened if it is long.
    2. A packet stands for what was removed from the list. After a compaction or a move by the host, it also stands
       for what the host removed, whose size is unknown: then only its budget and the window limit it.

    `packet_for`: the text and token count for what was removed, ("", 0) if nothing fits; None: there is no packet.
    `folded`: whether the summary at this index is in the ledger. `allowance`: tokens that the packet may have
    beyond what was removed (rule 2), while the list stays below `window`. `stays`: whether the current packet keeps
    its bytes. `whole`: whether the packet has each part of the task whole that its budget allows.
    """

    packet_for: Callable[[LeftOut], tuple[str, int]] | None
    folded: Callable[[int], bool]
    allowance: int = 0
    window: float = math.inf
    stays: Callable[[LeftOut], bool] = lambda left: False
    whole: Callable[[LeftOut], bool] = lambda left: True

    def packet(self, left: LeftOut) -> tuple[str, int]:
        """The packet and its token count."""
        return self.packet_for(left) if self.packet_for is not None and left.most_tokens else ("", 0)

    def most_tokens(self, tokens: int, kept: int) -> int:
        """The most tokens for a packet, if `tokens` were removed and `kept` stay (rule 2)."""
        return max(tokens, int(min(tokens + self.allowance, self.window - kept)))
