"""Turns a state and what would leave into the packet that stands for it, rendered once a place.

Between moves of the first kept turn the packet keeps its bytes as long as it fits, whatever the zone, so that it
does not change the prefix with each new fact. What is new since stands in the kept turns. Instructions and parts of
the task that left, or that the host took away, stand in it word for word, in what those in kept turns leave of
budgets of their own.
"""

import math
from collections.abc import Callable, Container

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.instructions import INSTRUCTIONS_SHARE, QUOTED_WEIGHT, Copies, InPlace, absent, leaving, quoted
from ctxmgr.engine.memory import NOTE, PacketText, Removed, packet_allowance, packet_budget
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.protection import Protection
from ctxmgr.model import PACKET_MARK, Zone
from ctxmgr.model.saved import RenderedPacket, State

QUOTING_TOKENS = 60  # of the headings above what is quoted


class LeftOut(msgspec.Struct, frozen=True):
    """What a packet is to stand for: `tokens` that left the list, which starts at the message `start`. It may weigh
    `most_tokens`. Of the messages from `start` on, those `gone` left, too, and those `cut` have shortened
    results."""

    tokens: int
    start: int
    most_tokens: int
    gone: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()


class Packets:
    """`rendered` is the packet in force; in tokens: `budget` of the packet that comes now, `allowance` that it may
    weigh beyond what left the list, with what is told word for word of what the host took away. `lasting`: one that
    resumed stays whatever its size, for where no turn leaves another packet would cost the prefix for nothing."""

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
        text = quoted(self._absent, self._room, math.inf, inputs.weigh).text
        self._absent_tokens = inputs.weigh(text) if text else 0
        self._lasting = lasting
        in_force = state.packet.weight if lasting and state.packet is not None else 0  # checked when it was written
        allowed = packet_allowance(state, self.budget) + self._absent_tokens
        if state.newest_summary:  # quoted it weighs more than where it stood
            allowed += QUOTING_TOKENS + int((QUOTED_WEIGHT - 1) * self._task.weight(conversation))
        self.allowance = max(allowed, in_force)
        self._text = PacketText.of(state, inputs.ledger, inputs.weigh)
        self._may_ask = inputs.archives

    @property
    def may_say(self) -> bool:
        """Whether there is anything that it may hold."""
        return bool(self.budget or self._absent or self._instructions.blocks or self._task.parts)

    def render(self, left: LeftOut) -> tuple[str, int]:
        """The packet for it, with its weight."""
        if not self.stays(left):
            shrinks = self.rendered is not None and self.rendered.placement_key == _placement_key(
                left, self._resume
            )
            most = max(left.tokens, left.most_tokens // 2) if shrinks else left.most_tokens  # not with each call
            text = self._written(left, most)
            self.rendered = RenderedPacket(_placement_key(left, self._resume), text, self._text.weigh(text))
        return (self.rendered.text, self.rendered.weight) if self.rendered is not None else ("", 0)

    def _written(self, left: LeftOut, most: int) -> str:
        """In `most` tokens: what is told word for word, and what is known in the rest."""
        weigh, conversation = self._text.weigh, self._conversation
        kept = [index for index in range(left.start, conversation.size) if index not in left.gone]
        gone = left.gone.union(range(left.start))
        copies = Copies(
            leaving(conversation, self._instructions, range(left.start)), self._task.leaving(conversation, gone)
        )
        told = quoted(self._absent + copies, self._in_place(gone), most - weigh(PACKET_MARK) - 2, weigh)
        room = most - (weigh(told.text) + 2 if told.text else 0)
        shown = self._text.in_view((conversation.messages[index] for index in kept), told.texts)
        cut = frozenset(conversation.digest(index) for index in left.cut)
        text = self._text.within(min(self.budget, room), shown, self._removed(left), cut)
        return "\n\n".join(filter(None, (text or (PACKET_MARK if told.text else ""), told.text)))

    def _in_place(self, gone: Container[int]) -> InPlace:
        """What stands in kept turns."""
        weigh = self._conversation.block_weight
        instructions, task = (
            sum(weigh(ref) for ref in blocks if ref.message_index not in gone)
            for blocks in (self._instructions.blocks, self._task.blocks)
        )
        return InPlace(self._room.share, instructions, task)

    def _removed(self, left: LeftOut) -> Removed:
        gone = self._conversation.messages[: left.start]
        results = sum(block.kind == "result" for message in gone for block in message.view.blocks)
        return Removed(len(gone), results, may_ask=self._may_ask)

    def stays(self, left: LeftOut) -> bool:
        """Whether the packet in force keeps its bytes. One that resumed does, where it is no larger than others
        are."""
        before = self.rendered
        if before is None or before.weight > left.most_tokens:
            return False
        if self._resume or before.placement_key != _placement_key(left, resume=True):
            return before.placement_key == _placement_key(left, self._resume)
        return self._lasting or before.weight <= self.budget + self._absent_tokens + self._text.weigh(NOTE)


def _placement_key(left: LeftOut, resume: bool) -> str:
    return f"{'resume' if resume else 'lean'}: {left.tokens} before {left.start}"


class Folding(msgspec.Struct, frozen=True):
    """What the packet takes over from messages, and for how much it may stand.

    1. A summary that is in the ledger leaves, wherever it stands: the packet says what it said, in short where it
       is long.
    2. A packet stands for what left the list. After a compaction or a move of the host's it stands for what the
       host took away as well, of which nobody knows the weight: then its budget and the window alone bound it.

    `packet_for`: the text and weight for what left, ("", 0) where nothing fits; None: there is none. `folded`:
    whether the summary of this index is in the ledger. `allowance`: tokens that the packet may weigh beyond what
    left (rule 2), as far as the list stays below `window`. `stays`: whether the packet in force keeps its bytes.
    """

    packet_for: Callable[[LeftOut], tuple[str, int]] | None
    folded: Callable[[int], bool]
    allowance: int = 0
    window: float = math.inf
    stays: Callable[[LeftOut], bool] = lambda left: False

    def packet(self, left: LeftOut) -> tuple[str, int]:
        """The packet for it."""
        return self.packet_for(left) if self.packet_for is not None and left.most_tokens else ("", 0)

    def most_tokens(self, tokens: int, kept: int) -> int:
        """That a packet may weigh where so many tokens left and so many are `kept` (rule 2)."""
        return max(tokens, int(min(tokens + self.allowance, self.window - kept)))
