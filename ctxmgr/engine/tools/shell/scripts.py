"""Turns the words behind `sed` and `awk` into their options, and their scripts into the files those send text to.

Rules:

1. Letters may stand together behind one dash (`-nri.bak`); what stands behind `i` is a suffix, behind `e` and `f`
   a value.
2. A script that is not wholly understood may send text anywhere: to a file whose name is not known, None.
3. A script that holds what a shell would expand is taken for one that sends nothing.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of

_LONG = {
    "--in-place": "i",
    "--quiet": "n",
    "--silent": "n",
    "--expression": "e",
    "--file": "f",
    "--line-length": "l",
}
_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*)"
_COMMAND = re.compile(
    rf"[\s;]*(?:{_ADDRESS}(?:\s*,\s*(?:[+~]?\d+|{_ADDRESS}))?\s*(?:!\s*)?)?"
    r"(?:[{}]|(?:[=dDgGhHnNpPxzF]|[lqQ]\s*\d*|[:btT]\s*[\w.-]*|[rR][^\n]*|\#[^\n]*|[aic](?:[^\\\n]|\\.)*"
    r"|s(?P<mark>[^\w\s\\])(?:(?:(?!(?P=mark))[^\\]|\\.)*(?P=mark)){2}[gpIiMm\d]*"
    r"|y(?P<by>[^\w\s\\])(?:(?:(?!(?P=by))[^\\]|\\.)*(?P=by)){2})(?=[\s;}]|\Z))|[\s;]+\Z",
    re.DOTALL,
)
_SED_FILE = re.compile(r"(?<=[/\d$!{; \tgpI])w[ \t]+([^\s;}][^\n;}]*)")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_STATEMENT = re.compile(r"[;}\n]")
_PRINTED = re.compile(r"\bprintf?\b")
_ELSEWHERE = re.compile(r">|(?<!\|)\|(?!\|)")
_RUNS = re.compile(r"\bsystem[ \t]*\(|(?<!\|)\|&?[ \t]*getline")
_AWK_FILE = re.compile(r'(>>?)[ \t]*"([^"\\]+)"')

Sent = tuple[str, Word]


class SedCall(msgspec.Struct, frozen=True, gc=False):
    """`sed` by its options. `in_place`: it edits its files. `strange`: it has options that are not understood."""

    files: tuple[Word, ...]
    scripts: tuple[Word, ...]
    in_place: bool
    quiet: bool
    strange: bool
    from_file: bool


def sed_call(words: Sequence[Word]) -> SedCall:
    """What stands behind `sed`; an empty word is the suffix of another `sed`'s `-i`."""
    letters: set[str] = set()
    scripts: list[Word] = []
    files: list[Word] = []
    wanted = ""  # the letter that the next word is the value of
    plain = False
    for word in words:
        if wanted:
            scripts += [word] if wanted == "e" else []
            wanted = ""
        elif word == "--" and not plain:
            plain = True
        elif plain or word is None or not word.startswith("-") or word == "-":
            files += [] if word == "" else [word]
        else:
            told, value, wanted = _letters(word)
            letters |= told
            scripts += [value] if value else []
    if not scripts and "f" not in letters:
        scripts, files = files[:1], files[1:]
    strange = bool(letters - set("inEref"))
    return SedCall(tuple(files), tuple(scripts), "i" in letters, "n" in letters, strange, "f" in letters)


def _letters(word: str) -> tuple[set[str], str, str]:
    """(the letters of an option, the script in it, the letter that the next word belongs to)."""
    if word.startswith("--"):
        name, _, value = word.partition("=")
        letter = _LONG.get(name, "E" if name == "--regexp-extended" else "?")
        return {letter}, value if letter == "e" else "", letter if letter in "efl" and "=" not in word else ""
    told: set[str] = set()
    for place, letter in enumerate(word[1:], 2):
        told.add(letter)
        if letter == "i":
            break
        if letter in "efl":
            return told, word[place:] if letter == "e" else "", "" if word[place:] else letter
    return told, "", ""


def sent(command: ShellCommand) -> list[Sent]:
    """(">" or ">>", file) of what the script of a command sends to files; none for one that has no script."""
    name, words = name_of(command), command.words[1:]
    if name == "sed":
        call = sed_call(words)
        if call.from_file:
            return [(">", None)]
        return [one for script in call.scripts if script for one in _of_sed(script)]
    if name in ("awk", "gawk", "mawk"):
        return _of_awk(words)
    return []


def _of_sed(script: str) -> list[Sent]:
    place = 0
    while place < len(script):
        found = _COMMAND.match(script, place)
        if found is None:
            named = _SED_FILE.search(script, place)
            return [(">", named[1].strip() if named else None)]
        place = found.end()
    return []


def _of_awk(words: Sequence[Word]) -> list[Sent]:
    if any(word and word.startswith(("-f", "-i", "--file", "--include")) for word in words):
        return [(">", None)]
    found: list[Sent] = []
    for script in words:
        if script and _awk_sends(script if "/" in script else _STRINGS.sub('""', script)):
            found += _AWK_FILE.findall(script) or [(">", None)]
    return found


def _awk_sends(script: str) -> bool:
    """Does it print to something else than its output, or run a command?"""
    if ">" not in script and "|" not in script and "system" not in script:
        return False
    printed = ((part, _PRINTED.search(part)) for part in _STATEMENT.split(script))
    sends = any(at is not None and _ELSEWHERE.search(part, at.end()) for part, at in printed)
    return sends or _RUNS.search(script) is not None
