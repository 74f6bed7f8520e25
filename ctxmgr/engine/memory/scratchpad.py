"""Converts the model's own notes to the section that shows them, and finds that section in a text.

Each line is shown as written, after a bar: the model edits its notes by what it sees, and after a bar nothing is
taken for a heading, a mark or the end of the section.
"""

from bisect import bisect_left
from collections.abc import Iterable

from ctxmgr.model import Weigh

SCRATCHPAD_HEADING = "## Scratchpad (own notes, as written behind the bars)"
BAR = "|"


def scratchpad_lines(notes: str) -> tuple[str, ...]:
    """A line for each line of the notes, or none if they are blank."""
    if not notes.strip():
        return ()
    return tuple(f"{BAR} {line}".rstrip() for line in notes.rstrip("\n").split("\n"))


def scratchpad_section(notes: str, budget: int, weigh: Weigh) -> str:
    """The notes under their heading in at most `budget` tokens. If there are too many, the newest and the number
    that are not shown. Returns "" without notes, or if the newest does not fit.
    """
    lines = scratchpad_lines(notes)

    def section_from(first: int) -> str:
        more = f" ({first} more not shown)" if first else ""
        return "\n".join((f"{SCRATCHPAD_HEADING}{more}", *lines[first:]))

    first = bisect_left(range(len(lines)), True, key=lambda index: weigh(section_from(index)) <= budget)
    return section_from(first) if first < len(lines) else ""


def scratchpad_in(text: str) -> tuple[str, ...]:
    """The lines of notes that a text shows."""
    return tuple(line for _, line in _section(text.split("\n")) if line.startswith(BAR))


def without_scratchpad(text: str) -> str:
    """The text without that section and the blank line before it. Everything else is unchanged."""
    if SCRATCHPAD_HEADING not in text:
        return text
    lines = text.split("\n")
    gone = {index for index, _ in _section(lines)}
    gone |= {index - 1 for index in gone if index and index - 1 not in gone and not lines[index - 1]}
    return "\n".join(line for index, line in enumerate(lines) if index not in gone)


def _section(lines: list[str]) -> Iterable[tuple[int, str]]:
    """(index, line) of the heading and of the lines with bars right below it. A heading without such a line is
    prose.
    """
    for index, line in enumerate(lines[:-1]):
        if line.startswith(SCRATCHPAD_HEADING) and lines[index + 1].startswith(BAR):
            end = next((row for row in range(index + 1, len(lines)) if not lines[row].startswith(BAR)), len(lines))
            yield from ((row, lines[row]) for row in range(index, end))
