"""The model's own notes, kept over compactions: operations applied to them, the section that shows them, and that
section found in a text.

Rules:
1. Operations apply in order, all or none: a half-edited note is worse than an error.
2. A replacement must match exactly once: the model must know which place it changes.
3. The text is limited, so that notes never fill the window they are meant to save.
4. Each line is shown as written, after a bar: the model edits its notes by what it sees, and after a bar nothing is
   taken for a heading, a mark or the end of the section.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from ctxmgr.model import Weigh, invalid_params
from ctxmgr.model.api import compaction as wire

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


CHARACTERS_AT_MOST = 8_000  # about 2,000 tokens: an eighth of the default reserve


def edited_scratchpad(text: str, operations: Sequence[wire.ScratchpadOperation]) -> str:
    """The text after all operations. Raises InvalidParams, and then nothing has changed."""
    for number, operation in enumerate(operations):
        text = _applied(text, operation, f"$.operations[{number}]")
    if len(text) > CHARACTERS_AT_MOST:
        what = f"the scratchpad would hold {len(text)} of at most {CHARACTERS_AT_MOST} characters"
        raise invalid_params(what, "$.operations")
    return text


def _applied(text: str, operation: wire.ScratchpadOperation, path: str) -> str:
    if isinstance(operation, wire.Overwrite):
        return operation.text
    if isinstance(operation, wire.Insert):
        return _inserted(text, operation, path)
    if not operation.old_text:
        raise invalid_params("an empty text matches everywhere", f"{path}.oldText")
    count = text.count(operation.old_text)
    if count != 1:
        count_text = "is not there" if not count else f"is there {count} times"
        raise invalid_params(f"the text to replace {count_text}; it must be there once", f"{path}.oldText")
    return text.replace(operation.old_text, operation.new_text)


def _inserted(text: str, operation: wire.Insert, path: str) -> str:
    """After line `line`, counted from 1; 0 is before the first, a missing line means the end."""
    lines = text.splitlines(keepends=True)
    number = len(lines) if operation.line is None else int(operation.line)
    if number > len(lines):
        raise invalid_params(f"there are {len(lines)} lines", f"{path}.line")
    before, after = "".join(lines[:number]), "".join(lines[number:])
    if before and not before.endswith("\n"):
        before += "\n"
    gap = "\n" if after and not operation.text.endswith("\n") else ""
    return f"{before}{operation.text}{gap}{after}"
