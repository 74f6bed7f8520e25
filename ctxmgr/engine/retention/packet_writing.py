"""Writes the one packet that stands for what an epoch removed, and finds its place.

1. A packet is written if steps or user messages were removed, if the host removed something itself, and if the
   model's notes or instructions are not in view. A result that is removed alone only has its marker.
2. It goes where the removed steps were: before the first step that stays behind them, otherwise before the working
   set. It precedes what was said right before that step, so that no answer is parted from its question, but not a
   summary that a list begins with.
3. It holds what the ledger knows and the list does not show (`engine.memory`), and the files that removed calls
   named. It never has more tokens than what it stands for: what was removed, plus what the host removed in a
   compaction or move, within its budget and a quarter of the room left until the list is pressed.
4. Instructions and parts of the task that were removed, also by the host, are repeated word for word, in separate
   budgets. Nothing else in it repeats them.
"""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, Steps
from ctxmgr.engine.instructions import Quoted
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.memory import PacketText, Removed, scratchpad_in
from ctxmgr.engine.retention.layout import drops
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import calls_of, paths
from ctxmgr.model import PACKET_MARK, BlockEdit, Decision, Message, Packet, Plan

NO_PACKET = Packet("", 0)


class PacketWriter(msgspec.Struct, frozen=True):
    """Writes a packet from the ledger. `budget_tokens` for its facts; `allowance`: how many tokens beyond what was
    removed it may have. `archives`: whether originals are kept anywhere. `quoted`: what it repeats word for word
    of what the host removed and of these messages, in at most this many tokens.
    """

    text: PacketText
    budget_tokens: int
    allowance: int
    archives: bool
    quoted: Callable[[float, Container[int]], Quoted]

    @property
    def most_allowed(self) -> int:
        """The tokens that the packet may have beyond what was removed, including what the host removed and it
        repeats word for word."""
        return self.allowance + self.quoted(math.inf, ()).packet_tokens(self.weigh)

    def written(
        self, tokens: int, shown: Iterable[Message], cut: Iterable[Message], removed: Removed, quoted: Quoted
    ) -> str:
        """What is known beyond what is `shown`, some of it with results `cut`, and what is `quoted`, within these
        tokens and the budget; "" for nothing.
        """
        most, short = min(self.budget_tokens, tokens), frozenset(message.digest for message in cut)
        return self.text.within(most, self.text.in_view(shown, quoted.texts), removed, short)

    def has_news(self, shown: Packet) -> bool:
        """Whether the current packet has other notes of the model, or lacks a quote of what the host removed."""
        return self.text.is_outdated(shown.text) or not self.quoted(math.inf, ()).stands_in(shown.text)

    def renews(self, shown: Packet, packet: Packet) -> bool:
        """Whether this packet has other notes of the model than the current one, or all quotes."""
        return scratchpad_in(shown.text) != scratchpad_in(packet.text) or not self.has_news(packet)

    def handle(self, key: str) -> str:
        """The name of an original in the archive; "" if there is none."""
        return marker.handle(key) if self.archives else ""

    def weigh(self, text: str) -> int:
        """In tokens."""
        return self.text.weigh(text)


PACKET_SHARE = 0.25  # of the remaining room (rule 3)


class ListRoom(msgspec.Struct, frozen=True):
    """Of one list, in tokens, uncalibrated: `limit` above which it is pressed, `window` the most a call may hold,
    `users` for user messages in place.
    """

    limit: float
    window: float
    users: float


def place_of(
    conversation: ConversationIndex, steps: Steps, decisions: Mapping[str, Decision], working_set: int
) -> int:
    """The index of the message behind the packet (rule 2)."""
    messages = conversation.messages
    asked = [index for step in steps.steps for index in step.assistant_indices]
    last = next((index for index in sorted(asked, reverse=True) if drops(conversation, decisions, index)), -1)
    index = working_set
    if last >= 0:
        starts = (min(step.message_indices) for step in steps.steps)
        index = min((start for start in starts if start > last), default=working_set)
    if (number := steps.numbers.get(index)) is not None:  # a step counts once, however long
        index = min(index, *steps.steps[number].message_indices)
    fixed = frozenset(steps.fixed_indices)
    while (
        index - 1 in fixed
        and messages[index - 1].view.role in ("user", "note")
        and not messages[index - 1].view.summary
    ):
        index -= 1
    while index < len(messages) and drops(conversation, decisions, index):
        index += 1
    index = max(index, int(bool(messages) and bool(messages[0].view.summary)))
    return max(0, min(index, len(messages) - 1))  # without steps, before the last removed message


def packet_of(
    conversation: ConversationIndex, bare: Plan, writer: PacketWriter, room: ListRoom, rules: Invariants
) -> Packet:
    """The packet for what the plan `bare` omits, and what the host removed (rules 1 and 3)."""
    messages = conversation.messages
    dropped = {index for index in range(conversation.size) if drops(conversation, bare.decisions, index)}
    gone = conversation.raw_weight - bare.weight if dropped else 0
    spare = PACKET_SHARE * (min(room.limit, room.window) - bare.weight)
    stands_for = max(gone, int(min(gone + writer.most_allowed, spare)))
    if stands_for <= 0 or not messages:  # an empty list stays empty
        return NO_PACKET
    quoted = writer.quoted(stands_for - writer.weigh(PACKET_MARK) - 2, dropped)
    beside = writer.weigh(quoted.text) + 2 if quoted.text else 0
    removed = Removed(
        messages=len(dropped),
        results=sum(block.kind == "result" for index in dropped for block in messages[index].view.blocks),
        files=left_paths(messages, dropped),
        may_ask=writer.archives,
    )
    shown = [message for index, message in enumerate(messages) if index not in dropped]
    cut = [messages[piece.message_index] for piece in bare.pieces if isinstance(piece, BlockEdit)]
    known = writer.written(stands_for - beside, shown, cut, removed, quoted)
    text = "\n\n".join(filter(None, (known or (PACKET_MARK if quoted.text else ""), quoted.text)))
    weight = writer.weigh(text) if text else 0
    return Packet(text, weight) if text and rules.may_stand_for(weight, stands_for) else NO_PACKET


_TOUCHING = frozenset(("read", "write", "edit", "delete", "move"))


def left_paths(messages: Sequence[Message], dropped: Container[int]) -> tuple[str, ...]:
    """The files that calls of the dropped messages read or changed, each once, newest first."""
    named = list(_paths(messages, dropped))
    whole = paths.same(named)
    return tuple(dict.fromkeys(whole.get(path, path) for path in named))


def _paths(messages: Sequence[Message], dropped: Container[int]) -> Iterable[str]:
    """Of files, newest call first."""
    for index in range(len(messages) - 1, -1, -1):
        if index in dropped:
            for call in calls_of(messages[index]):
                effects = call.effects if call is not None else ()
                yield from (
                    paths.normal(effect.path) for effect in effects if effect.path and effect.kind in _TOUCHING
                )
