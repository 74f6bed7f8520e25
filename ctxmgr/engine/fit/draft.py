"""What a plan is cut with, to fit.

A `FitDraft` is a plan while it is being cut: what is shown of each message, its current token count, and the final
pieces. `water_level` is the cap at which a list fits: only what is larger is cut, down to the cap. The arguments of
a call are cut the same way, with its long texts as the amounts.

`MediaFitting` replaces the oldest pictures and documents of a draft by a text that says what each was:

1. If the request does not take as many bytes or items, until they are at 95 % of its limits.
2. If the list has too many tokens, as far as needed; this includes parts with text, such as a search result beside
   a text.
3. Signed content, the model's own output and all other parts stay.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.rewriting import Gap, cut, cut_edit, marker, text_of
from ctxmgr.model import Block, BlockEdit, Decision, Keep, Media, Packet, Piece, Plan, Weigh

WRAPPED_BYTES = 100  # about what surrounds a text that we insert: its block and its message


def json_bytes(text: str) -> int:
    """Its length in a request."""
    return len(msgspec.json.encode(text))


class FitDraft:
    """`weight`: the current tokens of the list."""

    def __init__(self, conversation: ConversationIndex, plan: Plan) -> None:
        self.conversation, self.plan, self.weight = conversation, plan, plan.weight
        self.block_edits: dict[BlockRef, BlockEdit] = {}
        self._order: list[int | Packet] = []
        for piece in plan.pieces:
            if isinstance(piece, Packet):
                self._order.append(piece)
            elif isinstance(piece, Keep):
                self._order += range(piece.start, piece.end)
            else:
                self.block_edits[BlockRef(piece.message_index, piece.block_index)] = piece
                if self._order[-1:] != [piece.message_index]:
                    self._order.append(piece.message_index)
        self._decisions: dict[str, Decision] = {}
        self._dropped: set[int] = set()

    def visible(self) -> list[int]:
        """The indices of the messages that are shown, in order."""
        return [index for index in self._order if isinstance(index, int) and index not in self._dropped]

    def blocks(self, message_index: int) -> Iterator[tuple[BlockRef, Block]]:
        """The blocks of a message that may be cut: unchanged ones, and those cut before."""
        for number, block in enumerate(self.conversation.messages[message_index].view.blocks):
            ref = BlockRef(message_index, number)
            edit = self.block_edits.get(ref)
            if block.can_edit and (edit is None or edit.kind == "cut"):
                yield ref, block

    def block_weight(self, ref: BlockRef) -> int:
        """Of a block as it is shown, in tokens."""
        edit = self.block_edits.get(ref)
        return self.conversation.block_weight(ref) if edit is None else edit.after_tokens

    def message_weight(self, message_index: int) -> int:
        """Of a message as it is shown, in tokens."""
        message = self.conversation.messages[message_index]
        refs = (BlockRef(message_index, number) for number in range(len(message.view.blocks)))
        return message.weight + sum(self.block_weight(ref) - self.conversation.block_weight(ref) for ref in refs)

    def decision(self, ref: BlockRef) -> Decision:
        """The decision that cut a block; an empty one if it was not cut."""
        key = self.conversation.block_key(ref)
        decision = self._decisions.get(key) or self.plan.decisions.get(key)
        return (
            decision
            if decision is not None and decision.kind == "cut" and ref in self.block_edits
            else Decision("cut")
        )

    def media(self, ref: BlockRef) -> list[tuple[int, Media]]:
        """The remaining pictures and documents of a block, with their numbers."""
        edit = self.block_edits.get(ref)
        if edit is not None and edit.kind != "cut":
            return []
        gone = {number for number, _ in edit.media} if edit is not None else set[int]()
        return [
            (number, item) for number, item in enumerate(self.conversation.block(ref).media) if number not in gone
        ]

    def size_bytes(self) -> int:
        """The largest size of the list as JSON, as it is shown."""
        messages = self.conversation.messages
        size = sum(len(messages[index].raw) + 1 for index in self.visible())
        size += sum(json_bytes(packet.text) + WRAPPED_BYTES for packet in self._order if isinstance(packet, Packet))
        for ref, edit in self.block_edits.items():
            if ref.message_index in self._dropped:
                continue
            block = self.conversation.block(ref)
            size -= sum(item.size_bytes for item in block.media) - sum(
                item.size_bytes for _, item in self.media(ref)
            )
            size += sum(json_bytes(text) + WRAPPED_BYTES for _, text in edit.media)
            if edit.text:
                size += json_bytes(edit.text) - len(block.text) + WRAPPED_BYTES
        return size

    def put(self, edit: BlockEdit, decision: Decision) -> None:
        """Shows a block this way."""
        ref = BlockRef(edit.message_index, edit.block_index)
        self.weight += edit.after_tokens - self.block_weight(ref)
        self.block_edits[ref] = edit
        self._decisions[edit.key] = decision

    def drop(self, message_index: int) -> None:
        """Removes a message."""
        self.weight -= self.message_weight(message_index)
        self._dropped.add(message_index)
        self._decisions[self.conversation.key(message_index)] = Decision("dropped", to_fit=True)

    def finished(self) -> Plan:
        """The current plan."""
        if not self._decisions:
            return self.plan
        left = {digest for index in self._dropped for digest in self._keys_in(index)}
        decisions = {key: decision for key, decision in self.plan.decisions.items() if key not in left}
        shown = set(self.visible())
        return msgspec.structs.replace(
            self.plan,
            pieces=self._pieces(),
            weight=self.weight,
            decisions=decisions | self._decisions,
            dropped=self.plan.dropped + len(self._dropped),
            blocks_cut=sum(
                edit.kind == "cut" and ref.message_index in shown for ref, edit in self.block_edits.items()
            ),
        )

    def _keys_in(self, message_index: int) -> list[str]:
        """The keys of its blocks."""
        blocks = self.conversation.messages[message_index].view.blocks
        return [self.conversation.block_key(BlockRef(message_index, number)) for number in range(len(blocks))]

    def _pieces(self) -> tuple[Piece, ...]:
        edits: dict[int, list[BlockEdit]] = {}
        for _, edit in sorted(self.block_edits.items()):
            edits.setdefault(edit.message_index, []).append(edit)
        pieces: list[Piece] = []
        start = end = 0
        for item in self._order:
            if item in self._dropped:
                continue
            if isinstance(item, int) and item not in edits:
                if item != end or start == end:
                    pieces += [Keep(start, end)] if end > start else []
                    start = item
                end = item + 1
                continue
            pieces += [Keep(start, end)] if end > start else []
            start = end = 0
            pieces += [item] if isinstance(item, Packet) else edits[item]
        return (*pieces, *([Keep(start, end)] if end > start else []))


REQUEST_SHARE = 0.95  # of a request's limits, so that the next picture does not exceed them again
ROLES = ("user", "note", "result")

Held = tuple[BlockRef, int, Media]
"""A picture, a document or a part that holds text, and which of its block it is."""


class MediaLimits(msgspec.Struct, frozen=True):
    """A request's limits: bytes of its list, and a number of pictures and documents. `weigh`: tokens of one."""

    most_bytes: float
    most_images: float
    weigh: Callable[[Media], int]


