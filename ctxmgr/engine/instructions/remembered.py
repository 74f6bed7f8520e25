"""Updates the remembered instructions and parts of the task with what a list newly shows, in case a host removes
them.

1. A newer read of the same file or skill replaces the older one, and reads of its parts. A read of a part replaces
   only the same part. A text replaces those whose files it all contains.
2. A newer part of the task replaces the older one. The first list that has requests decides which are the first,
   because a host that removes messages without notice sends later lists that begin later. A list without an answer
   starts over.
3. The newest instructions are kept word for word, up to a number of characters. Of older ones, only the fact that
   they existed is kept. Of the task, the parts with the highest priority are kept, and the beginning of one that is
   too long.
4. A copy is absent if no message of the list contains it any more.
"""

from collections.abc import Container, Iterator, Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.copies import BY_HOST, Copies, copied
from ctxmgr.engine.instructions.places import INSTRUCTIONS_SHARE, Named, globs_of, in_message
from ctxmgr.engine.instructions.task import FIRST_REQUEST, REQUEST, SOURCES, Task, copy_of, task
from ctxmgr.engine.tools import ToolCall, calls_of, paths
from ctxmgr.model.saved import InstructionCopy

MOST_CHARACTERS_A_TOKEN = 5  # upper bound for prose; quoted texts are counted exactly later
Remembered = tuple[InstructionCopy, ...]


def held_on_path(copies: Remembered, origins: Container[str]) -> Remembered:
    """The copies after a move in the host's tree: of the task only those of messages with these digests, which are
    on the path. What was wanted on another branch is not wanted here.
    """
    return tuple(copy for copy in copies if copy.source not in SOURCES or copy.origin in origins)


def remembered(
    before: Remembered,
    conversation: ConversationIndex,
    first: int,
    named: Named,
    usable: float,
    summary: str = "",
) -> Remembered:
    """The remembered copies, updated with the messages from `first` on. Returns the same object if nothing changed.
    `usable`: the usable window in tokens. `summary`: the newest one that the host reported.
    """
    if globs_of(named) is None:
        return before
    old = _parted(before)
    new = {_part(copy): copy for copy in _task(before, conversation, first, task(conversation, named, summary))}
    restarts = conversation.newest_reply < 0 and any(copy.source == FIRST_REQUEST for copy in new.values())
    told = [copy for copy in old.task if _part(copy) not in new and not (restarts and copy.source == FIRST_REQUEST)]
    read = list(old.instructions)
    for copy in _shown(conversation, first, named):
        read = [one for one in read if not _replaces(copy, one)]
        read.append(copy)
    after = (*read, *told, *new.values())
    if after == before:
        return before
    most = MOST_CHARACTERS_A_TOKEN * INSTRUCTIONS_SHARE * usable
    done = (*_bounded(read, most), *_cut(after[len(read) :], 2 * most))
    return before if done == before else done


def absent(every: Remembered, conversation: ConversationIndex, named: Named) -> Copies:
    """The copies that are absent (rule 4)."""
    if globs_of(named) is None:
        return Copies()
    return _parted([copy for copy in every if copy.origin not in conversation.digest_counts])


def _parted(every: Sequence[InstructionCopy]) -> Copies:
    """Separates the copies of instructions from those of the task."""
    return Copies(
        tuple(copy for copy in every if copy.source not in SOURCES),
        tuple(copy for copy in every if copy.source in SOURCES),
    )


def _task(
    before: Remembered, conversation: ConversationIndex, first: int, shown: Task
) -> Iterator[InstructionCopy]:
    """The parts of the task in the list, with the source that they have from now on (rule 2)."""
    begun = {copy.origin for copy in before if copy.source == FIRST_REQUEST}
    begins_anew = conversation.newest_reply < 0
    for part in shown.parts:
        copy = copy_of(conversation, part)
        if part.source == FIRST_REQUEST and begun and copy.origin not in begun and not begins_anew:
            if part.at.message_index < first:
                continue
            copy = msgspec.structs.replace(copy, source=REQUEST)
        yield copy


def _shown(conversation: ConversationIndex, first: int, named: Named) -> Iterator[InstructionCopy]:
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
            if block.call_id in calls:
                yield copied(conversation, ref, _files(conversation, asked_at, block.call_id))
        for number, of_files in brought:
            yield copied(conversation, BlockRef(index, number), tuple(sorted(of_files)))


def _files(conversation: ConversationIndex, index: int, call_id: str) -> tuple[str, ...]:
    """The files that this call reads. A part of a file includes the arguments that select it."""
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


def _part(copy: InstructionCopy) -> tuple[str, str]:
    """What part of the task a copy is: a new copy replaces an old one of the same part."""
    return copy.source, copy.origin if copy.source == FIRST_REQUEST else ""


def _replaces(new: InstructionCopy, old: InstructionCopy) -> bool:
    """Whether `new`, which tells instructions, replaces `old` (rule 1)."""
    if old.files:
        return all(name in new.files or name.partition("\n")[0] in new.files for name in old.files)
    same = new.text == old.text if BY_HOST in (new.source, old.source) else new.source == old.source
    return not new.files and same


def _bounded(every: Sequence[InstructionCopy], most_characters: float) -> Remembered:
    """The copies that fit into `most_characters`, the newest first; the text of a longer one is removed (rule
    3).
    """
    kept: list[InstructionCopy] = []
    for copy in reversed(every):
        if _characters(copy) > most_characters:
            copy = msgspec.structs.replace(copy, text="")
        if _characters(copy) <= most_characters:
            most_characters -= _characters(copy)
            kept.append(copy)
    return tuple(reversed(kept))


def _cut(every: Sequence[InstructionCopy], most_characters: float) -> Remembered:
    """The task's copies, cut to `most_characters` in the order of their priority (rule 3)."""
    texts: dict[str, str] = {}
    for copy in sorted(every, key=lambda copy: SOURCES.index(copy.source)):
        room = max(0, int(most_characters))
        text = copy.text if len(copy.text) <= room else f"{copy.text[:room]}…"
        most_characters -= len(text)
        texts[f"{copy.source}{copy.origin}"] = text if room else ""
    return tuple(msgspec.structs.replace(copy, text=texts[f"{copy.source}{copy.origin}"]) for copy in every)


def _characters(copy: InstructionCopy) -> int:
    return sum(map(len, (copy.source, copy.text, copy.origin, *copy.files)))
