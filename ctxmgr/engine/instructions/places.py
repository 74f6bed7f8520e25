"""Finds the places in a list with instructions that still hold.

1. They are results of calls that read a file of instructions or load a skill, and did not fail. A dependency's file
   counts only if the policy names it.
2. They are also texts that a host put into a user's message or a note, and everything in a prompt between turns
   except a host's reminders.
3. A result no longer holds if the same file was read again, or the same call was made again. A text no longer holds
   if it is repeated word for word, or if newer texts contain all its files. Nothing else supersedes instructions,
   not even a write to the file.
4. They stay in place, the newest first, as far as their budget allows.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate
from functools import lru_cache

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, carried
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

INSTRUCTIONS_SHARE = 0.15  # of the usable window: for instructions in place, or quoted in the packet
REMINDER = "<system-reminder>"
PATH_CHARACTERS = 4_096  # the limit of Linux; longer texts are not paths, and are not matched
SAYING = frozenset(("user", "note", "result"))  # roles of messages that a host may put texts into

Told = tuple[int, frozenset[str]]
"""The block number of a text, and the files that it contains."""

Named = bool | tuple[str, ...]
"""As in a policy: True for the known files, or globs of its own."""


class Instructions(msgspec.Struct, frozen=True):
    """The blocks with instructions: `results` of calls, `texts` in messages."""

    results: frozenset[BlockRef] = frozenset()
    texts: frozenset[BlockRef] = frozenset()

    @property
    def blocks(self) -> frozenset[BlockRef]:
        """All blocks."""
        return self.results | self.texts

    def weight(self, conversation: ConversationIndex) -> int:
        """The tokens of all blocks."""
        return sum(map(conversation.block_weight, self.blocks))

    def messages(self, conversation: ConversationIndex) -> frozenset[int]:
        """The messages that contain them, and those of the calls that brought them. A prompt that leads a step is
        not included. It is removed with its step, and its words go into the packet: by itself it has no place that
        every provider accepts, and if a host prompts at every step, each step would stay.
        """
        places = {
            ref.message_index
            for ref in (*self.results, *self.texts)
            if not conversation.messages[ref.message_index].view.leads
        }
        return frozenset(places | {conversation.pairs[ref] for ref in self.results})

    def within(self, conversation: ConversationIndex, tokens: float) -> "Instructions":
        """The newest blocks that fit into `tokens` together (rule 4)."""
        kept: set[BlockRef] = set()
        for ref in sorted((*self.results, *self.texts), reverse=True):
            weight = conversation.block_weight(ref)
            if weight <= tokens:
                tokens -= weight
                kept.add(ref)
        return Instructions(self.results & kept, self.texts & kept)


class _Told(msgspec.Struct, frozen=True):
    """The instructions in the messages so far. `asked`: ids of calls that bring some, by message. `results`: their
    results. `texts`: the last block with each text, and those of its files that no newer text contains.
    """

    asked: dict[int, frozenset[str]] = {}
    results: tuple[BlockRef, ...] = ()
    texts: dict[str, tuple[BlockRef, frozenset[str]]] = {}


def instructions(conversation: ConversationIndex, named: Named) -> Instructions:
    """All instructions in the list that still hold."""
    if globs_of(named) is None:
        return Instructions()
    told = _told(conversation, named)
    results = told.results
    if results:  # by rule 3
        seen = history(conversation)
        results = tuple(ref for ref in results if seen.reason_of(ref) not in ("read again", "repeated"))
    return Instructions(frozenset(results), frozenset(ref for ref, _ in told.texts.values()))


@carried
def _told(conversation: ConversationIndex, before: _Told | None, start: int, named: Named) -> _Told:
    """The instructions in the messages so far, including out-of-date results (rules 1 to 3)."""
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
    """The texts that contain other files than these, or no files."""
    for text, (ref, of_files) in texts.items():
        if not of_files or of_files - files:
            yield text, ref, of_files - files


def in_message(conversation: ConversationIndex, index: int, named: Named) -> frozenset[str] | tuple[Told, ...]:
    """For an assistant's message, the ids of its calls that bring instructions; for another, the texts that are
    instructions.
    """
    message = conversation.messages[index]
    role = message.view.role
    if role != "assistant" and role not in SAYING and not message.view.leads:
        return ()
    return _of_message(message, _ends_with(conversation, index - 1) if role == "user" else "", named)


@lru_cache(maxsize=64)
def globs_of(named: Named) -> re.Pattern[str] | None:
    """A matcher for the files that a policy names, or None if it names none."""
    patterns = [
        pattern.casefold().removeprefix("./") for pattern in (INSTRUCTION_FILES if named is True else named or ())
    ]
    return globs(patterns) if patterns else None


@once
def _of_message(message: Message, before: str, named: Named) -> frozenset[str] | tuple[Told, ...]:
    """The same as `in_message`. `before`: the text of the user message before it."""
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
    """Whether this prompt between turns is only a host's reminder, without rules."""
    return text.lstrip().startswith(REMINDER) and not is_instructing(text)


def _ends_with(conversation: ConversationIndex, index: int) -> str:
    """The last text of a user's message, or "" without one."""
    view = conversation.messages[index].view if index >= 0 else None
    return view.blocks[-1].text if view is not None and view.role == "user" and view.blocks else ""


def _reads(call: ToolCall, named: Named) -> bool:
    """Whether the call reads instructions. By default, files of dependencies do not count."""
    read = [path for path in call.read_paths if _is_one(path, named)]
    return bool(read) and not (named is True and all(map(of_dependency, read)))


@lru_cache(maxsize=4_096)
def _is_one(path: str, named: Named) -> bool:
    files = globs_of(named)  # hashing it takes longer than matching
    if files is None or len(path) > PATH_CHARACTERS:
        return False
    return files.match(path.replace("\\", "/").casefold()) is not None


def globs(patterns: Iterable[str]) -> re.Pattern[str]:
    """An expression that matches each path that matches one of the patterns.

    `*` matches any run of characters, including `/`; `?` any one; `[ab]`, `[a-z]`, `[!a]` one of a set. A pattern
    matches the whole path, or the part after any `/`. The expressions of `fnmatch` never backtrack over a `*`, so a
    match takes at most quadratic time in the length of the path.
    """
    return re.compile("|".join(rf"(?s:.*/)?(?:{translate(pattern)})" for pattern in patterns) or "(?!)")
