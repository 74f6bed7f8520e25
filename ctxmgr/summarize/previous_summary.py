"""What a summary contains beside its sections: the context of a cut turn under pi's mark, which the ledger knows,
and notes on the newest turns. Writes, joins and separates them.

Rules:
1. A summary has the mark of a cut turn at most once.
2. Notes are longer than a summary of their turns, and shorter than the turns. The user's words are kept, shortened
   only in the middle of long texts; then what was said and done, in order: one line for each text of the assistant
   and each call, and how a call failed.
3. Every note is one line that begins with its speaker, so nothing in it can be read as a heading. Tool output
   enters only as one quoted line of an error.
4. Whole turns are noted from the newest back, while their notes fit, and at most half of all turns, since the
   others are to be summarized.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.compaction import files
from ctxmgr.engine.memory import CONTINUE_LEAD, HANDOFF_LEAD, outside_fences, plain, shorten, without_scratchpad
from ctxmgr.model import Weigh, expression
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.summarize.formats import FREE
from ctxmgr.summarize.outline import outline_sections

RECENT_HEADING = "## Recent Turns"


class DetailLimits(msgspec.Struct, frozen=True):
    """Characters of the user's text, of an assistant's, of a call, of an error; and the lines per turn."""

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
    """The messages by turn; the first turn may have no user message."""
    grouped: list[list[BranchMessage]] = []
    for message in messages:
        if message.opens_turn or not grouped:
            grouped.append([])
        grouped[-1].append(message)
    return [tuple(turn) for turn in grouped]


def recent_notes(messages: Sequence[BranchMessage], budget: int, weigh: Weigh) -> tuple[int, str]:
    """(the number of messages before the notes, the notes); (all of them, "") if no turn fits."""
    all_turns = turns(messages)
    kept: list[str] = []
    left = budget - weigh(RECENT_HEADING)
    taken = 0
    for number in range(len(all_turns) - 1, (len(all_turns) - 1) // 2, -1):
        details = DETAILS if not kept else DETAILS[:1]
        weighed = (
            (text, weigh(text)) for text in (notes(all_turns[number], number + 1, limit) for limit in details)
        )
        text, weight = next((candidate for candidate in weighed if candidate[1] <= left), ("", 0))
        if not text:
            break
        left -= weight
        taken += len(all_turns[number])
        kept.append(text)
    return len(messages) - taken, "\n\n".join((RECENT_HEADING, *reversed(kept))) if kept else ""


def notes(turn: Sequence[BranchMessage], number: int, detail: DetailLimits) -> str:
    """The notes on one turn, under a heading with its number."""
    lines: list[str] = []
    for message in turn:
        content = message.content
        text = plain(content.text or "")
        if content.speaker == "result":
            if content.is_error and text:
                lines.append(f'- Failed: {content.tool}: "{shorten(text, detail.error_chars)}"')
        elif content.speaker == "user" and text:
            lines.append(f"- User: {_ends(text, detail.user_chars)}")
        elif content.speaker == "assistant":
            lines += [f"- Assistant: {_ends(text, detail.assistant_chars)}"] if text else []
            lines += [
                f"- Called: {shorten(plain(f'{tool}({given})'), detail.call_chars)}"
                for tool, given in content.calls
            ]
    if len(lines) > detail.error_lines:
        head = detail.error_lines // 3
        missing = len(lines) - detail.error_lines
        lines = [*lines[:head], f"- ({missing} more not shown)", *lines[head + missing :]]
    return "\n".join((f"### Turn {number}", *lines))


def _ends(text: str, most: int) -> str:
    """The start and the end of a text, in about this many characters."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3].rstrip()} [...] {text[len(text) - most // 3 :].lstrip()}"


def without_recent_turns(summary: str) -> tuple[str, str]:
    """A summary without its notes on recent turns, and those notes without their heading."""
    kept: list[str] = []
    lines: list[str] = []
    for part in outline_sections(summary, FREE):
        ours = part.line.strip() == RECENT_HEADING
        (lines if ours else kept).extend(part.lines if ours or not part.line else (part.line, *part.lines))
    return ("\n".join(kept).strip(), "\n".join(lines).strip()) if lines else (summary, "")


TURN_MARK = "**Turn Context (split turn):**"

_MARK_LINE = expression(r"\s*(?:#{1,6}\s+)?\*{0,2}turn context \(split turn\):?\*{0,2}:?\s*", re.IGNORECASE)
_RULE = expression(r"\s*-{3,}\s*")


def with_turn_context(history: str, context: str) -> str:
    """One summary of both; an empty history is omitted."""
    return f"{history}\n\n---\n\n{TURN_MARK}\n\n{context}" if history else f"{TURN_MARK}\n\n{context}"


def without_turn_context(summary: str) -> tuple[str, str]:
    """The summary of the history, and that of the cut turn, "" if there is none. Later marks are dropped."""
    lines = list(outside_fences(summary))
    for number, (line, outside) in enumerate(lines):
        if outside and _MARK_LINE.fullmatch(line):
            before = [line for line, _ in lines[:number]]
            return _without_rule(before), without_turn_mark(
                "\n".join(line for line, _ in lines[number + 1 :])
            ).strip()
    return summary, ""


def without_turn_mark(text: str) -> str:
    """The text including what is under the mark, without the mark and the rule before it."""
    kept: list[str] = []
    for line, outside in outside_fences(text):
        if outside and _MARK_LINE.fullmatch(line):
            kept = [_without_rule(kept), ""]
        else:
            kept.append(line)
    return "\n".join(kept)


def _without_rule(lines: list[str]) -> str:
    kept = "\n".join(lines).rstrip().splitlines()
    while kept and _RULE.fullmatch(kept[-1]):
        kept = "\n".join(kept[:-1]).rstrip().splitlines()
    return "\n".join(kept)


class PreviousSummary(msgspec.Struct, frozen=True):
    """A previous summary without its file lists and its format's lead line, whole and in parts; "" for a missing
    part.

    `before` precedes a cut turn's context, `context` is that. `history` is `before` without its notes on the newest
    turns, `notes` are those.
    """

    whole: str = ""
    before: str = ""
    history: str = ""
    notes: str = ""
    context: str = ""


def previous_parts(previous: str | None) -> PreviousSummary:
    """Separates a previous summary into its parts."""
    whole = without_scratchpad(files.without_lists(previous or "")).strip()
    for line in (HANDOFF_LEAD, CONTINUE_LEAD):
        whole = whole.removeprefix(line).lstrip()
    before, context = without_turn_context(whole)
    history, notes = without_recent_turns(before)
    return PreviousSummary(whole, before.strip(), history.strip(), notes, context)
