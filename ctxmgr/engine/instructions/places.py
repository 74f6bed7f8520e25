"""Turns a list into the places where instructions stand that still hold.

1. The result of a call that read a file of instructions, or that brought a skill, and did not fail. A dependency's
   file is one only where the policy names it.
2. A text of a user's message or a note in which a host put some. All that a prompt between turns says, but for
   what a host only reminds of.
3. What a newer reading of the same file, or the same call made again, shows once more holds no longer; nor does a
   text that is told again word for word, or of whose files newer texts tell. Nothing else supersedes it: not that
   the file was written since.
4. They stay in place, the newest first, while they fit their budget.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, carried
from ctxmgr.engine.instructions.globs import PATH_CHARACTERS, globs
from ctxmgr.engine.staleness import history
from ctxmgr.engine.tools import (
    INSTRUCTION_FILES,
    ToolCall,
    calls_of,
    files_named,
    is_instructing,
    is_skill,
    of_dependency,
)
from ctxmgr.model import Message, once

INSTRUCTIONS_SHARE = 0.15  # of what is usable: what instructions may hold in place, or word for word in the packet
REMINDER = "<system-reminder>"
SAYING = frozenset(("user", "note", "result"))  # roles of messages that a host may put texts into

Told = tuple[int, frozenset[str]]
"""The number of a text, and the files that it tells."""

Named = bool | tuple[str, ...]
"""As a policy has it: True for the files that are known, or globs of its own."""


class Instructions(msgspec.Struct, frozen=True):
    """The blocks that hold instructions: `results` of calls, `texts` in messages."""

    results: frozenset[BlockRef] = frozenset()
    texts: frozenset[BlockRef] = frozenset()

    @property
    def blocks(self) -> frozenset[BlockRef]:
        """All of them."""
        return self.results | self.texts

    def weight(self, conversation: ConversationIndex) -> int:
        """Of all of them, in tokens."""
        return sum(map(conversation.block_weight, self.blocks))

    def messages(self, conversation: ConversationIndex) -> frozenset[int]:
        """The messages that contain them, and those of the calls that brought them. A prompt that leads a step goes
        with that step, and its words into the packet: alone it has no place that every provider accepts, and each
        step of a host that prompts at every step would stay.
        """
        places = {
            ref.message_index
            for ref in (*self.results, *self.texts)
            if not conversation.messages[ref.message_index].view.leads
        }
        return frozenset(places | {conversation.pairs[ref] for ref in self.results})

    def within(self, conversation: ConversationIndex, tokens: float) -> "Instructions":
        """The newest of them that weigh together no more than so many tokens (rule 4)."""
        kept: set[BlockRef] = set()
        for ref in sorted((*self.results, *self.texts), reverse=True):
            weight = conversation.block_weight(ref)
            if weight <= tokens:
                tokens -= weight
                kept.add(ref)
        return Instructions(self.results & kept, self.texts & kept)


class _Told(msgspec.Struct, frozen=True):
    """What the messages so far tell of instructions. `asked`: ids of calls that bring some, by message; `results`
    of them; `texts`: where each text was told last, with those of its files that no newer text tells."""

    asked: dict[int, frozenset[str]] = {}
    results: tuple[BlockRef, ...] = ()
    texts: dict[str, tuple[BlockRef, frozenset[str]]] = {}


def instructions(conversation: ConversationIndex, named: Named) -> Instructions:
    """All in the list that still hold."""
    if globs_of(named) is None:
        return Instructions()
    told = _told(conversation, named)
    results = told.results
    if results:  # rule 3
        seen = history(conversation)
        results = tuple(ref for ref in results if seen.reason_of(ref) not in ("read again", "repeated"))
    return Instructions(frozenset(results), frozenset(ref for ref, _ in told.texts.values()))


@carried
def _told(conversation: ConversationIndex, before: _Told | None, start: int, named: Named) -> _Told:
    """Rules 1 to 3, but for results that are out of date."""
    before = before or _Told()
    asked, results, texts = dict(before.asked), list(before.results), dict(before.texts)
    for index in range(start, conversation.size):
        brought = in_message(conversation, index, named)
        if isinstance(brought, frozenset):
            if brought:
                asked[index] = brought
            brought = ()
        for ref, block in conversation.results(index) if asked else ():
            ids = asked.get(conversation.pairs.get(ref, -1), ())
            if block.call_id in ids and not block.is_error:
                results.append(ref)
        for number, of_files in brought:
            text = conversation.messages[index].view.blocks[number].text
            texts.pop(text, None)
            texts = {told: (ref, left) for told, ref, left in _untold(texts, of_files)} if of_files else texts
            texts[text] = BlockRef(index, number), of_files
    return _Told(asked, tuple(results), texts)


def _untold(
    texts: Mapping[str, tuple[BlockRef, frozenset[str]]], files: frozenset[str]
) -> Iterator[tuple[str, BlockRef, frozenset[str]]]:
    """Those that tell of more files than these, or of none."""
    for text, (ref, of_files) in texts.items():
        if not of_files or of_files - files:
            yield text, ref, of_files - files


def in_message(conversation: ConversationIndex, index: int, named: Named) -> frozenset[str] | tuple[Told, ...]:
    """The ids of an assistant's calls that bring instructions; of another message the texts that are some."""
    message = conversation.messages[index]
    role = message.view.role
    if role != "assistant" and role not in SAYING and not message.view.leads:
        return ()
    return _of_message(message, _ends_with(conversation, index - 1) if role == "user" else "", named)


