"""Turns what the assistant asked at the end of a text, and the user's words on it, into the question and what they
choose.

Rules, of no language:
1. A text asks where a question stands in its last TAIL_CHARACTERS; of several the last is the one that is answered.
2. Of a list of options with letters or numbers a reply chooses one by that ("B please", "2", "option c"): its words
   are what was chosen. Where two options have the same letter the later list counts.
"""

import re

import msgspec

from ctxmgr.engine.text import one_line, sentences_of, shorten, unfenced

QUESTION_CHARACTERS = 400  # a longer sentence is no question that one answers
TAIL_CHARACTERS = 600  # in which it asks: what stands higher up was not what the text ends with
OPTION_CHARACTERS = 240
OPTION_LINES = 80  # of the text's end, in which options stand
CHOICE_WORDS = 4  # of a reply that begins with a bare letter: "B please"; "A cache would be nice" chooses nothing

_ENDS = ("?", "？", "؟")
_EDGES = "*_`\"') "
_CHOSEN = re.compile(r"^\W*(?:\S+ ){0,3}?(?:option|variante?|approach|opci[oó]n)\s+([a-f]|\d)\b", re.IGNORECASE)
_LETTER = re.compile(r"^\W*([A-Fa-f]|\d)(?:[.):,!]|\s|$)")
_OPTION = re.compile(r"^\W*(?:(?:[^\W\d_]+)\s+)?([A-Fa-f]|\d{1,2})(?:\*\*)?\s*[.):–—-]+\s*(\S.*)$")


class Asked(msgspec.Struct, frozen=True):
    """An assistant's text, and the digest of its message, before a user's."""

    text: str
    origin: str


def last_lines(text: str) -> list[str]:
    """From the last one up, without code."""
    lines = unfenced(text)
    return lines[: -1 - OPTION_LINES : -1]


def closing_question(text: str) -> str:
    """On one line; "" where it does not end with one."""
    if not any(end in text[-TAIL_CHARACTERS:] for end in _ENDS):
        return ""
    for line in last_lines(text):
        for said in reversed(sentences_of(line)):
            if said.rstrip(_EDGES).endswith(_ENDS):
                asked = one_line(said, len(said))
                return asked if len(asked) <= QUESTION_CHARACTERS else ""
    return ""


def chosen(text: str, reply: str) -> str:
    """The words of the option that a reply chooses of those in the text; "" for none."""
    found = _CHOSEN.match(reply) or (_LETTER.match(reply) if len(reply.split()) <= CHOICE_WORDS else None)
    if found is None:
        return ""
    for line in last_lines(text):
        option = _OPTION.match(line)
        if option and option[1].casefold() == found[1].casefold():
            return shorten(one_line(option[2].replace("**", "").lstrip("* "), OPTION_CHARACTERS), OPTION_CHARACTERS)
    return ""
