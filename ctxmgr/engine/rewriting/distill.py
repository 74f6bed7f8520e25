"""Turns a bulky tool result into its first lines, its last lines and the lines that tell of an error.

Rules (design, section 4, rule 4):
1. The head line says what it was and what it weighed; the text's own lines follow as they are, long lines cut.
2. Room goes to the last lines (how it ended), then to error lines, then to the first lines; all in their order.
3. The outcome is at most `limit` characters plus the head line, and the same text gives the same outcome.
4. No line stays longer than the smallest share, so that something of each kind stays, even of a text that is
   one huge line.
"""

import re

from ctxmgr.engine.rewriting import marker
from ctxmgr.model import Call

LINE_LENGTH = 200  # characters of a line that stays, at most
NEWLINE, GAP = 1, 2  # characters; a gap is the line "…" and its newline
SHARE_LAST, SHARE_ERRORS, SHARE_FIRST = 0.35, 0.35, 0.3  # of the limit; the first lines get what is left too
ERROR_LINE = re.compile(
    r"\b(error|errors|exception|traceback|failed|failure|fatal|panic|assert\w*|undefined|denied|not found)\b",
    re.IGNORECASE,
)


def distill(text: str, limit: int, of: Call, weight: int) -> str:
    """`limit` in characters, `weight` of the whole in tokens."""
    longest = min(LINE_LENGTH, max(0, int(limit * SHARE_FIRST) - NEWLINE - GAP))
    lines = [line[:longest] for line in text.splitlines() if line.strip() and longest]
    chosen: set[int] = set()
    room = limit - GAP  # before the last lines
    room -= _take(chosen, lines, range(len(lines) - 1, -1, -1), int(limit * SHARE_LAST))
    errors = [number for number, line in enumerate(lines) if ERROR_LINE.search(line)]
    room -= _take(chosen, lines, errors, int(limit * SHARE_ERRORS), NEWLINE + GAP)
    _take(chosen, lines, range(len(lines)), room)
    return "\n".join([marker.distilled(of, weight), *_with_gaps(lines, sorted(chosen))])


def _take(chosen: set[int], lines: list[str], order: range | list[int], room: int, beside: int = NEWLINE) -> int:
    """Adds line numbers in this order while they fit, `beside` characters more for each; the characters used."""
    used = 0
    for number in order:
        if number in chosen:
            continue
        cost = len(lines[number]) + beside
        if used + cost > room:
            break
        chosen.add(number)
        used += cost
    return used


def _with_gaps(lines: list[str], numbers: list[int]) -> list[str]:
    """The chosen lines, "…" where others are left out. The last line is always among them: rule 4."""
    out: list[str] = []
    last = -1
    for number in numbers:
        if number != last + 1:
            out.append("…")
        out.append(lines[number])
        last = number
    return out
