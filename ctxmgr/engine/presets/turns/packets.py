"""Turns a state and what would leave into the packet that stands for it, rendered once a place.

Between moves of the first kept turn the packet keeps its bytes as long as it fits, whatever the zone, so that it
does not change the prefix with each new fact. What is new since stands in the kept turns. Instructions that left,
or that the host took away, stand in it word for word, in what those in kept turns leave of a budget of their own.
"""

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.instructions import INSTRUCTIONS_SHARE, Instructions, absent, leaving, word_for_word
from ctxmgr.engine.packet import PacketText, packet_allowance, packet_budget
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.presets.turns.summary_folding import LeftOut
from ctxmgr.model import PACKET_MARK, Message, Zone
from ctxmgr.model.saved import RenderedPacket, State

FOUND_SHARE = 0.3  # of the packet's budget, for what the assistant decided and found
USERS_TOKENS = 3_000  # of the user's words, as much as a summary tells of rules; beside the packet's budget
USERS_SHARE = 0.05  # of what is usable, where that is less


class Packets:
    """`rendered` is the packet in force; in tokens: `budget` of the packet that comes now, `allowance` that it may
    weigh beyond what left the list, with the instructions that the host took away."""

    def __init__(
        self, conversation: ConversationIndex, state: State, zone: Zone, inputs: Inputs, standing: Instructions
    ) -> None:
        self.rendered, self.budget = state.packet, packet_budget(inputs.policy, zone, state.resume)
        self._conversation, self._resume, self._instructions = conversation, state.resume, standing
        self._room = INSTRUCTIONS_SHARE * inputs.gauge.usable_weight
        self._absent = absent(state.instructions, conversation, inputs.policy.protected_instructions)
        told = word_for_word(self._absent, self._room, inputs.weigh)
        self._absent_tokens = inputs.weigh(told) if told else 0
        most = min(USERS_TOKENS, int(USERS_SHARE * inputs.gauge.usable_weight))
        self._words = most if self.budget else 0
        self.allowance = packet_allowance(state, self.budget + self._words) + self._absent_tokens
        self._text = PacketText(inputs.ledger, state.scratchpad, inputs.weigh, state.summaries)

    @property
    def may_say(self) -> bool:
        """Is there anything that it may hold?"""
        return bool(self.budget or self._absent or self._instructions.results or self._instructions.texts)

    def render(self, left: LeftOut) -> tuple[str, int]:
        """The packet for it, with its weight."""
        if not self._stays(left):
            shrinks = self.rendered is not None and self.rendered.placement_key == _place(left, self._resume)
            most = max(left.tokens, left.most_tokens // 2) if shrinks else left.most_tokens  # not with each call
            text = self._written(left, most)
            self.rendered = RenderedPacket(_place(left, self._resume), text, self._text.weigh(text))
        return (self.rendered.text, self.rendered.weight) if self.rendered is not None else ("", 0)

    def _written(self, left: LeftOut, most: int) -> str:
        """In `most` tokens: instructions, and what is known in the rest."""
        weigh, conversation = self._text.weigh, self._conversation
        held = (*self._instructions.results, *self._instructions.texts)
        in_place = sum(conversation.block_weight(ref) for ref in held if ref.message_index >= left.start)
        room = min(self._room - in_place, most - weigh(PACKET_MARK) - 2)
        instructions = (*self._absent, *leaving(conversation, self._instructions, range(left.start)))
        told = word_for_word(instructions, room, weigh)
        room = most - (weigh(told) + 2 if told else 0)
        shown = self._shown(left)
        words = self._text.users(min(self._words, room // 2), shown)  # half: they say nothing of the work
        allowed = min(self.budget, room - (weigh(words.text) + 2 if words.text else 0))
        found = "" if self._resume else self._text.findings(int(FOUND_SHARE * allowed), shown)
        if self._resume:
            text = self._text.resumed(allowed, conversation.messages, self._said(left), words.names)
        else:
            text = self._text.within(allowed - (weigh(found) + 2 if found else 0), shown | words.names)
        parts = [text or PACKET_MARK if told or words.text else text, words.text, found if text else "", told]
        whole = "\n\n".join(part for part in parts if part)
        noted = self._text.noted(whole, self._resume)
        return noted if weigh(noted) <= most else whole

    def _shown(self, left: LeftOut) -> frozenset[str]:
        """What kept turns show."""
        return self._text.in_view(self._said(left))

    def _said(self, left: LeftOut) -> list[Message]:
        """The messages of kept turns that no rule shortens."""
        newer = self._conversation.messages[left.start :]
        return [one for one in newer if one.view.role in ("user", "assistant")]

    def _stays(self, left: LeftOut) -> bool:
        """Does the packet in force keep its bytes? One that resumed does, where it is no larger than others are."""
        before = self.rendered
        if before is None or before.weight > left.most_tokens:
            return False
        if self._resume or before.placement_key != _place(left, resume=True):
            return before.placement_key == _place(left, self._resume)
        words = self._text.weigh(self._text.users(self._words, self._shown(left)).text)
        return before.weight <= self.budget + words + self._absent_tokens + self._text.note_tokens()


def _place(left: LeftOut, resume: bool) -> str:
    return f"{'resume' if resume else 'lean'}: {left.tokens} before {left.start}"
