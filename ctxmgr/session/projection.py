"""A session's last answer and its list, as one frozen value.

A `context` call computes the next projection from the last, and assigns it only on success. A fault leaves the
session, and the next call's fallback, unchanged.
"""

import hashlib
import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.invariants import FRESH, CheckState
from ctxmgr.engine.tools import Memo
from ctxmgr.formats import BEGINNING, MessageFormat, Progress
from ctxmgr.model import BlockEdit, Keep, Message, Plan
from ctxmgr.model.saved import LastProjection
from ctxmgr.session.reading import Reader

SHARE_KEPT = 2  # messages known for each in the list
SLACK_MESSAGES = 100
ENTRIES_A_MESSAGE = 20  # shorter forms and edits of its blocks, with their token counts
SLACK_ENTRIES = 2_000
NO_PLAN = Plan((), "green", 0, 0, 0, {})


class Replacements(msgspec.Struct, frozen=True):
    """The replacements of messages in an answer: their bytes by index, and the packet's. `inside`: the index of the
    user message that holds the packet, -1 if it is its own message. `accepted`: how the provider takes the whole
    answer.
    """

    messages: dict[int, bytes] = {}
    packet: bytes = b""
    inside: int = -1
    accepted: Progress = BEGINNING


def replacements(
    messages: tuple[Message, ...],
    plan: Plan,
    fmt: MessageFormat,
    memo: Memo,
    before: "Settled | None" = None,
    packet_inside: bool = False,
) -> Replacements:
    """The bytes of edited messages. A message has edited results or edited calls, never both. The packet has the
    time of the message behind it, so that the same packet has the same bytes.
    """
    edits: dict[int, list[BlockEdit]] = {}
    for piece in plan.pieces[before.piece_count if before else 0 :]:
        if isinstance(piece, BlockEdit):
            edits.setdefault(piece.message_index, []).append(piece)
    if before and not edits:
        return msgspec.structs.replace(before.replacements, accepted=BEGINNING)
    made = dict(before.replacements.messages) if before else {}
    for index, some in edits.items():
        key = ("put", messages[index].raw, *map(_put, some))
        if key not in memo:
            memo[key] = _edited(messages[index].raw, some, fmt)
        made[index] = memo[key]
    packet = plan.packet
    if packet is None:
        return Replacements(made)
    if before:
        return msgspec.structs.replace(before.replacements, messages=made, accepted=BEGINNING)
    inside = _behind_packet(messages, plan) if packet_inside else -1
    if inside >= 0 and messages[inside].view.role in ("user", "summary"):
        raw = fmt.with_packet(made.get(inside, messages[inside].raw), packet.text)
        if raw is not None:
            return Replacements({**made, inside: raw}, raw, inside)
    time_ms = messages[plan.floor].view.time_ms if plan.floor < len(messages) else None
    return Replacements(made, bytes(fmt.packet(packet.text, time_ms or 0)))


def _behind_packet(messages: Sequence[Message], plan: Plan) -> int:
    """The index of the message behind the packet, ignoring prompts; -1 if the packet is at the end."""
    behind = plan.pieces[plan.pieces.index(plan.packet) + 1 :] if plan.packet is not None else ()
    for piece in behind:
        shown = range(piece.start, piece.end) if isinstance(piece, Keep) else ()
        indices = (piece.message_index,) if isinstance(piece, BlockEdit) else shown
        found = next((index for index in indices if messages[index].view.role != "prompt"), -1)
        if found >= 0:
            return found
    return -1


def _put(edit: BlockEdit) -> tuple[object, ...]:
    """The content that an edit inserts."""
    shorter = edit.text if edit.arguments is None else msgspec.json.encode(edit.arguments)
    return edit.block_index, edit.kind, shorter, edit.media


def _edited(raw: bytes, edits: list[BlockEdit], fmt: MessageFormat) -> bytes:
    arguments = {edit.block_index: edit.arguments for edit in edits if edit.arguments is not None}
    if arguments:
        return bytes(fmt.set_arguments(raw, arguments))
    texts = {edit.block_index: edit.text for edit in edits if edit.kind != "cut" or edit.text}
    media = {edit.block_index: dict(edit.media) for edit in edits if edit.media}
    raw = fmt.set_text(raw, texts) if texts else raw
    return bytes(fmt.set_media(raw, media) if media else raw)


