"""Finds the files whose lines the commands of one pipe print, and reads the options of `sed`.

Rules:

1. A read is `cat`, `nl`, `sed -n`, `head` or `tail` of named files, or several of them in sequence. Only `cat` and
   `nl` show a whole file.
2. With a file of unknown name it is no read.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.tools.effects import FileEffect
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of

_WHOLE = ("cat", "bat", "nl")
_COUNTS = ("-n", "--lines", "-c", "--bytes")  # options of `head` and `tail` with a value


def reads(commands: Sequence[ShellCommand], directory: str) -> list[FileEffect]:
    """The files whose lines a pipe of looks prints; none if it prints anything else."""
    first = commands[0]
    files = _shown(first)
    if files == [] and first.source:
        files = [first.source]
    if (
        not files
        or (len(files) > 1 and len(commands) > 1)
        or any(_shown(command) != [] for command in commands[1:])
    ):
        return []
    paths = [joined(directory, file) if file else "" for file in files]
    if any(not path or path.startswith(UNKNOWN) for path in paths):
        return []
    whole = len(commands) == 1 and name_of(first) in _WHOLE
    return [FileEffect(path, "read", whole) for path in paths]


def _shown(command: ShellCommand) -> list[Word] | None:
    """The files whose lines a command prints; None if it prints anything else."""
    name, words = name_of(command), command.words[1:]
    pairs = zip(words, ("", *words), strict=False)
    if name in _WHOLE:  # `nl -b a` also numbers empty lines
        return [word for word, last in pairs if not (word or "").startswith("-") and (name != "nl" or last != "-b")]
    if name in ("head", "tail"):
        unvalued = (word for word, last in pairs if last not in _COUNTS)
        return [word for word in unvalued if word == "-" or not (word or "").startswith("-")]
    call = sed_call(words)
    prints = name == "sed" and call.quiet and not call.is_strange and not call.in_place
    return list(call.files) if prints and call.scripts and None not in call.scripts else None


class SedCall(msgspec.Struct, frozen=True, gc=False):
    """`sed` by its options. `in_place`: it edits its files. `is_strange`: it has unknown options."""

    files: tuple[Word, ...]
    scripts: tuple[Word, ...]
    in_place: bool
    quiet: bool
    is_strange: bool


_LONG = {"--in-place": "i", "--quiet": "n", "--silent": "n", "--regexp-extended": "E"}


def sed_call(words: Sequence[Word]) -> SedCall:
    """The words behind `sed`. Letters may be combined behind one dash (`-nri.bak`); what follows `i` is a suffix,
    and an empty word is the suffix of another `sed`'s `-i`.
    """
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
    if not letters.isdisjoint("f?"):  # which of the words are files is unknown
        files = []
    return SedCall(tuple(files), tuple(scripts), "i" in letters, "n" in letters, bool(letters - set("inEre")))
