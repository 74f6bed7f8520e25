"""Turns what a list newly shows of instructions into what is remembered of them, for when a host takes them away.

1. A newer reading of the same file or skill takes the place of the older, and of parts of it; one of a part that of
   the same part alone. A text takes the place of those that tell no file but its own.
2. The newest are kept word for word, in so many characters; of older ones that they were told.
3. Absent is what no message of the list holds any more.
"""

from collections.abc import Iterator

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.copies import BY_HOST, copied
from ctxmgr.engine.instructions.places import (
    INSTRUCTIONS_SHARE,
    Named,
    globs_of,
    in_message,
    is_unapproved,
    plan_approved_in,
)
from ctxmgr.engine.tools import ToolCall, calls_of, paths
from ctxmgr.model.saved import InstructionCopy

MOST_CHARACTERS_A_TOKEN = 5  # at most, of prose: what is told is weighed when it is
Copies = tuple[InstructionCopy, ...]


def remembered(before: Copies, conversation: ConversationIndex, first: int, named: Named, usable: float) -> Copies:
    """With those in the messages from `first` on; the same object where that is the same. `usable` in tokens."""
    after = list(before)
    for copy in _shown(conversation, first, named):
        after = [old for old in after if not _replaces(copy, old)]
        after.append(copy)
    if len(after) == len(before) and tuple(after) == before:
        return before
    done = _bounded(after, MOST_CHARACTERS_A_TOKEN * INSTRUCTIONS_SHARE * usable)
    return before if done == before else done


def absent(every: Copies, conversation: ConversationIndex, named: Named) -> Copies:
    """Rule 3."""
    if globs_of(named) is None:
        return ()
    return tuple(copy for copy in every if copy.origin not in conversation.digest_counts)


def _shown(conversation: ConversationIndex, first: int, named: Named) -> Iterator[InstructionCopy]:
    if globs_of(named) is None:
        return
    asking: dict[int, frozenset[str]] = {}  # calls that bring instructions, by their message
    for index in range(first, conversation.size):
        brought = in_message(conversation, index, named)
        if isinstance(brought, frozenset):
            asking[index], brought = brought, ()
        for ref, block in conversation.results(index):
            asked_at = conversation.pairs.get(ref)
            if asked_at is None or block.is_error:
                continue
            calls = asking[asked_at] if asked_at in asking else in_message(conversation, asked_at, named)
            if block.call_id in calls and not is_unapproved(conversation, ref):
                yield copied(conversation, ref, _files(conversation, asked_at, block.call_id))
        if (plan := plan_approved_in(conversation, index)) is not None:
            yield copied(conversation, plan)
        for number, of_files in brought:
            yield copied(conversation, BlockRef(index, number), tuple(sorted(of_files)))


def _files(conversation: ConversationIndex, index: int, call_id: str) -> tuple[str, ...]:
    """The files that this call reads, each with what it asks for of it where that is a part."""
    message = conversation.messages[index]
    made = zip(message.view.blocks, calls_of(message), strict=True)
    return next((_read(call) for block, call in made if call is not None and block.call_id == call_id), ())


def _read(call: ToolCall) -> tuple[str, ...]:
    names: set[str] = set()
    for effect in call.effects:
        if effect.kind == "read" and effect.path:
            path = paths.normal(effect.path).casefold()
            names.add(path if effect.whole else f"{path}\n{call.key_arguments}")
    return tuple(sorted(names))


def _replaces(new: InstructionCopy, old: InstructionCopy) -> bool:
    """Rule 1."""
    if old.files:
        return all(name in new.files or name.partition("\n")[0] in new.files for name in old.files)
    same = new.text == old.text if BY_HOST in (new.source, old.source) else new.source == old.source
    return not new.files and same


def _bounded(every: list[InstructionCopy], most_characters: float) -> Copies:
    """Rule 2."""
    kept: list[InstructionCopy] = []
    for copy in reversed(every):
        if _characters(copy) > most_characters:
            copy = msgspec.structs.replace(copy, text="")
        if _characters(copy) <= most_characters:
            most_characters -= _characters(copy)
            kept.append(copy)
    return tuple(reversed(kept))


def _characters(copy: InstructionCopy) -> int:
    return sum(map(len, (copy.source, copy.text, copy.origin, *copy.files)))
