"""Outlines a long text: the lines that define things, or what it lists, counted.

1. A line defines something if it has the form of a definition in a common programming language: a word such as
   `def` or `class` with a name, an assigned function, a head that opens a body. Line numbers added by tools are
   ignored. If no line does, headings count.
2. The least indented lines come first, then the earlier ones.
3. If most lines name places in files (`a.py:12: text`), they are counted by file; if most are paths, by directory.

It recognizes programming languages by form, and uses no words of natural languages.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable

from ctxmgr.model import expression

OUTLINE_CHARACTERS = 160  # the longest part of a line in the outline
LISTED_SHARE = 0.8  # of the lines with text; this share makes a text a list
MOST_COUNTED = 12  # names with counts in the outline
TOLD_NAME_CHARACTERS = 80  # the longest part of a name in the outline
LONGEST_LIST_LINE = 400  # characters; a longer line belongs to no list

_NUMBER = r"(?:[ \t]{0,8}\d{1,7}(?:\t|→|[:|] ?))?"  # at the start of a line, from a tool that reads files
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
    """The positions [start, end) of the lines that outline a text, most informative first (rules 1 and 2)."""
    starts = [(len(match[1].expandtabs()), match.start()) for match in _DEFINES.finditer(text)]
    starts = starts or [(len(match[1]), match.start()) for match in _HEADING.finditer(text)]
    return tuple((start, _end(text, start)) for _, start in sorted(starts))


def _end(text: str, start: int) -> int:
    newline = text.find("\n", start, start + OUTLINE_CHARACTERS)
    return min(len(text), start + OUTLINE_CHARACTERS) if newline < 0 else newline + 1


def counts(text: str) -> Counts:
    """The counts for a part of this text (rule 3)."""
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
    """The file or directory of a list's line; None if it is no such line."""
    if len(line) > LONGEST_LIST_LINE:
        return None
    location = _LOCATION.match(line)
    if location is not None:
        return location[1]
    path = _PATH.match(line)
    return (path[1] or "./") if path is not None and ("/" in line or "." in line) else None


def _ranked_counts(counter: Counter[str]) -> str:
    """Largest first, equals in alphabetical order."""
    ranked = sorted(counter.items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{name[:TOLD_NAME_CHARACTERS]} {count:,}" for name, count in ranked[:MOST_COUNTED]]
    rest = ranked[MOST_COUNTED:]
    if rest:
        named.append(f"{sum(count for _, count in rest):,} in {len(rest):,} others")
    return ", ".join(named)
