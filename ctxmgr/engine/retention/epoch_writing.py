"""Writes an epoch's plan, its packet and its receipt, from the list and the inputs that decide it.

Rules:
1. The current packet stays if it is before what changes; otherwise it is written again.
2. An epoch that removes little of the list is not worth its prefix, unless it renews the model's notes or the
   quotes, costs nothing, or the list would not fit.

The one packet that stands for what an epoch removed (`packet_of`), and its place (`place_of`):

3. A packet is written if steps or user messages were removed, if the host removed something itself, and if the
   model's notes or instructions are not in view. A result that is removed alone only has its marker.
4. It goes where the removed steps were: before the first step that stays behind them, otherwise before the working
   set. It precedes what was said right before that step, so that no answer is parted from its question, but not a
   summary that a list begins with.
5. It holds what the ledger knows and the list does not show (`engine.memory`), and the files that removed calls
   named. It never has more tokens than what it stands for: what was removed, plus what the host removed in a
   compaction or move, within its budget and a quarter of the room left until the list is pressed.
6. Instructions and parts of the task that were removed, also by the host, are repeated word for word, in separate
   budgets. Nothing else in it repeats them.
"""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from functools import partial

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, Steps
from ctxmgr.engine.instructions import Quoted
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.memory import PacketText, Removed, scratchpad_in
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention import receipts
from ctxmgr.engine.retention.layout import Layout, drops, lay_out, with_packet
from ctxmgr.engine.retention.prefix_cost import Offer, PrefixBreak, PrefixChange, arithmetic
from ctxmgr.engine.retention.receipts import EpochResult, Original
from ctxmgr.engine.retention.worth import Worth
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import calls_of, paths
from ctxmgr.model import PACKET_MARK, BlockEdit, Decision, Epoch, Message, Opening, Packet, Plan, Receipt, Zone

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


PACKET_SHARE = 0.25  # of the remaining room (rule 5)


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
    """The index of the message behind the packet (rule 4)."""
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
    """The packet for what the plan `bare` omits, and what the host removed (rules 3 and 5)."""
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


class WorthTerms(msgspec.Struct, frozen=True):
    """What decides an epoch, beside the list.

    `layout`: the current one. `pressed_by`: why a list over its limit is pressed. `cached_count`: how many of the
    list's messages the provider may have cached; 0 if its cache is cold. `overhead`: what the host adds to each
    list, unseen, in tokens.
    """

    zone: Zone
    layout: Layout
    room: ListRoom
    worth: Worth
    cached_count: int
    protection: Protection
    writer: PacketWriter
    overhead: float = 0.0
    pressed_by: Opening = "red"


class WorthInputs(msgspec.Struct, frozen=True):
    """What a plan is computed from, beside the list.

    `last_plan`: the previous plan, and `last_count` its number of messages, if this list continues that one;
    otherwise the decisions count. `replaced`: the list does not continue the last one. `reopen`: why an epoch is
    due whatever the price. `time_ms`: the call's time in milliseconds. `terms`: what decides an epoch.
    """

    terms: WorthTerms
    epoch: Epoch
    reopen: Opening | None = None
    last_plan: Plan | None = None
    last_count: int = 0
    time_ms: int | None = None
    replaced: bool = False


WORTH_A_PREFIX = 0.05  # of the list; removing less is not worth a prefix