@lru_cache(maxsize=64)
def globs_of(named: Named) -> re.Pattern[str] | None:
    """Of the files that a policy names, None where it names none."""
    patterns = [
        pattern.casefold().removeprefix("./") for pattern in (INSTRUCTION_FILES if named is True else named or ())
    ]
    return globs(patterns) if patterns else None


@once
def _of_message(message: Message, before: str, named: Named) -> frozenset[str] | tuple[Told, ...]:
    """As `in_message`. `before`: the text of a user's that stands before it."""
    blocks = message.view.blocks
    if globs_of(named) is None:
        return ()
    if message.view.role == "assistant":
        made = zip(blocks, calls_of(message), strict=True)
        return frozenset(
            block.call_id
            for block, call in made
            if call is not None and (_reads(call, named) or is_skill(block.tool, block.arguments))
        )
    if message.view.leads:
        texts = ((number, block.text) for number, block in enumerate(blocks) if block.kind == "text")
        return tuple((number, files_named(text)) for number, text in texts if text.strip() and not _reminds(text))
    shown = [block.text if block.kind == "text" else "" for block in blocks]
    pairs = zip(shown, [before, *shown], strict=False)
    return tuple(
        (number, files_named(text) or files_named(above))
        for number, (text, above) in enumerate(pairs)
        if is_instructing(text, above)
    )


def _reminds(text: str) -> bool:
    """Whether a host reminds the model of something, in a prompt between turns, and of no rules."""
    return text.lstrip().startswith(REMINDER) and not is_instructing(text)


def _ends_with(conversation: ConversationIndex, index: int) -> str:
    """The last text of a user's message, "" where there is none."""
    view = conversation.messages[index].view if index >= 0 else None
    return view.blocks[-1].text if view is not None and view.role == "user" and view.blocks else ""


def _reads(call: ToolCall, named: Named) -> bool:
    """Of the files that are known, no dependency's is one."""
    read = [path for path in call.read_paths if _is_one(path, named)]
    return bool(read) and not (named is True and all(map(of_dependency, read)))


@lru_cache(maxsize=4_096)
def _is_one(path: str, named: Named) -> bool:
    files = globs_of(named)  # which takes longer to hash than to match
    if files is None or len(path) > PATH_CHARACTERS:
        return False
    return files.match(path.replace("\\", "/").casefold()) is not None
