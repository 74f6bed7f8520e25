"""Turns instructions that leave a list into copies, and copies into the part of a packet that tells them word for
word.
"""

import re
from collections.abc import Container, Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.places import Instructions, plan_at
from ctxmgr.engine.memory import without_mark
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import SKILL_STARTS, is_skill, tool_call
from ctxmgr.model import Weigh, expression
from ctxmgr.model.saved import InstructionCopy

HEADING = "## Instructions (word for word, as they were read)"
BY_HOST = "- told by the host:"
BY_USER = "- the plan that the user approved:"  # and what a newer one takes the place of
_ANNOUNCES = expression(
    r"(?:launching|loading|running|using|started|loaded) [a-z ]{0,20}: ?\"?([^\s\"]+?)\"?\W*", re.IGNORECASE
)
LONGEST_TOKENS = 2_000  # of one: two pages of rules
SKILL_FILE = "skill.md"  # in a path in small letters
SKILL_BYTES = 800  # of a skill: its name, its path and what it is for, in at most 300 tokens of any script
PARTLY_CHARACTERS = 60  # of what is said of a part that is told by its head
LONGEST_PART, PART_TOKENS = 2, 1_000  # of the room one takes at most a half, if that is more than so many tokens


def leaving(
    conversation: ConversationIndex, held: Instructions, indices: Container[int]
) -> tuple[InstructionCopy, ...]:
    """Those in these messages, oldest first."""
    refs = sorted((*held.results, *held.texts))
    return tuple(copied(conversation, ref) for ref in refs if ref.message_index in indices)


def copied(conversation: ConversationIndex, ref: BlockRef, files: tuple[str, ...] = ()) -> InstructionCopy:
    """One of them, with the `files` that it tells; of a skill how it begins."""
    if block_plan := plan_at(conversation, ref):
        return InstructionCopy(BY_USER, block_plan, conversation.digest(ref.message_index), (BY_USER,))
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
    """How a skill begins, in whole lines where there is one."""
    head = text.encode("utf-8", "replace")[:SKILL_BYTES].decode("utf-8", "ignore")
    return text if len(head) >= len(text) else f"{head.rpartition(chr(10))[0] or head}\n…"


def word_for_word(parts: Sequence[InstructionCopy], tokens: float, weigh: Weigh) -> str:
    """The part of a packet that tells instructions which left the list; "" for none. `parts` come oldest first.

    1. They are quoted: each line begins with a mark, whatever ended the one before it, so that nothing in a file
       can be taken for a heading of the packet's own, or for what it says of the user.
    2. A long one is told by its head, and how to get the rest, so that it buries nothing else. Of a skill its name,
       its path and how it begins are enough: it can be asked for again.
    3. The newest that fit are told, before them the plan that the user approved, which is as long as the room; how
       many do not, the heading says.
    4. A result that only says of what its call names that it is launched ("Launching skill: review") is told
       nowhere.
    """
    parts = [part for part in parts if not _only_announces(part)]
    left = tokens - weigh(_heading(len(parts)))
    if not parts or left < 0:
        return ""
    longest = min(LONGEST_TOKENS, max(PART_TOKENS, left / LONGEST_PART))
    texts: list[str] = []
    newest_first = parts[::-1]
    for part in sorted(newest_first, key=lambda part: part.source != BY_USER):
        most = left - weigh(f"{BY_USER}{' ' * PARTLY_CHARACTERS}") if part.source == BY_USER else longest
        text = _shown_copy(part, most, weigh) if part.text else ""
        weight = weigh(text) + 1
        if text and weight <= left:
            left -= weight
            texts.append(text)
    return "\n\n".join((_heading(len(parts) - len(texts)), *reversed(texts)))


def _only_announces(part: InstructionCopy) -> bool:
    """Rule 4 of `word_for_word`."""
    match = _ANNOUNCES.fullmatch(part.text.strip())
    return match is not None and f'"{match[1]}"' in part.source


def _shown_copy(part: InstructionCopy, longest: float, weigh: Weigh) -> str:
    """Rules 1 and 2 of `word_for_word`."""
    lines = without_mark(part.text).splitlines()
    text = _quoted(lines)
    weight = weigh(text)
    if weight <= longest:
        return f"{part.source}\n{text}"
    head = text
    while head and weight > longest:  # by its own weight a character, so that few texts are weighed
        head = head[: min(len(head) - 1, int(len(head) * longest / weight))]
        weight = weigh(head)
    head = head[: head.rfind("\n")] if "\n" in head else f"{head}…"
    shown, rest = head.count("\n") + 1, "its file has" if part.source in (BY_HOST, BY_USER) else "call it again for"
    return f"{part.source.removesuffix(':')} (first {shown} of {len(lines)} lines; {rest} the rest):\n{head}"


def _quoted(lines: Sequence[str]) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _heading(missing: int) -> str:
    return f"{HEADING} ({missing} more not shown)" if missing else HEADING
