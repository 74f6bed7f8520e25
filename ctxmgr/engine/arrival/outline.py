"""Turns a long text into what tells of its middle: the lines that define things, or what it lists, counted.

1. A line defines something where it has the form of it in one of the usual programming languages: a word such as
   `def` or `class` with a name, a function that is assigned, a head that opens a body. Line numbers that tools put
   before lines are passed over. Where no line does, headings count.
2. The least indented tell most, of equally indented ones the first.
3. A text whose lines name places in files (`a.py:12: text`) is counted by file, one of paths by directory, where
   most lines are such.

It knows languages of programs by their form, and no words of people's languages.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

from ctxmgr.model import expression

OUTLINE_CHARACTERS = 160  # of a line of the outline that stays, at most
LISTED_SHARE = 0.8  # of the lines with text: so many make a text a list
MOST_COUNTED = 12  # names that are told with their counts
TOLD_NAME_CHARACTERS = 80  # of a name that is told
LONGEST_LIST_LINE = 400  # characters: a longer line is none of a list

_NUMBER = r"(?:[ \t]{0,8}\d{1,7}(?:\t|→|[:|] ?))?"  # before a line, by a tool that reads files
_BEFORE = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|sealed|open|override"
    r"|virtual|inline|unsafe|extern|pub(?:\([\w: ]{1,40}\))?|declare|data|partial|const)[ \t]+){0,6}"
)
_WORD = (
    r"(?:def|class|function\*?|func|fn|fun|interface|struct|enum|trait|impl|type|module|namespace|protocol|record"
    r"|object|sub|mod|contract|macro_rules!)[ \t]+[\w$.:]{1,120}"
    r"(?=[ \t]*(?:[(<:{=;\[!]|$|(?:extends|implements|for|struct|interface|func|where)\b))"
)
_METHOD = r"(?:func[ \t]*\(|impl[ \t]*<)"
_ASSIGNED = (
    r"(?:const|let|var)[ \t]+[\w$]{1,120}[^\n=]{0,120}=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^\n]{0,200}=>|[\w$]{1,80}[ \t]*=>)"
)
_HEAD = (
    r"(?!(?:if|for|while|switch|catch|else|return|with|do|try|using|lock|foreach|elif|match|when|unless)\b)"
    r"[\w$<>\[\],*&:~?. \t]{1,120}\([^;\n]{0,200}\)[^;\n(]{0,60}\{[ \t]*$"
)
_DEFINES = expression(rf"^{_NUMBER}([ \t]*){_BEFORE}(?:{_WORD}|{_METHOD}|{_ASSIGNED}|{_HEAD})", re.M)
_HEADING = expression(rf"^{_NUMBER}(#{{1,6}})[ \t]+\S", re.M)
_LOCATION = expression(r"([^\s:][^:\n]{0,200}):\d{1,7}[:-]")
_PATH = expression(r"(?:[-dl][-rwxsStT]{9}\S?[ \t].{0,120}[ \t])?((?:[^\s:/]*/)*)[^\s:/]+/?[ \t]*$")

Counts = Callable[[int, int], str]
"""What is listed between two places of a text, counted: "src/a.py 40, src/b.py 12, 35 in 7 others"; "" where it is
no list."""


def outline(text: str) -> tuple[tuple[int, int], ...]:
    """The places [start, end) of the lines that tell of a text, those that tell most first (rules 1 and 2)."""
    starts = [(len(match[1].expandtabs()), match.start()) for match in _DEFINES.finditer(text)]
    starts = starts or [(len(match[1]), match.start()) for match in _HEADING.finditer(text)]
    return tuple((start, _end(text, start)) for _, start in sorted(starts))


def _end(text: str, start: int) -> int:
    newline = text.find("\n", start, start + OUTLINE_CHARACTERS)
    return min(len(text), start + OUTLINE_CHARACTERS) if newline < 0 else newline + 1


def counts(text: str) -> Counts:
    """What counts a part of this text (rule 3)."""
    places: list[int] = []
    names: list[str] = []
    line_count = start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            line_count += 1
            if (name := _listed(line)) is not None:
                places.append(start)
                names.append(name)
        start += len(line)
    if len(names) < LISTED_SHARE * line_count:
        return lambda start, end: ""

    def counted(start: int, end: int) -> str:
        return _ranked_counts(Counter(names[bisect_left(places, start) : bisect_left(places, end)]))

    return counted


def _listed(line: str) -> str | None:
    """The file or the directory that a line of a list counts for; None where it is no such line."""
    if len(line) > LONGEST_LIST_LINE:
        return None
    location = _LOCATION.match(line)
    if location is not None:
        return location[1]
    path = _PATH.match(line)
    return (path[1] or "./") if path is not None and ("/" in line or "." in line) else None


def _ranked_counts(counter: Counter[str]) -> str:
    """The most first, of equally many the first in the alphabet."""
    ranked = sorted(counter.items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{name[:TOLD_NAME_CHARACTERS]} {count:,}" for name, count in ranked[:MOST_COUNTED]]
    rest = ranked[MOST_COUNTED:]
    if rest:
        named.append(f"{sum(count for _, count in rest):,} in {len(rest):,} others")
    return ", ".join(named)