class EpochWriting(msgspec.Struct, frozen=True):
    """Writes what one epoch does.

    `before`: the plan without new decisions. `working_set`: the index of its first message. `leaving_users`: user
    messages beyond their share. `calls`: of the previous epoch.
    """

    conversation: ConversationIndex
    call: WorthInputs
    before: Plan
    steps: Steps
    working_set: int
    leaving_users: Set[int]
    calls: int

    def plan_and_packet(
        self, decisions: Mapping[str, Decision], position: int, opening: Opening
    ) -> tuple[Plan, Packet]:
        """The plan with its packet (rule 1). `position`: the index of the first message that changes."""
        terms = self.call.terms
        layout, writer = terms.layout, terms.writer
        news = opening == "tree" or (writer.has_news(layout.packet) and opening in ("forced", "cold", "rewritten"))
        if layout.packet.text and layout.packet_index < position and not news:
            return self._laid_out(decisions, layout.packet, layout.packet_index), layout.packet
        bare = self._laid_out(decisions, NO_PACKET, 0)
        packet = packet_of(self.conversation, bare, writer, terms.room, layout.rules)
        if not packet.text:
            return bare, packet
        packet_index = place_of(self.conversation, self.steps, decisions, self.working_set)
        left = partial(drops, self.conversation, decisions)
        packet_index = layout.rules.packet_index(self.conversation, packet_index, left)
        return with_packet(self._allowing(bare), packet, packet_index), packet

    def _laid_out(self, decisions: Mapping[str, Decision], packet: Packet, packet_index: int) -> Plan:
        terms = self.call.terms
        layout = msgspec.structs.replace(
            terms.layout, decisions=decisions, packet=packet, packet_index=packet_index
        )
        plan = lay_out(self.conversation, terms.zone, layout)
        return self._allowing(plan) if packet.text else plan

    def _allowing(self, plan: Plan) -> Plan:
        """The plan, with the packet size that the writer allows."""
        allowance = max(plan.allowance, self.call.terms.writer.most_allowed)
        return msgspec.structs.replace(plan, allowance=allowance)

    def untold(self) -> set[str]:
        """The keys of user messages that may only be removed if a packet repeats them, and what goes with them."""
        rules, conversation = self.call.terms.layout.rules, self.conversation
        paired = self.steps.steps if rules.packet_inside else ()
        return {
            conversation.key(index)
            for indices in (*((index,) for index in self.leaving_users), *(step.message_indices for step in paired))
            if not all(rules.may_leave_untold(conversation, index) for index in indices)
            for index in indices
        }

    def is_worth(self, plan: Plan, packet: Packet) -> bool:
        """Rule 2."""
        terms = self.call.terms
        saved, fits = self.before.weight - plan.weight, self.before.weight <= terms.room.window
        if terms.writer.has_news(terms.layout.packet):
            return terms.writer.renews(terms.layout.packet, packet) or saved > 0
        cost = self.came_to(plan).cost
        return saved > 0 if cost <= 0 or not fits else saved >= WORTH_A_PREFIX * self.before.weight

    def came_to(self, plan: Plan) -> PrefixBreak:
        """The actual cost arithmetic; the place was found by an estimate."""
        terms = self.call.terms
        messages, rates = self.conversation.messages, terms.worth.rates
        return receipts.summed(self.before, plan, messages, terms.cached_count, rates)

    def result(
        self, opening: Opening, plan: Plan, packet: Packet, change: PrefixChange | None, taken: Sequence[Offer]
    ) -> EpochResult:
        accrued = change.accrued if change is not None else 0.0
        waited = f"what is due has cost {accrued:,.0f} in {self.calls} calls"
        sum_ = self.came_to(plan)
        text = arithmetic(sum_, self.call.terms.worth.rates, waited)
        gone = receipts.originals(self.conversation, self.before, plan, self.call.terms.writer.handle)
        why = {key: offer.why for offer in taken for key in offer.decisions}
        bare = self._receipt(opening, plan.weight, text, sum_.pays_after)
        done = receipts.receipt(bare, gone, partial(self._why, why))
        paths = receipts.evicted_paths(self.conversation, gone)
        return EpochResult(plan, packet, done, gone, read_paths=paths)

    def unmoved(self, opening: Opening) -> EpochResult:
        """An epoch that begins with the list unchanged."""
        weight = self.before.weight
        done = self._receipt(opening, weight, "nothing more leaves")
        return EpochResult(self.before, self.call.terms.layout.packet, done, ())

    def _receipt(
        self, opening: Opening, weight: int, text: str, pays_after: int | msgspec.UnsetType = msgspec.UNSET
    ) -> Receipt:
        return Receipt(
            self.call.epoch.number + 1,
            opening,
            self.before.weight,
            weight,
            f"{opening}: {text}",
            time_ms=self.call.time_ms,
            pays_after=pays_after,
        )

    def _why(self, why: Mapping[str, str], original: Original) -> str:
        """Why a block was removed, alone or with its message."""
        index = original.ref.message_index
        if index in self.leaving_users:
            return "user messages over their share"
        return why.get(original.key) or why.get(self.conversation.key(index), "shown another way")
