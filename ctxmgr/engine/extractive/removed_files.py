"""Turns a shell command that worked into the files it moved or took away.

Only what stands there plainly: `mv a b`, `git mv`, `rm`, `git rm`, after `cd x &&` or alone. A command with a
wildcard, a variable, a substitution or a loop around it is not followed: what it did can not be told from its text.
"""

import re

COMMAND_CHARACTERS = 2_000  # a longer command is a script
MOST_FILES = 64  # of one command

_ANY = re.compile(r"\b(?:mv|rm)\s")
_JOINED = re.compile(r"&&|\|\||[;|\n]")
_UNTOLD = re.compile(r"[*?$`{}()<>\[\]\\]|\b(?:for|while|xargs|find)\b")
_AWAY = re.compile(r"\s+\d?>\s?(?:/dev/null|&\d)")  # output that is thrown away
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|\S+")


def gone(command: str) -> tuple[tuple[str, str], ...]:
    """(path as it was, path now or "") of each file; paths joined to the directory that `cd` names."""
    if len(command) > COMMAND_CHARACTERS or not _ANY.search(command):
        return ()
    found: list[tuple[str, str]] = []
    place = ""
    for part in _JOINED.split(_AWAY.sub("", command)):
        words = [word.strip("'\"") for word in _WORD.findall(part)]
        if words[:1] == ["git"]:
            words = words[1:]
        if not words or _UNTOLD.search(part):
            continue
        verb, named = words[0], [word for word in words[1:] if not word.startswith("-")]
        if verb == "cd" and len(named) == 1:
            place = _at(place, named[0])
        elif verb == "rm":
            found += [(_at(place, one), "") for one in named]
        elif verb == "mv" and len(named) >= 2:
            *old, new = named
            folder = len(old) > 1 or new.endswith("/") or new in (".", "..")
            found += [
                (_at(place, one), _at(place, f"{new}/{one.rpartition('/')[2]}" if folder else new)) for one in old
            ]
    return tuple(found[:MOST_FILES])


def _at(place: str, path: str) -> str:
    """A path from a directory, without `.` and `..` where they can be told away."""
    whole = path if path.startswith(("/", "~")) or not place else f"{place}/{path}"
    parts: list[str] = []
    for part in whole.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if whole.startswith("/") else "") + "/".join(parts)
