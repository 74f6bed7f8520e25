"""Turns a list, and what is still in it, into rows for the archive: what its host removed by itself.

Rules:
1. What the next list does not show is removed, whoever removed it: a compaction (reported or not), a clearing of
   old results, a move in the host's tree. Of a rewritten message only the blocks that are missing now.
2. A block has the key that a decision about it has. Content that an epoch removed before is stored once, and keeps
   the handle that its marker names.
3. What belongs to no turn (prompts) is no part of the conversation, and is not archived.
4. A list that only grew loses nothing, and the check is free.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, extend
from ctxmgr.engine.retention import receipts
from ctxmgr.engine.rewriting import marker
from ctxmgr.model import ArchiveRow, Block, Message
from ctxmgr.session.session import SessionCore

Identity = tuple[str, str, str]  # of a block: its kind, its call's id, its text


def from_lists(session: SessionCore, messages: Sequence[Message], shared: int) -> list[ArchiveRow]:
    """The blocks of the last list, and of what was reported since, that are missing in `messages`, the next one.
    Both share the first `shared` messages.
    """
    before = session.projection.messages
    if shared >= len(before) or not session.capabilities.keeps_originals:  # rule 4
        return []
    stays = {message.digest for message in messages[shared:]}
    away = {index for index in range(shared, len(before)) if before[index].digest not in stays}
    away |= {
        index
        for index, message in enumerate(session.pending_messages.values(), len(before))
        if message.digest not in stays
    }
    if not away:
        return []
    held = {_identity(block) for message in messages for block in message.view.blocks}
    return _rows(_conversation(session), away, held)


def before_entry(session: SessionCore, first_kept: str | None) -> list[ArchiveRow]:
    """The listed blocks before the first entry that a compaction keeps; none if it is not known which message that
    is (the next list will show it).
    """
    if first_kept is None or not session.capabilities.keeps_originals:
        return []
    conversation, entry_of = _conversation(session), session.entry_of
    listed = enumerate(conversation.messages)
    cut = next((index for index, message in listed if entry_of.of(message) == first_kept), 0)
    held = {_identity(block) for message in conversation.messages[cut:] for block in message.view.blocks}
    return _rows(conversation, range(cut), held) if cut else []


def _conversation(session: SessionCore) -> ConversationIndex:
    """The last list with what was reported since."""
    return extend(session.projection.conversation, session.listed())


def _rows(conversation: ConversationIndex, away: Iterable[int], held: Collection[Identity]) -> list[ArchiveRow]:
    """In the order of the list."""
    prompts = frozenset(conversation.prompts)
    refs = (ref for index in sorted(away) if index not in prompts for ref in _away(conversation, index, held))
    return [_row(conversation, ref) for ref in refs]


def _away(conversation: ConversationIndex, index: int, held: Collection[Identity]) -> Iterator[BlockRef]:
    """Rule 1."""
    for number, block in enumerate(conversation.messages[index].view.blocks):
        if block.text and _identity(block) not in held:
            yield BlockRef(index, number)


def _identity(block: Block) -> Identity:
    return block.kind, block.call_id, block.text


def _row(conversation: ConversationIndex, ref: BlockRef) -> ArchiveRow:
    """Rule 2."""
    key = conversation.block_key(ref)
    line, text = receipts.block_line(conversation, ref), conversation.block(ref).text
    return ArchiveRow(marker.handle(key), key, line, text)