def hashed(state: Any, messages: Iterable[Message]) -> Any:
    """A copy of the hash `state` (None: a new one), extended by the digests of more messages."""
    state = state.copy() if state is not None else hashlib.blake2b(digest_size=8)
    state.update("".join([message.digest for message in messages]).encode())
    return state


def tag_of(state: Any, count: int) -> str:
    """An opaque tag for a whole list of `count` messages, from the hash of its digests."""
    return f"{count}.{state.hexdigest()}"


def is_of(shown: LastProjection, messages: Sequence[Message]) -> bool:
    """Whether the list begins with the one that was shown."""
    return tag_of(hashed(None, messages[: shown.message_count]), shown.message_count) == shown.etag


class ListMemo(dict[Any, Any]):
    """The replacements of a list's blocks, kept for the next decision; losing them only costs time. It starts over
    when most of the messages it knows have left the list, or when it holds far more of each than is reused. What
    depends on one message is kept with the message (`model.once`).
    """

    message_count = 0  # messages that came since it was started

    def keep_for(self, messages: int, new: int) -> None:
        """A list of this many messages was answered, this many of them new."""
        self.message_count += new
        if (
            self.message_count > SHARE_KEPT * messages + SLACK_MESSAGES
            or len(self) > ENTRIES_A_MESSAGE * messages + SLACK_ENTRIES
        ):
            self.clear()
            self.message_count = messages

    def clear(self) -> None:
        super().clear()
        self.message_count = 0


class Run(NamedTuple):
    """Messages [start, end) of the list as they came; or `content` in place of one of them, or of none (the
    packet). `saved_tokens`: by how much it is smaller than the messages.
    """

    start: int
    end: int
    content: bytes = b""
    saved_tokens: int = 0

    @property
    def message_count(self) -> int:
        """In the answer."""
        return 1 if self.content else self.end - self.start


class Settled(msgspec.Struct, frozen=True):
    """An answer that another one only extends: the first `piece_count` pieces, with their `runs`, `edits` and
    `replacements`, are the same in both. It showed messages up to `end` and had `size_bytes`.
    """

    piece_count: int
    runs: tuple[Run, ...]
    edits: tuple[bytes, ...]
    replacements: Replacements
    end: int
    size_bytes: int


class Projection(msgspec.Struct, frozen=True, dict=True):
    """An answer and its list. `etag`: the opaque base of the answer, "" when void. `hash`: of the messages'
    digests, only ever extended in a copy. `reader`: what read the messages. `answered`: the next list may build on
    it. `settled`: what it shares with the previous answer.
    """

    conversation: ConversationIndex = ConversationIndex()
    plan: Plan = NO_PLAN
    check_state: CheckState = FRESH
    etag: str = ""
    hash: Any = None
    reader: Reader | None = None
    replacements: Replacements = Replacements()
    answered: bool = False
    settled: Settled | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The list it was made from."""
        return self.conversation.messages

    def without_media(self, before: Reader, after: Reader) -> "Projection":
        """As read by `after`, which only counts pictures differently, if there are none; else it is read again."""
        if self.reader is not before or any(
            block.media for message in self.messages for block in message.view.blocks
        ):
            return self
        return msgspec.structs.replace(self, reader=after)


class CancelledAttempt(msgspec.Struct, frozen=True):
    """The plan for a call that was cancelled, which the next call may reuse.

    `plan` came from `given`, objects that nobody changes, and `asked`; `reader` read `messages` for it.
    """

    given: tuple[Any, ...]
    asked: tuple[Any, ...]
    reader: Reader
    messages: tuple[Message, ...]
    plan: Any

    def is_of(self, given: tuple[Any, ...], asked: tuple[Any, ...]) -> bool:
        """Whether these would give the same plan."""
        return all(map(operator.is_, self.given, given)) and self.asked == asked
