"""Turns text of a fact into what may stand in a packet: one line, short, and nothing but text.

It can not look like a heading, a list of its own, a code fence or the packet's mark: a fact may hold words
that somebody wrote to be read as ours. The numbers of a list's items stay: somebody may say "do 2".
"""

import re

from ctxmgr.engine.memory.wording import both_ends, plain, shorten

BULLET_CHARACTERS = 240
MOST_CHARACTERS_READ = 4  # times the limit: what is cut off anyway is not worth cleaning

_BULLET_BREAK = re.compile(r"[;,]?\n(?:[-*+•]\s+(?:\[[ xX~]?\]\s+)?|(?=\d{1,3}[.)]\s))")
_FIRST_MARK = re.compile(r"^(?:[-*+•>|=~]+\s+|#+(?:\s+|$)|\[[ xX~]?\]\s+|[-=~*_]{3,}\s*)+")
_BOLD = re.compile(
    r"(?<![\w/*])\*\*(?=[^\s/*])([^*\n]*[^\s/*])\*\*(?![\w/*])"
)  # not `src/**/*.ts`, `2**3`, `f(**x)`
_FENCES = re.compile(r"(?:`{3,}|~{3,})\w*")
_MARK_START = re.compile(r"\[(?=\s*ctxmgr)", re.IGNORECASE)


def one_line(text: str, limit: int = BULLET_CHARACTERS) -> str:
    """Return `text` on one line of at most `limit` characters, without marks of its own."""
    text = text[: MOST_CHARACTERS_READ * limit].strip()
    if "\n" in text:
        text = _BULLET_BREAK.sub("; ", "\n".join(filter(None, map(str.strip, text.split("\n")))))
    text = text.replace(":; ", ": ")
    text = _BOLD.sub(r"\1", text) if "**" in text else text
    text = plain(_FENCES.sub(" ", text) if "```" in text or "~~~" in text else text)
    text = without_mark(text)
    marks = _FIRST_MARK.match(text)
    return shorten(text[marks.end() :] if marks else text, limit)


def without_mark(text: str) -> str:
    """The text, in which none of our marks begins."""
    return _MARK_START.sub("(", text) if "[" in text else text


def code(text: str, limit: int) -> str:
    """Return `text` as inline code."""
    return f"`{one_line(text, limit).replace('`', chr(39))}`"


def said(text: str, limit: int) -> str:
    """What somebody said, in quotes, word for word on one line; of a long text how it begins and how it ends."""
    return f'"{without_mark(plain(both_ends(text.strip(), limit)))}"'
