"""Recognises a list that begins anew: its program compacted by itself, and told nobody.

1. The list does not go on from the last one, and the host has told of no compaction since.
2. It holds a compaction's summary that the last one did not: by the mark or the words of the host (its format says
   so), or an item that stands for a past which only the provider can read.
3. Or its first user message is new and reads as a summary by its sections, while most of the last list is gone.

What follows is what follows a compaction that is told: the ledger is kept and learns of the summary, the reading is
void, the next packet says where the work stood, and the prefix is lost anyway.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.memory import fold, sections_of
from ctxmgr.engine.pressure import latch, meter
from ctxmgr.model import Message
from ctxmgr.model.saved import Ledger, State
from ctxmgr.session import ledger_updates
from ctxmgr.session.projection import Projection, is_of

LEAST_SECTIONS = 3  # with a name that summaries use: what people write to begin with rarely has as many
GONE = 0.5  # of the last list's weight: less is an edit of the list and no new one


def begins_anew(before: Projection, state: State, messages: Sequence[Message], shared: int) -> Message | None:
    """The message with the summary; None where the list is no such one. `shared`: so many messages are the last
    list's."""
    if state.reopen in ("compaction", "tree") or not _is_another(before, state, messages, shared):
        return None
    last = {message.raw for message in before.messages}  # what only the provider can read has one digest
    known = {summary.digest for summary in state.summaries}
    for message in messages[shared:]:
        if message.view.summary == "compaction" and message.raw not in last:
            told = message.view.summary_text
            if not told or ledger_updates.summary_digest(told) not in known:
                return message
    first = next((message for message in messages if message.view.opens_turn), None)
    if first is None or first.raw in last or first.digest in known or not before.messages:
        return None
    held = {message.digest for message in messages}
    gone = sum(message.weight for message in before.messages if message.digest not in held)
    return first if gone >= GONE * before.conversation.raw_weight and _reads_as_summary(first) else None


def compacted(state: State, ledger: Ledger, message: Message) -> tuple[State, Ledger]:
    """State and ledger after the compaction that this message tells of."""
    told = message.view.summary_text
    text, origin = (told, "") if message.view.summary else (_text(message), message.digest)
    state, facts = ledger_updates.from_summary(state, text, "compaction", message.view.time_ms, None, origin)
    state, bound = ledger_updates.bind(state, None)
    state = ledger_updates.learn(state, facts, bound=True)
    done, _ = latch.apply(state.latch, "compacted")
    again = state.reopen if state.reopen in ("pin", "undo") else "compaction"
    state = msgspec.structs.replace(
        state, latch=done, meter=meter.void(state.meter), resume=True, anchor="", packet=None, reopen=again
    )
    return state, ledger_updates.ledger(state) if bound else fold(ledger, facts)


def _is_another(before: Projection, state: State, messages: Sequence[Message], shared: int) -> bool:
    """Does the list not go on from the last one, of this process or the one before?"""
    if before.messages:
        return shared < len(before.messages)
    return state.last_projection is not None and not is_of(state.last_projection, messages)


def _text(message: Message) -> str:
    return "\n".join(block.text for block in message.view.blocks if block.kind == "text")


def _reads_as_summary(message: Message) -> bool:
    """Rule 3, of its words."""
    named = {part.kind for part in sections_of(_text(message)) if part.kind != "context"}
    return len(named) >= LEAST_SECTIONS
