"""Turns a `curl` into the line in which it prints the status of the server's answer.

`curl` itself ends with 0 whatever the server answers. It prints the answer's status where the format of `-w` has
it, and the head of the answer with `-i` and `-I`.
"""

import re

from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of

HEAD = r"^HTTP/[\d.]+ (?P<code>\d{3})\b"
UNKNOWN = r"(?!)"  # a format that is not known here: what it prints tells nothing

_STATUS = re.compile(r"%\{(?:http_code|response_code)\}")
_VARIABLE = re.compile(r"%\{\w+\}")
_ESCAPED = re.compile(r"\\([nrt])")
_ESCAPES = {"n": "\n", "r": "", "t": "\t"}
_LETTERS = re.compile(r"-(?!-)[a-zA-Z#]+")
_VALUED = "AbcCdDeEFhHKmoPQrtTuUwxXyYz"  # letters of options that take a value, which may stand right behind


def printed_status(command: ShellCommand) -> str:
    """The pattern of the line that tells the answer's status, as `code`; "" where it is not told to print one."""
    if name_of(command) != "curl":
        return ""
    forms, letters, dropped = _options(command.words[1:])
    if forms:
        return _pattern(forms[-1], dropped)
    return HEAD if letters & set("iI") else ""


def _options(words: tuple[Word, ...]) -> tuple[list[Word], set[str], bool]:
    """(the formats that it is given, the letters of its options, whether the answer's text goes elsewhere)."""
    forms: list[Word] = []
    letters: set[str] = set()
    wanted = ""
    for word in words:
        if wanted:
            forms += [word] if wanted == "w" else []
            wanted = ""
        elif word is None or not word.startswith("-"):
            continue
        elif word.startswith("--"):
            name, _, value = word.partition("=")
            letter = {"--write-out": "w", "--output": "o", "--include": "i", "--head": "I"}.get(name, "")
            letters.add(letter)
            forms += [value] if letter == "w" and value else []
            wanted = letter if letter in ("w", "o") and not value else ""
        elif _LETTERS.match(word):
            for place, letter in enumerate(word[1:], 2):
                letters.add(letter)
                if letter in _VALUED:
                    forms += [word[place:]] if letter == "w" and word[place:] else []
                    wanted = "" if word[place:] else letter
                    break
    return forms, letters, not letters.isdisjoint("oOI")


def _pattern(form: Word, dropped: bool) -> str:
    """Of the line of a format that has the status in it; "" where none has. Where the answer's text stands before
    it on that line, only its end is known."""
    if form is None or form.startswith("@") or "%{json}" in form:
        return UNKNOWN
    lines = _ESCAPED.sub(lambda found: _ESCAPES[found[1]], form).split("\n")
    for number, line in enumerate(lines):
        if _STATUS.search(line):
            parts = _VARIABLE.split(_STATUS.sub("\0", line.strip(), count=1).replace("%%", "%"))
            pattern = ".*".join(map(re.escape, parts)).replace(re.escape("\0"), r"(?P<code>\d{3})")
            begins = "^" if number or dropped else r"(?<!\d)"
            return f"{begins}{pattern}$"
    return ""
