"""Copies instructions that are removed from a list, and writes the parts of a packet that quote copies of
instructions and of the task.

Instructions use at most their share of the usable window. The task uses what they leave of twice that share. What
is in the list counts for both.
"""

import re
from collections.abc import Container, Sequence

import msgspec

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.places import Instructions
from ctxmgr.engine.instructions.task import SOURCES, Task
from ctxmgr.engine.memory import without_mark
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import SKILL_STARTS, is_skill, tool_call
from ctxmgr.model import PACKET_MARK, Weigh, expression
from ctxmgr.model.saved import InstructionCopy

HEADING = "## Instructions (word for word, as they were read)"
TASK_HEADING = "## The task (word for word)"
BY_HOST = "- told by the host:"
_ANNOUNCES = expression(
    r"(?:launching|loading|running|using|started|loaded) [a-z ]{0,20}: ?\"?([^\s\"]+?)\"?\W*", re.IGNORECASE
)
QUOTED_WEIGHT = 1.25  # times a text's own tokens; so a text that stays whole in place also fits whole into a packet
LONGEST_TOKENS = 2_000  # of one text: two pages of rules
SKILL_FILE = "skill.md"  # in a lower-case path
SKILL_BYTES = 800  # of a skill: its name, its path and its purpose, in at most 300 tokens of any script
LONGEST_PART, PART_TOKENS = 2, 1_000  # one text uses at most half of the room, or this many tokens if that is more


def leaving(
    conversation: ConversationIndex, held: Instructions, indices: Container[int]
) -> tuple[InstructionCopy, ...]:
    """Copies of the instructions in these messages, oldest first."""
    refs = sorted((*held.results, *held.texts))
    return tuple(copied(conversation, ref) for ref in refs if ref.message_index in indices)


def copied(conversation: ConversationIndex, ref: BlockRef, files: tuple[str, ...] = ()) -> InstructionCopy:
    """A copy of one text, with the `files` that it contains. Of a skill only the beginning is copied."""
    block, source, text = conversation.block(ref), BY_HOST, conversation.block(ref).text.strip()
    skill = text.startswith(SKILL_STARTS)
    if block.kind == "result":
        call = conversation.call_of(ref)
        made = tool_call(call.tool, call.arguments)
        skill = is_skill(call.tool, call.arguments) or any(map(_is_of_skill, made.read_paths))
        source = f"- {marker.call(call)}:"
    return InstructionCopy(source, _begun(text) if skill else text, conversation.digest(ref.message_index), files)


def _is_of_skill(path: str) -> bool:
    return path.casefold().endswith(SKILL_FILE)


def _begun(text: str) -> str:
    """The beginning of a skill, in whole lines if possible."""
    head = text.encode("utf-8", "replace")[:SKILL_BYTES].decode("utf-8", "ignore")
    return text if len(head) >= len(text) else f"{head.rpartition(chr(10))[0] or head}\n…"


class Copies(msgspec.Struct, frozen=True):
    """What to quote, oldest first: `instructions`, and the parts of the `task`."""

    instructions: tuple[InstructionCopy, ...] = ()
    task: tuple[InstructionCopy, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.instructions or self.task)

    def __add__(self, other: "Copies") -> "Copies":
        return Copies((*self.instructions, *other.instructions), (*self.task, *other.task))


class InPlace(msgspec.Struct, frozen=True):
    """In tokens, for one list: the `share` that instructions may use, and what both use in place."""

    share: float
    instructions: int = 0
    task: int = 0

    @staticmethod
    def of(
        conversation: ConversationIndex, share: float, held: Instructions, task: Task, dropped: Container[int]
    ) -> "InPlace":
        """What these use in messages that are not dropped."""
        instructions, wanted = (
            sum(conversation.block_weight(ref) for ref in blocks if ref.message_index not in dropped)
            for blocks in (held.blocks, task.blocks)
        )
        return InPlace(share, instructions, wanted)


class Quoted(msgspec.Struct, frozen=True):
    """The parts of a packet that quote copies, or "". `whole`: the copies that are quoted in full. `tokens`: the
    room for this, counted part by part; the text itself may have fewer.
    """

    text: str = ""
    whole: tuple[InstructionCopy, ...] = ()
    tokens: int = 0

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the task's copies that are quoted in full, by the digest of their message."""
        return {copy.origin: copy.text for copy in self.whole if copy.source in SOURCES}

    def stands_in(self, packet: str) -> bool:
        """Whether this packet has all that is quoted here in full."""
        return all(_whole(copy) in packet for copy in self.whole)

    def packet_tokens(self, weigh: Weigh) -> int:
        """The room for a packet with nothing else, 0 without a text."""
        return weigh(PACKET_MARK) + 2 + self.tokens if self.text else 0


