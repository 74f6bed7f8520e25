"""Turns a state and what would leave into the packet that stands for it, rendered once a place.

Between moves of the first kept turn the packet keeps its bytes as long as it fits, whatever the zone, so that it
does not change the prefix with each new fact. What is new since stands in the kept turns. Instructions that left,
or that the host took away, stand in it word for word, in what those in kept turns leave of a budget of their own.
"""

import math
from collections.abc import Callable

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.instructions import INSTRUCTIONS_SHARE, Instructions, absent, leaving, word_for_word
from ctxmgr.engine.memory import NOTE, PacketText, Removed, packet_allowance, packet_budget
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.model import PACKET_MARK, Zone
from ctxmgr.model.saved import RenderedPacket, State


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
    weigh beyond what left the list, with the instructions that the host took away. `lasting`: one that resumed
    stays whatever its size, for where no turn leaves another packet would cost the prefix for nothing."""

    def __init__(
        self,
        conversation: ConversationIndex,
        state: State,
        zone: Zone,
        inputs: Inputs,
        standing: Instructions,
        lasting: bool,
    ) -> None:
        self.rendered, self.budget = state.packet, packet_budget(inputs.policy, zone, state.resume)
        self._conversation, self._resume, self._instructions = conversation, state.resume, standing
        self._room = INSTRUCTIONS_SHARE * inputs.gauge.usable_weight
        self._absent = absent(state.instructions, conversation, inputs.policy.protected_instructions)
        instructed = word_for_word(self._absent, self._room, inputs.weigh)
        self._absent_tokens = inputs.weigh(instructed) if instructed else 0
        self._lasting = lasting
        in_force = state.packet.weight if lasting and state.packet is not None else 0  # checked when it was written
        self.allowance = max(packet_allowance(state, self.budget) + self._absent_tokens, in_force)
        self._text = PacketText.of(state, inputs.ledger, inputs.weigh)
        self._may_ask = inputs.archives

    @property
    def may_say(self) -> bool:
        """Whether there is anything that it may hold."""
        return bool(self.budget or self._absent or self._instructions.results or self._instructions.texts)

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
        """In `most` tokens: instructions, and what is known in the rest."""
        weigh, conversation = self._text.weigh, self._conversation
        held = (*self._instructions.results, *self._instructions.texts)
        in_place = sum(conversation.block_weight(ref) for ref in held if ref.message_index >= left.start)
        room = min(self._room - in_place, most - weigh(PACKET_MARK) - 2)
        instructions = (*self._absent, *leaving(conversation, self._instructions, range(left.start)))
        instructed = word_for_word(instructions, room, weigh)
        room = most - (weigh(instructed) + 2 if instructed else 0)
        kept = range(left.start, conversation.size)
        shown = self._text.in_view(conversation.messages[index] for index in kept if index not in left.gone)
        cut = frozenset(conversation.digest(index) for index in left.cut)
        text = self._text.within(min(self.budget, room), shown, self._removed(left), cut)
        return "\n\n".join(filter(None, (text or (PACKET_MARK if instructed else ""), instructed)))

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
