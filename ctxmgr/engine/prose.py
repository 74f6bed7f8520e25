"""Turns a user's message into what the user wrote: without code, quotes, pasted output and tagged blocks.

Precision before recall: a line that looks pasted is left out. What a person pastes (logs, traces, diffs,
other people's rules) states no goal and no constraint of theirs.
"""

import re

from ctxmgr.engine.wording import unfenced

PASTE_CHARACTERS = 1_200  # a paragraph longer than this was not typed
PASTE_LINES = 15  # nor one of more lines
LONG_MESSAGE_PARAGRAPHS = 24  # of a longer message only the first and last few are the user's own words
EDGE_PARAGRAPHS = 4
LONG_MESSAGE_CHARACTERS = 12_000  # of a longer message only the start and the end are looked at
HEAD_CHARACTERS = 6_000
TAIL_CHARACTERS = 2_000

_BLOCK = re.compile(r"<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>.*?</\1\s*>", re.DOTALL)
_OPEN_BLOCK = re.compile(r"^\s*<[A-Za-z][\w.:-]*(?:\s[^<>]*)?>\s*$")
_PASTED = re.compile(
    r"""
      \s*>                                        # quoted
    | \s*(?:at\s+\S+.*[(:]|File\s".*",\sline\s|Traceback\b)   # stack traces
    | \s*[\w.$]*(?:Error|Exception|Warning)\b(?:\s\[[^\]]*\])?:
    | \s*(?:[$%❯➜λ]|\w+@[\w.-]+[:~])\s?            # shell prompts
    | \s*~?/[\w.~/-]+(?:\s\([\w/.-]+\))?$           # a bare path
    | .*[│─╭╰┌└├┤┃━█░▓→←↑↓]                         # drawn on a terminal
    | \s*[+-]\s?\d+\s                              # a diff with line numbers
    | \s*(?:@@|diff\s--git|index\s[0-9a-f]{7}|---\s[ab]/|\+\+\+\s[ab]/|[+-]\s{2,})
    | \s*[{}\[\]]                                  # JSON, code
    | .*(?:[;{}]|=>|\*/)\s*$                        # code
    | \s*(?://|/\*|\#include|import\s.*\sfrom\s|const\s|let\s\w+\s=|func\s|def\s|class\s\w+\W)
    | \s*\d+:\s|\s*\d{4}-\d\d-\d\d[T\s]\d\d:        # numbered lines, logs
    | \s*\|.*\|\s*$                                # tables
    | \s*'/[^']*'\s*$                              # a dropped file
    | (?:\ {4}|\t)\s*\S*[;(){}=]                   # indented code
    """,
    re.VERBOSE,
)
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX~]?\]\s+)?")
_COMMAND = re.compile(r"/[\w:-]*(?:\s+\S{1,40})?")
_HEADING = re.compile(r"^\s*#{1,6}\s")


def prose(text: str, *, long_too: bool = False) -> str:
    """Return the lines the user typed, paragraphs kept apart by a blank line; "" if there are none.

    `long_too` keeps paragraphs that are longer than anyone types: an opening message is often a whole issue.
    """
    stripped = text.strip()
    if _COMMAND.fullmatch(stripped):
        return ""
    if len(text) > LONG_MESSAGE_CHARACTERS:
        text = f"{text[:HEAD_CHARACTERS]}\n\n{text[-TAIL_CHARACTERS:]}"
    if "</" in text:
        text = _BLOCK.sub("\n\n", text)
    paragraphs: list[list[str]] = [[]]
    for line in unfenced(text):
        if not line.strip():
            paragraphs.append([])
        elif (long_too or len(line) <= PASTE_CHARACTERS) and not (
            _PASTED.match(line) or _OPEN_BLOCK.match(line) or _HEADING.match(line)
        ):
            paragraphs[-1].append(line.strip())
    kept = ["\n".join(lines) for lines in paragraphs if lines and (long_too or not _is_pasted(lines))]
    if len(kept) > LONG_MESSAGE_PARAGRAPHS:
        kept = kept[:EDGE_PARAGRAPHS] + kept[-EDGE_PARAGRAPHS:]
    return "\n\n".join(kept)


def without_marks(sentence: str) -> str:
    """Return the sentence without the list mark it starts with."""
    return _LIST_MARK.sub("", sentence).strip()


def _is_pasted(lines: list[str]) -> bool:
    return len(lines) > PASTE_LINES or sum(map(len, lines)) > PASTE_CHARACTERS