def quoted(copies: Copies, room: InPlace, tokens: float, weigh: Weigh) -> Quoted:
    """Quotes the copies in at most `tokens`, within what those in place leave of their shares. The task comes
    first.
    """
    rules = word_for_word(copies.instructions, min(room.share - room.instructions, tokens), weigh)
    used = rules.tokens + 1 if rules.text else 0
    left = QUOTED_WEIGHT * (2 * room.share - room.instructions - room.task) - used
    told = _task_told(copies.task, min(left, tokens - used), weigh)
    text = "\n\n".join(filter(None, (told.text, rules.text)))
    return Quoted(text, (*told.whole, *rules.whole), told.tokens + used)


def word_for_word(parts: Sequence[InstructionCopy], tokens: float, weigh: Weigh) -> Quoted:
    """The part of a packet that quotes instructions which were removed from the list. `parts` are oldest first.

    1. Each line begins with a quotation mark, whatever line end came before it, so that nothing in a file can be
       taken for a heading of the packet, or for a statement about the user.
    2. A long text is shown by its beginning, with a note on how to get the rest, so that others also fit. A skill
       needs only its name, its path and its beginning, because the model can request it again.
    3. The newest texts that fit are quoted; the heading says how many are not.
    4. A result that only announces what its call names ("Launching skill: review") is omitted.
    """
    parts = [part for part in parts if not _only_announces(part)]
    left = tokens - weigh(_heading(HEADING, len(parts)))
    longest = min(LONGEST_TOKENS, max(PART_TOKENS, left / LONGEST_PART))
    return _told(HEADING, parts[::-1], left, longest, weigh) if left >= 0 else Quoted()


def _task_told(parts: Sequence[InstructionCopy], tokens: float, weigh: Weigh) -> Quoted:
    """The part of a packet that quotes the task. Parts with the highest priority come first; each may use all
    remaining room.
    """
    left = tokens - weigh(_heading(TASK_HEADING, len(parts)))
    ranked = sorted(parts, key=lambda part: SOURCES.index(part.source))
    return _told(TASK_HEADING, ranked, left, None, weigh) if left >= 0 else Quoted()


def _told(
    heading: str, ranked: Sequence[InstructionCopy], left: float, longest: float | None, weigh: Weigh
) -> Quoted:
    """The parts that fit into `left` tokens, each in at most `longest` (None: all that is left). The part with the
    highest priority is last in the text.
    """
    if not ranked:
        return Quoted()
    texts: list[str] = []
    whole: list[InstructionCopy] = []
    used = weigh(_heading(heading, len(ranked)))
    for part in ranked:
        text = _shown_copy(part, longest or left - 1, weigh) if part.text else ""
        weight = weigh(text) + 1
        if text and weight <= left:
            left, used = left - weight, used + weight
            texts.append(text)
            whole += [part] if text.startswith(f"{part.source}\n") else []
    text = "\n\n".join((_heading(heading, len(ranked) - len(texts)), *reversed(texts)))
    return Quoted(text, tuple(whole), used)


def _only_announces(part: InstructionCopy) -> bool:
    """Whether rule 4 of `word_for_word` applies."""
    match = _ANNOUNCES.fullmatch(part.text.strip())
    return match is not None and f'"{match[1]}"' in part.source


def _shown_copy(part: InstructionCopy, longest: float, weigh: Weigh) -> str:
    """The quote of a copy in at most `longest` tokens, "" if nothing fits (rules 1 and 2 of `word_for_word`)."""
    text = _whole(part)
    if weigh(text) <= longest:
        return text
    _, _, head = text.partition("\n")
    lines = head.count("\n") + 1
    longest -= weigh(f"{_partly(part, lines, lines)}\n…")
    while head and (weight := weigh(head)) > longest:  # in proportion, so that few texts are counted
        head = head[: min(len(head) - 1, int(len(head) * max(0, longest) / weight))]
    head = head[: head.rfind("\n")] if "\n" in head else head and f"{head}…"
    return f"{_partly(part, head.count(chr(10)) + 1, lines)}\n{head}" if head else ""


def _whole(part: InstructionCopy) -> str:
    """The quote of a whole copy."""
    lines = without_mark(part.text).splitlines()
    return "\n".join((part.source, *(f"> {line}" if line else ">" for line in lines)))


def _partly(part: InstructionCopy, shown: int, lines: int) -> str:
    """The line above a copy that is shown only by its beginning."""
    return f"{part.source.removesuffix(':')} (first {shown} of {lines} lines; {_where_rest_is(part)} the rest):"


def _where_rest_is(part: InstructionCopy) -> str:
    if part.source in SOURCES:
        return "no room for"
    return "its file has" if part.source == BY_HOST else "call it again for"


def _heading(heading: str, missing: int) -> str:
    return f"{heading} ({missing} more not shown)" if missing else heading
