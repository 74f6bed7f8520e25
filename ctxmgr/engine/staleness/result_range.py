"""Turns the text of a tool's result into what it says of the lines it shows.

Rules:

1. Numbered lines (`   12\tx`, `12→x`, `12: x`, `12| x`) tell their range, where one number follows the other from
   the first to the last. Where lines are missing in between, it is told as far as no number is.
2. A line at the end that says where to go on from (`[Showing lines 1-200 of 900. Use offset=201 to continue.]`)
   tells how far it came; one that says that the file is at its end, that it did.
3. A text that was cut in its middle, or whose end alone is left, shows no range that can be known; nor does one
   whose numbers have gaps, behind the first of them.
4. A host may clear an old text or answer that a file is what it was ("cleared"), an editor may refuse an edit
   without an error ("refused"), a shell may hide that a command failed ("hidden"): such shows nothing.

It does not know the call. What a file itself says may look like any of this: then less is told than was shown.
"""

import re
from typing import Literal

import msgspec

from ctxmgr.engine.rewriting import marker
from ctxmgr.engine.tools.shell import window

HEAD_CHARACTERS = 600  # where the first numbered line stands, behind a host's own lines
LAST_LINES = 40  # among which the last one stands, before a host's notes
NOTE_CHARACTERS = 400  # how far from the end a note of rule 2 may begin

_NUMBERED = re.compile(r"^(?:<content>)?[ \t]{0,9}(\d{1,7})(?:\t|→|: ?|\| )", re.MULTILINE)
_GO_ON = re.compile(r"offset=(\d+) to continue|parameter to read beyond line (\d+)")
_TRUNCATED = ("tokens ", "characters ", "chars ", "lines ", "utput ", "[", "…")  # what stands before the word
_CUT = ("<response clipped>", "only part of this file has been shown", "Full output: ", "Full output saved to")
_UNFINISHED = ("Process running with session ID", "Script running with cell ID")
_HIDDEN = (": No such file", ": Permission denied", ": Is a directory", "can't read ", "cannot open ")
_CLEARED = re.compile(r"\s*(?:\[?Old tool result content cleared\]?|<?File unchanged since)", re.IGNORECASE)
_REFUSED = re.compile(r"\s*(?:Your proposed edit has introduced|(?:ERROR:\s*)?No replacement was performed)")
_REMINDER = ("<system-reminder>", "</system-reminder>")
_HEADS = ("Output:\n", "<output>\n", "<content>")

Range = tuple[int, int]
How = Literal["shown", "empty", "cleared", "refused", "hidden"]


class Notes(msgspec.Struct, frozen=True, gc=False):
    """What a result says. `numbered`: rule 1. `more`: the line that comes after what is shown, 0 where it says
    nothing of it; `at_end`: the file's last line is shown. `is_cut`: rule 3; `how`: rule 4. `file`: that of a
    window. `line_count`: how many there are at most. `broken`: the numbers have a gap behind those told.
    """

    numbered: Range | None = None
    more: int = 0
    at_end: bool = False
    is_cut: bool = False
    how: How = "shown"
    file: str = ""
    line_count: int = 0
    broken: bool = False


def _range(text: str) -> tuple[Range | None, bool]:
    """The range, and whether the numbers have a gap behind it."""
    first = _first(text, min(len(text), HEAD_CHARACTERS))
    if first is None:
        return None, False
    start = int(first[1])
    last, at = _last(text, first.start())
    if last and last - start == text.count("\n", first.start(), at):
        return (start, last), False
    return (start, _unbroken(text, first)), True


def _first(text: str, end: int) -> re.Match[str] | None:
    """The first numbered line that stands whole before `end`."""
    start = 0
    while start >= 0:
        line = _NUMBERED.match(text, start, end)
        if line is not None:
            return line
        start = text.find("\n", start, end) + 1 or -1
    return None


def _last(text: str, first: int) -> tuple[int, int]:
    """(number, place) of the last numbered line, at most so many lines from the end and not before `first`."""
    end = len(text)
    for _ in range(LAST_LINES):
        start = text.rfind("\n", first, end) + 1 or first
        line = _NUMBERED.match(text, start)
        if line is not None:
            return int(line[1]), start
        if start <= first:
            break
        end = start - 1
    return 0, first


def _unbroken(text: str, first: re.Match[str]) -> int:
    """The last number up to which each line follows the one before it."""
    number, place = int(first[1]), first.start()
    while True:
        place = text.find("\n", place) + 1
        line = _NUMBERED.match(text, place) if place else None
        if line is None or int(line[1]) != number + 1:
            return number
        number += 1


def notes(text: str, shell: bool = False) -> Notes:
    """All that a result says; `shell`: one that may hide a failure. Linear in the text."""
    how = _how(text, shell)
    if how not in ("shown", "hidden"):
        return Notes(how=how)
    body = text
    if text.rstrip().endswith(_REMINDER[1]):  # what a host adds for the model behind an output
        body = text[: text.rfind(_REMINDER[0])].rstrip()
    end = body[-NOTE_CHARACTERS:]
    go_on = list(_GO_ON.finditer(end)) if "continue" in end or "beyond line" in end else ()
    more = int(go_on[-1][1] or 0) or int(go_on[-1][2] or 0) + 1 if go_on else 0
    ended = "(End of file" in end
    numbered, broken = _range(body)
    opened = window(body)
    if opened is not None and numbered is not None:
        ended = numbered[1] >= opened[1]
    return Notes(
        numbered,
        more,
        ended,
        is_cut=_is_cut(body),
        how=how,
        file=opened[0] if opened else "",
        line_count=_lines(body),
        broken=broken,
    )


def _how(text: str, shell: bool) -> How:
    """Rule 4."""
    if not text or text.isspace():
        return "empty"
    if _CLEARED.match(text) or marker.is_marker(text):
        return "cleared"
    if _REFUSED.match(text):
        return "refused"
    return "hidden" if shell and any(words in text for words in _HIDDEN) else "shown"


def _is_cut(body: str) -> bool:
    if any(words in body[:HEAD_CHARACTERS] for words in _UNFINISHED):
        return True
    at = body.find("truncated")
    while at >= 0:
        if body.endswith(_TRUNCATED, 0, at):
            return True
        at = body.find("truncated", at + 1)
    return any(words in body for words in _CUT)


def _lines(body: str) -> int:
    """How many lines it shows at most, without a host's own before them; spelled as JSON they count as well."""
    start = 0
    for head in _HEADS:
        at = body.find(head, 0, HEAD_CHARACTERS)
        start = at + len(head) if at >= 0 else start
    return max(body.count("\n", start) + 1, body.count("\\n", start))
