"""Turns the commands of one pipe into the lines of files that it prints, and reads the options of `sed`.

Rules:

1. A read is `cat`, `nl`, `sed -n` with lines, `head -n` or `tail -n +` of files that are named, or several of them
   behind one another. `tail -n` and `head -c` read lines that are not known from the call: not exact.
2. A file whose name is not known makes the whole none.
"""

import re
from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.engine.tools.effects import FileEffect
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of

SPOKEN_LINES = 10  # what head and tail show when no number is given

_COUNT = re.compile(r"(?:-n?|--lines=)([+-]?\d+)")
_SCRIPT = re.compile(r"(\d+)(?:,(\d+|\$))?p")

Span = tuple[int | None, int | None]
Spans = tuple[Span, ...] | None  # of each file; None where the lines are not known from the call


def reads(commands: Sequence[ShellCommand], directory: str) -> list[FileEffect]:
    """The files that a pipe of looks prints lines of; none where it prints anything else."""
    source = _SOURCES.get(name_of(commands[0]))
    if source is None:
        return []
    files, spans = source(commands[0].words[1:])
    if not files and files is not None and commands[0].source:
        files = [commands[0].source]
    if not files or any(not file for file in files):
        return []
    for command in commands[1:]:
        taken = _SOURCES.get(name_of(command))
        named, lines = taken(command.words[1:]) if taken else (None, None)
        if named is None or named or len(files) > 1 or spans is None or len(spans) > 1:
            return []
        if lines is None:
            spans = None
            break
        spans = tuple(_within(spans[0], line) for line in lines)
    paths = [joined(directory, file) for file in files if file]
    if any(path.startswith(UNKNOWN) for path in paths):
        return []
    if spans is None:
        return [FileEffect(path, "read", exact=False) for path in paths]
    return [FileEffect(path, "read", start, end) for path in paths for start, end in spans]


def head_lines(command: ShellCommand) -> int:
    """How many lines a `head` leaves; 0 where it counts otherwise."""
    number, _ = _number(command.words[1:])
    return int(number) if number and number.isdigit() else 0


def _within(outer: Span, inner: Span) -> Span:
    """Lines of what stands in these lines of a file."""
    first = outer[0] or 1
    start = first + (inner[0] or 1) - 1
    ends = [end for end in (outer[1], None if inner[1] is None else first + inner[1] - 1) if end is not None]
    return (None if start == 1 else start), min(ends, default=None)


Source = tuple[list[Word] | None, Spans]
WHOLE: Spans = ((None, None),)


def _cat(words: Sequence[Word]) -> Source:
    files = [word for word in words if not (word or "").startswith("-")]
    return files, WHOLE


def _nl(words: Sequence[Word]) -> Source:
    """`-b a` numbers empty lines too; what is numbered is shown all the same."""
    before = ("", *words)
    files = [
        word for word, last in zip(words, before, strict=False) if not (word or "").startswith("-") and last != "-b"
    ]
    return files, WHOLE


def _head(words: Sequence[Word]) -> Source:
    number, files = _number(words)
    if number is None or number.startswith(("-", "+")):
        return files, None
    return files, ((None, int(number)),)


def _tail(words: Sequence[Word]) -> Source:
    number, files = _number(words)
    if number is None or not number.startswith("+"):
        return files, None
    return files, ((max(1, int(number)), None),)


def _number(words: Sequence[Word]) -> tuple[str | None, list[Word]]:
    """(the number of lines as it is spelled, None for what is no number of lines; the files)."""
    number: str | None = str(SPOKEN_LINES)
    files: list[Word] = []
    wanted = ""  # the option that the next word is the value of
    for word in words:
        option = word or ""
        told = _COUNT.fullmatch(option)
        if wanted or told:
            given = told[1] if told and not wanted else option
            number = given if wanted != "-c" and re.fullmatch(r"[+-]?\d+", given) else None
            wanted = ""
        elif option in ("-n", "--lines", "-c", "--bytes"):
            wanted = "-c" if option in ("-c", "--bytes") else "-n"
        elif option.startswith("-") and option not in ("-q", "-"):
            number = None
        else:
            files.append(word)
    return number, files


def _sed(words: Sequence[Word]) -> Source:
    """Only `-n` with nothing but lines to print shows certain lines; another `-n` unknown ones, all else may show
    anything."""
    call = sed_call(words)
    if not call.quiet or call.is_strange or call.in_place or not call.scripts or None in call.scripts:
        return None, None
    parts = [part.strip() for script in call.scripts for part in (script or "").split(";") if part.strip()]
    matches = [_SCRIPT.fullmatch(part) for part in parts]
    spans = [_lines(match) for match in matches if match is not None]
    return list(call.files), tuple(spans) if spans and len(spans) == len(matches) else None


def _lines(script: re.Match[str]) -> Span:
    start, last = int(script[1]), script[2] or script[1]
    return (None if start <= 1 else start), (None if last == "$" else int(last))


_SOURCES: dict[str, Callable[[Sequence[Word]], Source]] = {
    "cat": _cat,
    "bat": _cat,
    "nl": _nl,
    "head": _head,
    "tail": _tail,
    "sed": _sed,
}


class SedCall(msgspec.Struct, frozen=True, gc=False):
    """`sed` by its options. `in_place`: it edits its files. `is_strange`: it has options that are unknown."""

    files: tuple[Word, ...]
    scripts: tuple[Word, ...]
    in_place: bool
    quiet: bool
    is_strange: bool


_LONG = {"--in-place": "i", "--quiet": "n", "--silent": "n", "--regexp-extended": "E"}


def sed_call(words: Sequence[Word]) -> SedCall:
    """What stands behind `sed`. Letters may stand together behind one dash (`-nri.bak`); what stands behind `i` is
    a suffix, and an empty word is the suffix of another `sed`'s `-i`."""
    letters: set[str] = set()
    scripts: list[Word] = []
    files: list[Word] = []
    is_script = False  # the next word
    for word in words:
        if is_script:
            scripts.append(word)
            is_script = False
        elif word is None or not word.startswith("-") or word == "-":
            files += [] if word == "" else [word]
        elif word.startswith("--"):
            name, _, value = word.partition("=")
            is_script = name == "--expression" and not value
            scripts += [value] if name == "--expression" and value else []
            letters.add("e" if name == "--expression" else _LONG.get(name, "?"))
        else:
            end = next((index for index, letter in enumerate(word) if letter in "ie"), len(word) - 1)
            letters |= set(word[1 : end + 1])
            if word[end] == "e":
                scripts += [word[end + 1 :]] if word[end + 1 :] else []
                is_script = not word[end + 1 :]
    if not scripts and letters.isdisjoint("ef"):
        scripts, files = files[:1], files[1:]
    if not letters.isdisjoint("f?"):  # which of the words are files is not known
        files = []
    return SedCall(tuple(files), tuple(scripts), "i" in letters, "n" in letters, bool(letters - set("inEre")))
