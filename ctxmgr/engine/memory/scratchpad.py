"""Turns the model's own notes into the section that shows them, and a text that holds it into what it shows.

Each line stands as it was written, after a bar: the model edits its notes by what it sees, and behind the bar
nothing passes for a heading, a mark or the section's end.
"""

from bisect import bisect_left
from collections.abc import Iterable

from ctxmgr.model import Weigh

SCRATCHPAD_HEADING = "## Scratchpad (own notes, as written behind the bars)"
BAR = "|"


def scratchpad_lines(notes: str) -> tuple[str, ...]:
    """A line for each of the notes; none where they are blank."""
    if not notes.strip():
        return ()
    return tuple(f"{BAR} {line}".rstrip() for line in notes.rstrip("\n").split("\n"))


def scratchpad_section(notes: str, budget: int, weigh: Weigh) -> str:
    """The notes under their heading in at most `budget` tokens: where they are too many the newest, and how many
    are not shown; "" where there are none, or no room for the newest."""
    lines = scratchpad_lines(notes)

    def section_from(first: int) -> str:
        more = f" ({first} more not shown)" if first else ""
        return "\n".join((f"{SCRATCHPAD_HEADING}{more}", *lines[first:]))

    first = bisect_left(range(len(lines)), True, key=lambda index: weigh(section_from(index)) <= budget)
    return section_from(first) if first < len(lines) else ""


def scratchpad_in(text: str) -> tuple[str, ...]:
    """The lines that a text shows of the notes."""
    return tuple(line for _, line in _section(text.split("\n")) if line.startswith(BAR))


def without_scratchpad(text: str) -> str:
    """The text without that section and the blank line before it; all else is as it was."""
    if SCRATCHPAD_HEADING not in text:
        return text
    lines = text.split("\n")
    gone = {index for index, _ in _section(lines)}
    gone |= {index - 1 for index in gone if index and index - 1 not in gone and not lines[index - 1]}
    return "\n".join(line for index, line in enumerate(lines) if index not in gone)


def _section(lines: list[str]) -> Iterable[tuple[int, str]]:
    """(place, line) of the heading and of the lines after bars right below it. Without such a line it is prose."""
    for index, line in enumerate(lines[:-1]):
        if line.startswith(SCRATCHPAD_HEADING) and lines[index + 1].startswith(BAR):
            end = next((row for row in range(index + 1, len(lines)) if not lines[row].startswith(BAR)), len(lines))
            yield from ((row, lines[row]) for row in range(index, end))
