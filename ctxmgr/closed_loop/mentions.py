"""Turns text into what it mentions by name: file paths, identifiers, error codes. Studies of recall count these.

What counts, and why:
1. A *path* has a slash and a file name with an extension at its end, or is a bare file name with one of the
   usual extensions. A directory alone is none (prose is full of "and/or"); an address (`https://...`) is none.
   Line numbers after it (`a.ts:12:3`), a leading `@` or `./` and quotes are no part of it.
2. An *identifier* is written as only code is: dotted (`session.compact`), with an underscore (`max_tokens`), or
   with a capital inside (`AgentSession`, `maxTokens`). A single plain word is none, however rare: nobody can tell
   `compact` the function from the word. A part of a path is none. Of `this.x` and `self.x` it is `x` that counts.
3. An *error code* is what errors are looked up by: `TS2345`, `E0308`, `ENOENT`, `TypeError`, `SIGKILL`.

Each mention is given each time it occurs, in order: who counts, counts. Own patterns on purpose: what measures a
summary must not share its eyes with what writes it.
"""

import re

SHORTEST = 4  # characters of an identifier: `a_b` and `iOS` are noise

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
    """The file paths in a text, each time, without `@`, `./` and line numbers."""
    found = _PATH.findall(_ADDRESS.sub(" ", text))
    return [path.removeprefix("./") for path in found if not path.replace(".", "").isdigit()]


def identifiers(text: str, *, shortest: int = SHORTEST) -> list[str]:
    """The identifiers in a text that are at least `shortest` characters long, each time."""
    text = _PATH.sub(" ", _ADDRESS.sub(" ", text))
    found = []
    for name in _IDENTIFIER.findall(text):
        for start in _SELF:
            name = name.removeprefix(start)
        if len(name) >= shortest and _CODED.search(name) and name.casefold() not in _ABBREVIATIONS:
            found.append(name)
    return found


def error_codes(text: str) -> list[str]:
    """The codes and class names of errors in a text, each time."""
    return _ERROR_CODE.findall(text)
