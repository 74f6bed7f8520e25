"""Turns a list, and what of it is still there, into rows for the archive: what its host took away by itself.

Rules:
1. What the next list does not show has left, whoever took it away: a compaction, told or not, a clearing of old
   results, a move in the host's tree. Of a message that is written anew only the blocks that are not there now.
2. A block has the key that a decision about it has, so that what an epoch took out before is there once, and stays
   under the handle that its marker names.
3. What no turn holds (prompts) is no part of the conversation, and does not leave it.
4. Of a list that only goes on nothing leaves: it costs nothing to ask.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, extend
from ctxmgr.engine.retention import receipts
from ctxmgr.engine.rewriting import handles
from ctxmgr.model import ArchiveRow, Block, Message
from ctxmgr.session.session import SessionCore

Identity = tuple[str, str, str]  # of a block: its kind, its call's id, its text


def from_lists(session: SessionCore, messages: Sequence[Message], shared: int) -> list[ArchiveRow]:
    """What stood in the last list, or was reported since, and does not stand in `messages`, the next one; of both
    the first `shared` are the same."""
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
    """What was listed before the first entry that a compaction keeps; nothing where it is not known which message
    that is: the next list tells."""
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
    return ArchiveRow(handles.handle(key), key, line, text)