def may_hold_all(conversation: ConversationIndex, plan: Plan, limits: MediaLimits) -> bool:
    """Whether the list was within the request's limits as it came, and so is however it is shown."""
    sums = conversation.sums
    size = sums.size_bytes + conversation.size + (json_bytes(plan.packet.text) if plan.packet else 0)
    return sums.media_count <= limits.most_images and size <= limits.most_bytes


class MediaFitting:
    def __init__(self, draft: FitDraft, rules: Invariants, limits: MediaLimits, weigh: Weigh) -> None:
        self.draft, self.rules, self.limits, self.weigh = draft, rules, limits, weigh

    def to_limits(self) -> None:
        """Rule 1."""
        shown, limits = [item for item in self._held() if item[2].is_shown], self.limits
        size, count = self.draft.size_bytes(), len(shown)
        size_target = size if size <= limits.most_bytes else REQUEST_SHARE * limits.most_bytes
        count_target = count if count <= limits.most_images else -(-limits.most_images * REQUEST_SHARE // 1)
        for item in shown:
            if size <= size_target and count <= count_target:
                break
            if self._mark(item):
                size, count = size - item[2].size_bytes, count - 1

    def to_weight(self, target: float, stays: Callable[[BlockRef, Media], bool]) -> None:
        """Rule 2. `stays`: which of them stay, beside those of rule 3."""
        for item in self._held():
            if self.draft.weight > target and not stays(item[0], item[2]):
                self._mark(item)

    def _held(self) -> list[Held]:
        """Oldest first, without those of rule 3."""
        conversation = self.draft.conversation
        messages = conversation.messages
        return [
            (ref, number, item)
            for index in self.draft.visible()
            if messages[index].view.role in ROLES
            for ref in (BlockRef(index, block) for block in range(len(messages[index].view.blocks)))
            for number, item in self.draft.media(ref)
            if item.kind != "part" and self.rules.may_edit(conversation, ref, "cut")
        ]

    def _mark(self, held: Held) -> bool:
        """Replaces it by a text. Returns False if that would be larger."""
        ref, number, item = held
        draft, text, decision = self.draft, marker.media(item), self.draft.decision(ref)
        after = draft.block_weight(ref) - self.limits.weigh(item) + self.weigh(text)
        if after > draft.conversation.block_weight(ref):
            return False
        media = tuple(sorted((*decision.media, (number, text))))
        decision = msgspec.structs.replace(decision, weight=after, media=media)
        draft.put(cut_edit(draft.conversation, ref, decision), decision)
        return True


Vessel = tuple[int, int]
"""What something weighs, and the least that it may be cut to, in tokens."""


def water_level(vessels: Sequence[Vessel], over: float) -> int:
    """The highest cap, in tokens, that saves `over`: each is cut to the cap or to its own minimum, whichever is
    more. 0 if even that is not enough.
    """
    low, high = 0, max((weight for weight, _ in vessels), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if lost(vessels, middle) >= over:
            low = middle
        else:
            high = middle - 1
    return low


def lost(vessels: Sequence[Vessel], cap: int) -> int:
    """What this cap saves, in tokens."""
    return sum(max(0, weight - max(cap, least)) for weight, least in vessels)


def characters(text: str, tokens: int, weigh: Weigh) -> int:
    """How many characters at the start of a text have at least this many tokens, or all of it."""
    if not tokens:
        return 0
    size = 4 * tokens
    while size < len(text) and weigh(text[:size]) < tokens:
        size += size // 4
    return min(size, len(text))


TEXT_LEAST = 60  # tokens; no text in arguments is cut further
TRIES = 3  # attempts with less each time, since JSON escapes add to what is cut

Line = Callable[[int, int], str]
"""The line that says how much was cut: (tokens in all, tokens that are left out)."""


def cut_arguments(
    tool: str, arguments: dict[str, Any], tokens: int, weigh: Weigh, line: Line
) -> tuple[dict[str, Any], int] | None:
    """The arguments in about `tokens`, and the call's tokens then; None if they contain no long text.

    Long texts lose their middle. Keys, types, list lengths and short values stay, since a provider checks arguments
    against the tool's schema.
    """
    texts: dict[str, int] = {}

    def noted(text: str) -> str:
        texts[text] = weigh(text)
        return text

    _each(arguments, noted)
    whole, wanted = call_weight(tool, arguments, weigh), tokens
    best: tuple[dict[str, Any], int] | None = None
    for _ in range(TRIES):
        cap = max(TEXT_LEAST, water_level([(weight, TEXT_LEAST) for weight in texts.values()], whole - wanted))
        shorter = _each(arguments, lambda text, cap=cap: _shorter(text, texts[text], cap, weigh, line))  # type: ignore[misc]
        weight = call_weight(tool, shorter, weigh)
        if weight < whole:
            best = shorter, weight
        if weight <= tokens or cap == TEXT_LEAST:
            break
        wanted -= weight - tokens
    return best


def call_weight(tool: str, arguments: dict[str, Any], weigh: Weigh) -> int:
    """Of a call, in tokens, as its message's reader counts it."""
    return weigh(f"{tool} {msgspec.json.encode(arguments).decode()}")


def _shorter(text: str, whole: int, cap: int, weigh: Weigh, line: Line) -> str:
    if whole <= cap:
        return text
    done = cut(text, whole, cap, weigh, Gap(lambda left, start, end: line(whole, left)))
    return text if done is None else text_of(done.parts, text)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    return [_each(item, change) for item in value] if isinstance(value, list) else value
