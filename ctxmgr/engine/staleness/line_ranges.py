"""Turns what a read asked for, and what its result says, into the lines it showed at most and those it surely did.

Rules:

1. Numbered lines decide, where they begin where the call asked to begin (some hosts count an offset from 0). Then
   notes of where to go on, then what the call asked for.
2. A read is at the file's end where its result says so, or has clearly fewer lines than were asked for. Some hosts
   take blank lines from an output's end: so many fewer are no sign.
3. What is cut surely shows its first unbroken numbers alone; what is not exact, its numbers alone.
4. Of several reads in one result only what they asked for is known.
"""

from ctxmgr.engine.staleness.result_range import Notes
from ctxmgr.engine.tools import FileEffect

BLANK_LINES = 3  # that a host may take from an output's end (rule 2)
READ_LINES = 2_000  # that a read shows at most where no limit was asked for (pi, Claude Code, OpenCode)

Lines = tuple[int, int | None]  # from the first to the last, None: to the file's last
WHOLE: Lines = (1, None)


def read_lines(effect: FileEffect, told: Notes, alone: bool, shell: bool) -> tuple[Lines, Lines | None]:
    """(lines at most, lines surely) of a read; `alone`: the result holds nothing else (rule 4)."""
    asked: Lines = (effect.start or 1, effect.end)
    if told.how != "shown":
        return asked, None
    if not alone:
        return asked, asked if effect.exact and not told.is_cut else None
    numbered = told.numbered
    if numbered is not None and effect.exact and not 0 <= numbered[0] - asked[0] <= (effect.start is not None):
        numbered = None
    cut = told.is_cut or (numbered is not None and told.broken)
    if numbered is None and (cut or not effect.exact):
        return asked, None
    if numbered is None:
        start, last = asked
    else:
        start, last = numbered
    if cut:
        return (start, effect.end), (start, last)
    if told.more:
        last = told.more - 1 if last is None else min(last, told.more - 1)
        return (start, last), (start, last) if last >= start else None
    if _at_end(effect, told, shell):
        return (start, last), (start, None)
    if last is None:
        last = start + READ_LINES - 1
    return (start, last), (start, last)


def _at_end(effect: FileEffect, told: Notes, shell: bool) -> bool:
    """Rule 2."""
    if told.at_end:
        return True
    if not effect.exact:
        return False
    if effect.end is None:
        return shell or told.line_count <= READ_LINES
    return told.line_count + BLANK_LINES < effect.end - (effect.start or 1) + 1
