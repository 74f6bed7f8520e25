"""Turns a text into the options that it lists, and what it says of one of them into that one's words.

1. An option begins a line with a letter or a number; of two lists the later one counts.
2. Where no line does, options stand one after the other in a line: from "(1)", "a)" or "1." on each goes to the
   next one, and the last to the end of its sentence.
3. Of English a sentence points at one by its place ("I'd recommend the second one") or its name ("I'd go for (2)").
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.text import one_line, sentences_of, shorten, unfenced

OPTION_CHARACTERS = 240
OPTION_LINES = 80  # of the text's end, in which options stand
LEAST_OPTIONS = 2
ENDS = ("?", "？", "؟")
EDGES = "*_`\"') "
PLACES = ("first", "second", "third", "fourth")

OPTION = re.compile(r"^\W*(?:(?:[^\W\d_]+)\s+)?([A-Fa-f]|\d{1,2})(?:\*\*)?\s*[.):–—-]+\s*(\S.*)$")
_WITHIN = re.compile(r"(?:^|(?<=\s))(?:\(([a-fA-F]|\d)\)|([a-fA-F]|\d)\)|(\d)\.(?=\s+[A-Z*`]))\s+(?=\S)")
_JOINS = re.compile(r"[\s,;]*\b(?:and|or|and/or)?[\s,;:]*$", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:recommend|suggest|prefer|favou?r|propose|(?:go|going|start|starting) (?:for|with)|take|pick|choose"
    r"|lean(?:ing)? (?:towards?|to))\b[^.;?]{0,30}?"
    rf"(?:\bthe (?P<place>{'|'.join(PLACES)}|last|former|latter)\b"
    r"|\b(?:option|variant|approach|number) \(?(?P<named>[a-f]|\d)\b"
    r"|\((?P<bare>[a-f]|\d)\))",
    re.IGNORECASE,
)


def last_lines(text: str) -> list[str]:
    """From the last one up, without code."""
    lines = unfenced(text)
    return lines[: -1 - OPTION_LINES : -1]


def options_of(text: str) -> dict[str, str]:
    """Those of the text's last list, in their order, by letter or number (rules 1 and 2)."""
    lines = last_lines(text)
    found: dict[str, str] = {}
    for option in filter(None, map(OPTION.match, lines)):
        if option[1].casefold() in found:
            break  # of another list
        if option[2].rstrip(EDGES).endswith(ENDS):
            continue  # a question of its own
        found[option[1].casefold()] = option[2]
    if len(found) >= LEAST_OPTIONS:
        return dict(reversed(found.items()))
    within = next(filter(None, map(_within, lines)), {})
    return within or dict(reversed(found.items()))


def words_of_option(option: str, limit: int = OPTION_CHARACTERS) -> str:
    return shorten(one_line(option.replace("**", "").lstrip("* "), limit), limit)


def at_place(place: str, options: Sequence[str]) -> str:
    if place in ("last", "latter"):
        return options[-1] if options else ""
    return dict(zip(PLACES, options, strict=False)).get("first" if place == "former" else place, "")


def pointed(sentence: str, text: str) -> str:
    """The words of the option that a sentence points at, of those in the text (rule 3); "" for none."""
    found = _POINTS.search(sentence)
    if found is None:
        return ""
    options = options_of(text)
    if found["place"]:
        return words_of_option(at_place(found["place"].casefold(), [*options.values()]))
    return words_of_option(options.get((found["named"] or found["bare"]).casefold(), ""))


def _within(line: str) -> dict[str, str]:
    """Rule 2."""
    marks: list[re.Match[str]] = []
    for mark in _WITHIN.finditer(line):
        name = _name(mark)
        if (not marks and name in ("1", "a")) or (marks and ord(name) == ord(_name(marks[-1])) + 1):
            marks.append(mark)
    if len(marks) < LEAST_OPTIONS:
        return {}
    ends = [mark.start() for mark in marks[1:]]
    texts = [_JOINS.sub("", line[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)]
    last = sentences_of(line[marks[-1].end() :])
    texts.append(last[0].rstrip(".?!") if last else "")
    return {_name(mark): one.rstrip(".") for mark, one in zip(marks, texts, strict=True) if one}


def _name(mark: re.Match[str]) -> str:
    return (mark[1] or mark[2] or mark[3]).casefold()
