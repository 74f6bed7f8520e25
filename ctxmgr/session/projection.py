"""What a session answered last, and the list it was of: one frozen value.

A `context` computes the next projection from the last and assigns it when everything went well, so that a fault
leaves the session, and the next call's fallback, as they were.
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
ENTRIES_A_MESSAGE = 20  # shorter forms and edits of its blocks, as they were weighed and written
SLACK_ENTRIES = 2_000
NO_PLAN = Plan((), "green", 0, 0, 0, {})


class Replacements(msgspec.Struct, frozen=True):
    """What an answer puts in the place of messages: their bytes by index, and the packet's. `inside`: the index of
    the user's message that holds the packet, -1 where it is a message of its own. `accepted`: how the provider
    takes the whole answer."""

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
    """The bytes of edited messages. A message has results or calls that are edited, never both. The packet is dated
    by the message that it stands before, so that the same packet has the same bytes."""
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
    """The index of the message that the packet stands before, prompts aside; -1 where it stands at the end."""
    behind = plan.pieces[plan.pieces.index(plan.packet) + 1 :] if plan.packet is not None else ()
    for piece in behind:
        shown = range(piece.start, piece.end) if isinstance(piece, Keep) else ()
        indices = (piece.message_index,) if isinstance(piece, BlockEdit) else shown
        found = next((index for index in indices if messages[index].view.role != "prompt"), -1)
        if found >= 0:
            return found
    return -1


def _put(edit: BlockEdit) -> tuple[object, ...]:
    """What an edit puts where."""
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
    """A copy of the hash `state` (None: a fresh one) with the digests of more messages in it."""
    state = state.copy() if state is not None else hashlib.blake2b(digest_size=8)
    state.update("".join([message.digest for message in messages]).encode())
    return state


def tag_of(state: Any, count: int) -> str:
    """An opaque tag that stands for a whole list of `count` messages, from the hash of its digests."""
    return f"{count}.{state.hexdigest()}"


def is_of(shown: LastProjection, messages: Sequence[Message]) -> bool:
    """Whether the list begins with the one that was shown."""
    return tag_of(hashed(None, messages[: shown.message_count]), shown.message_count) == shown.etag


class ListMemo(dict[Any, Any]):
    """What is written in the place of a list's blocks, kept for the next decision; only time is lost with it. It is
    begun anew when most of the messages it knows have left the list, and where it has far more of each than is
    asked for again. What follows from a message alone is kept with the message (`model.once`)."""

    message_count = 0  # that came since it was begun

    def keep_for(self, messages: int, new: int) -> None:
        """A list of so many messages was answered, so many of them new."""
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
    """Messages [start, end) of the list as they came; or `content` in the place of one of them, or of none: the
    packet. `saved_tokens`: by which it is lighter than the messages."""

    start: int
    end: int
    content: bytes = b""
    saved_tokens: int = 0

    @property
    def message_count(self) -> int:
        """In the answer."""
        return 1 if self.content else self.end - self.start


class Settled(msgspec.Struct, frozen=True):
    """The answer that another only adds to: the first `piece_count` pieces, with their `runs`, `edits` and
    `replacements`, are the same in both. That answer showed messages up to `end`, and had so many `size_bytes`."""

    piece_count: int
    runs: tuple[Run, ...]
    edits: tuple[bytes, ...]
    replacements: Replacements
    end: int
    size_bytes: int


class Projection(msgspec.Struct, frozen=True, dict=True):
    """What was answered, and of which list. `etag`: the opaque base of the answer, "" when void. `hash` is of the
    messages' digests, never updated but in a copy. `reader`: what read the messages. `answered`:
    the next list may go on from it. `settled`: what it shares with the answer before."""

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
        """The list it was made of."""
        return self.conversation.messages

    def without_media(self, before: Reader, after: Reader) -> "Projection":
        """As read by `after`, which weighs pictures alone otherwise, where there are none; else it is read anew."""
        if self.reader is not before or any(
            block.media for message in self.messages for block in message.view.blocks
        ):
            return self
        return msgspec.structs.replace(self, reader=after)


class CancelledAttempt(msgspec.Struct, frozen=True):
    """The plan of a list for a call that nobody waits for any more: the next call need not make it again.

    `plan` came of `given`, objects that nobody changes, and `asked`; `messages` were read for it, by `reader`."""

    given: tuple[Any, ...]
    asked: tuple[Any, ...]
    reader: Reader
    messages: tuple[Message, ...]
    plan: Any

    def is_of(self, given: tuple[Any, ...], asked: tuple[Any, ...]) -> bool:
        """Whether these would give the same plan."""
        return all(map(operator.is_, self.given, given)) and self.asked == asked
