"""Finds what a reply acts on: lines that its edits replace, and what its calls mention by name.

Rules:
1. A reply acts on the lines that its edits replace, if they have at least LETTERS letters or digits, and on the
   paths, identifiers and error codes in the arguments of its tool calls. Names in its text or thinking do not
   count: they can be said from a summary.
2. Order: lines as in the edits, then names, sorted. Each once per reply.
3. A call that repeats an earlier one of the conversation, with the same tool and arguments, acts on nothing: it is
   a re-fetch in the conversation itself, and is billed as such.
4. Replaced lines are found in arguments named as editing tools name the old text, at the top or in a list of edits,
   whatever the tool's name; and in a patch ("*** Begin Patch" ...) in any argument: its removed lines, and its
   context lines. A patch may be a JSON string in a program.
5. Lines are stripped of trailing white space. Lines with fewer than SHORTEST characters without surrounding white
   space (mostly brackets) are ignored, since every file is full of them.
6. A *path* has a slash and ends with a file name with an extension, or is a bare file name with a common extension.
   A directory alone does not count (prose is full of "and/or"), nor does an address (`https://...`). Line numbers
   after it (`a.ts:12:3`), a leading `@` or `./` and quotes are not part of it.
7. An *identifier* is written as only code is: dotted (`session.compact`), with an underscore (`max_tokens`), or
   with a capital inside (`AgentSession`, `maxTokens`). A single plain word does not count, however rare: nobody can
   tell `compact` the function from the word. Nor does a part of a path. Of `this.x` and `self.x`, `x` counts.
8. An *error code* is what errors are looked up by: `TS2345`, `E0308`, `ENOENT`, `TypeError`, `SIGKILL`.

Each occurrence is returned, in order. These patterns are deliberately separate: what measures a summary must not
share its recognition with what writes it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from ctxmgr.model import Block, Message

SHORTEST = 4  # characters of a line, and of an identifier; `a_b` and `iOS` are noise
OLD_TEXT = frozenset({"oldText", "oldString", "old_string", "old_str"})
BEGIN, END = "*** Begin Patch", "*** End Patch"

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*\*\*\* Begin Patch(?:[^"\\\n]|\\.)*"')


def replaced(arguments: Any) -> tuple[str, ...]:
    """The distinct lines, in order; none if the call is no edit."""
    lines: list[str] = []
    for text in _old_texts(arguments):
        lines += text.splitlines()
    for text in strings(arguments):
        if BEGIN in text:
            lines += _patched(text)
    stripped = (line.rstrip() for line in lines)
    return tuple(dict.fromkeys(line for line in stripped if len(line.lstrip()) >= SHORTEST))


def _old_texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name in OLD_TEXT and isinstance(part, str):
                yield part
            else:
                yield from _old_texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _old_texts(part)


def _patched(text: str) -> Iterator[str]:
    """Removed and context lines of each patch in a text."""
    for match in _QUOTED.findall(text):
        try:
            yield from _hunks(json.loads(match))
        except ValueError:  # a string of another language than JSON's
            continue
    yield from _hunks(text)


def _hunks(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        if line.startswith((BEGIN, END)):
            inside = line.startswith(BEGIN)
        elif inside and line.startswith(("-", " ")):  # all lines of a new file have a plus
            yield line[1:]


_EXTENSIONS = (
    "py|pyi|ts|tsx|js|jsx|mjs|cjs|json|jsonl|md|rst|txt|toml|yaml|yml|ini|cfg|lock|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs"
    "|rb|php|sh|bash|zsh|sql|html|css|scss|svg|png|xml|proto|pony|lua|vue|svelte|ipynb|csv|env|log|patch|diff"
)
_ADDRESS = re.compile(r"\b[a-z][a-z+]+://[^\s)>\"'`]+")
_PATH = re.compile(
    rf"(?<![\w/.~-])@?((?:~?/|\.{{1,2}}/)?(?:[\w.@+-]+/)+[\w.@+-]*\.[A-Za-z]\w{{0,9}}|[\w+-][\w.+-]*\.(?:{_EXTENSIONS}))(?![\w/(])"
)
_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_CODED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]|[A-Z]{2,}[a-z]|\.")
_ERROR_CODE = re.compile(
    r"\b(?:TS\d{3,5}|[EFWC]\d{3,4}|E[A-Z]{4,}|SIG[A-Z]{3,5}|ERR_[A-Z_]+|[A-Z]\w+(?:Error|Exception))\b"
)
_SELF = ("this.", "self.", "cls.")
_ABBREVIATIONS = frozenset(("e.g", "i.e", "a.m", "p.m", "vs.", "etc."))


def paths(text: str) -> list[str]:
    """The file paths in a text, each occurrence, without `@`, `./` and line numbers."""
    matches = _PATH.findall(_ADDRESS.sub(" ", text))
    return [path.removeprefix("./") for path in matches if not path.replace(".", "").isdigit()]


def identifiers(text: str) -> list[str]:
    """The identifiers in a text, each occurrence."""
    text = _PATH.sub(" ", _ADDRESS.sub(" ", text))
    names = []
    for name in _IDENTIFIER.findall(text):
        for start in _SELF:
            name = name.removeprefix(start)
        if len(name) >= SHORTEST and _CODED.search(name) and name.casefold() not in _ABBREVIATIONS:
            names.append(name)
    return names


def error_codes(text: str) -> list[str]:
    """The codes and class names of errors in a text, each occurrence."""
    return _ERROR_CODE.findall(text)


def names_in(text: str) -> Iterator[str]:
    """A name may occur several times."""
    yield from paths(text)
    yield from identifiers(text)
    yield from error_codes(text)


def strings(value: Any) -> Iterator[str]:
    """Each string in a JSON value, at any depth; no keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


LETTERS = 3  # letters and digits of a line; every file is full of lines with fewer

_spelled = msgspec.json.Encoder(order="sorted").encode


class Reference(NamedTuple):
    """One thing that a reply acts on: a line to replace, or a name in an argument."""

    is_name: bool
    text: str


class EarlierCalls:
    """The calls of one conversation so far (rule 3)."""

    def __init__(self) -> None:
        self._spellings: set[bytes] = set()

    def add(self, came: Iterable[Message]) -> None:
        self._spellings.update(_spelling(block) for message in came for block in _calls(message))

    def acted_on(self, reply: Iterable[Message]) -> tuple[Reference, ...]:
        """What a reply acts on, whether or not the conversation had it before."""
        new = [block for message in reply for block in _calls(message) if _spelling(block) not in self._spellings]
        lines = (
            line for block in new for line in replaced(block.arguments) if sum(map(str.isalnum, line)) >= LETTERS
        )
        names = {name for block in new for text in strings(block.arguments) for name in names_in(text)}
        return (
            *(Reference(False, line) for line in dict.fromkeys(lines)),
            *(Reference(True, name) for name in sorted(names)),
        )


def _calls(message: Message) -> list[Block]:
    return [block for block in message.view.blocks if block.kind == "call"]


def _spelling(block: Block) -> bytes:
    what: list[Any] = [block.tool, block.arguments]
    return _spelled(what)
