"""Turns instructions that are no longer in a list into the part of a packet that tells them word for word.

1. They are quoted: each line begins with a mark, whatever ended the one before it, so that nothing in a file can be
   taken for a heading of the packet's own, or for what it says of the user.
2. A long one is told by its head, and how to get the rest, so that it buries nothing else. Of a skill its name, its
   path and how it begins are enough: it can be asked for again.
3. The newest that fit are told; how many do not, the heading says.
4. A result that only says of what its call names that it is launched ("Launching skill: review") is told nowhere.
"""

import re
from collections.abc import Container, Sequence

from ctxmgr.engine.conversation import BlockRef, ConversationIndex
from ctxmgr.engine.instructions.places import Instructions
from ctxmgr.engine.memory import without_mark
from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools import SKILL_STARTS, is_skill, tool_call
from ctxmgr.model import Weigh
from ctxmgr.model.saved import InstructionCopy

HEADING = "## Instructions (word for word, as they were read)"
BY_HOST = "- told by the host:"
_ANNOUNCES = re.compile(
    r"(?:launching|loading|running|using|started|loaded) [a-z ]{0,20}: ?\"?([^\s\"]+?)\"?\W*", re.IGNORECASE
)
LONGEST_TOKENS = 2_000  # of one: two pages of rules
SKILL_FILE = "skill.md"  # in a path in small letters
SKILL_BYTES = 800  # of a skill: its name, its path and what it is for, in at most 300 tokens of any script
LONGEST_PART, PART_TOKENS = 2, 1_000  # of the room one takes at most a half, if that is more than so many tokens


def leaving(
    conversation: ConversationIndex, held: Instructions, indices: Container[int]
) -> tuple[InstructionCopy, ...]:
    """Those in these messages, oldest first."""
    refs = sorted((*held.results, *held.texts))
    return tuple(copied(conversation, ref) for ref in refs if ref.message_index in indices)


def copied(conversation: ConversationIndex, ref: BlockRef, files: tuple[str, ...] = ()) -> InstructionCopy:
    """One of them, with the `files` that it tells; of a skill how it begins."""
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
    """Of these, oldest first, the newest that fit so many tokens, and how many do not; "" for none."""
    parts = [one for one in parts if not _only_announces(one)]
    left = tokens - weigh(_heading(len(parts)))
    if not parts or left < 0:
        return ""
    longest = min(LONGEST_TOKENS, max(PART_TOKENS, left / LONGEST_PART))
    texts: list[str] = []
    for one in reversed(parts):
        text = _told(one, longest, weigh) if one.text else ""
        weight = weigh(text) + 1
        if text and weight <= left:
            left -= weight
            texts.append(text)
    return "\n\n".join((_heading(len(parts) - len(texts)), *reversed(texts)))


def _only_announces(one: InstructionCopy) -> bool:
    """Rule 4."""
    found = _ANNOUNCES.fullmatch(one.text.strip())
    return found is not None and f'"{found[1]}"' in one.source


def _told(one: InstructionCopy, longest: float, weigh: Weigh) -> str:
    """Rules 1 and 2."""
    lines = without_mark(one.text).splitlines()
    text = _quoted(lines)
    weight = weigh(text)
    if weight <= longest:
        return f"{one.source}\n{text}"
    head = text
    while head and weight > longest:  # by its own weight a character, so that few texts are weighed
        head = head[: min(len(head) - 1, int(len(head) * longest / weight))]
        weight = weigh(head)
    head = head[: head.rfind("\n")] if "\n" in head else f"{head}…"
    shown, rest = head.count("\n") + 1, "its file has" if one.source == BY_HOST else "call it again for"
    return f"{one.source.removesuffix(':')} (first {shown} of {len(lines)} lines; {rest} the rest):\n{head}"


def _quoted(lines: Sequence[str]) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _heading(missing: int) -> str:
    return f"{HEADING} ({missing} more not shown)" if missing else HEADING
