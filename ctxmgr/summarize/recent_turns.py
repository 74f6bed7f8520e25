"""Turns whole turns into notes that are longer than a summary of them, and shorter than the turns.

Rules:
1. The user's words stand as they are, shortened only in the middle of what is long; then what was said and done,
   in order: a line for each text of the assistant and each call, and how a call failed.
2. Every line is one line, and begins with who it is of: nothing in it can be read as a heading. Tool output
   enters as one quoted line of an error, no more.
3. Turns are taken from the newest back, whole, as long as their notes fit: never more than half of them, since a
   summary of the others is what was asked for.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.memory import plain, shorten
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.summarize.formats import FREE
from ctxmgr.summarize.outline import outline_sections

RECENT_HEADING = "## Recent Turns"


class DetailLimits(msgspec.Struct, frozen=True):
    """Characters of the user's text, of an assistant's, of a call, of an error; and how many lines of a turn."""

    user_chars: int
    assistant_chars: int
    call_chars: int
    error_chars: int
    error_lines: int


DETAILS = (
    DetailLimits(2_000, 800, 160, 200, 60),
    DetailLimits(600, 300, 80, 120, 20),
    DetailLimits(200, 120, 60, 80, 6),
)
"""From what reads like the turn itself to what tells one from another; choices of ours."""


def turns(messages: Sequence[BranchMessage]) -> list[tuple[BranchMessage, ...]]:
    """The messages by turn; the first may have no user's message."""
    found: list[list[BranchMessage]] = []
    for message in messages:
        if message.opens_turn or not found:
            found.append([])
        found[-1].append(message)
    return [tuple(turn) for turn in found]


def recent_notes(messages: Sequence[BranchMessage], budget: int, weigh: Weigh) -> tuple[int, str]:
    """(how many messages are older than the notes, the notes); (all of them, "") where no turn fits."""
    all_turns = turns(messages)
    kept: list[str] = []
    left = budget - weigh(RECENT_HEADING)
    taken = 0
    for place in range(len(all_turns) - 1, (len(all_turns) - 1) // 2, -1):
        details = DETAILS if not kept else DETAILS[:1]
        found = ((text, weigh(text)) for text in (notes(all_turns[place], place + 1, one) for one in details))
        text, weight = next((one for one in found if one[1] <= left), ("", 0))
        if not text:
            break
        left -= weight
        taken += len(all_turns[place])
        kept.append(text)
    return len(messages) - taken, "\n\n".join((RECENT_HEADING, *reversed(kept))) if kept else ""


def notes(turn: Sequence[BranchMessage], number: int, detail: DetailLimits) -> str:
    """The notes on one turn, under a heading with its number."""
    lines: list[str] = []
    for message in turn:
        said = message.content
        text = plain(said.text or "")
        if said.speaker == "result":
            if said.is_error and text:
                lines.append(f'- Failed: {said.tool}: "{shorten(text, detail.error_chars)}"')
        elif said.speaker == "user" and text:
            lines.append(f"- User: {_ends(text, detail.user_chars)}")
        elif said.speaker == "assistant":
            lines += [f"- Assistant: {_ends(text, detail.assistant_chars)}"] if text else []
            lines += [
                f"- Called: {shorten(plain(f'{tool}({given})'), detail.call_chars)}" for tool, given in said.calls
            ]
    if len(lines) > detail.error_lines:
        head = detail.error_lines // 3
        missing = len(lines) - detail.error_lines
        lines = [*lines[:head], f"- ({missing} more not shown)", *lines[head + missing :]]
    return "\n".join((f"### Turn {number}", *lines))


def _ends(text: str, most: int) -> str:
    """A text in about so many characters: its start and its end."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3].rstrip()} [...] {text[len(text) - most // 3 :].lstrip()}"


def without_recent_turns(summary: str) -> tuple[str, str]:
    """A summary without its notes on recent turns, and the notes without their heading."""
    kept: list[str] = []
    found: list[str] = []
    for part in outline_sections(summary, FREE):
        ours = part.line.strip() == RECENT_HEADING
        (found if ours else kept).extend(part.lines if ours or not part.line else (part.line, *part.lines))
    return ("\n".join(kept).strip(), "\n".join(found).strip()) if found else (summary, "")
