"""Turns a script that is handed to Python (`python -`, `python -c`) into the files that it writes and deletes.

Rules:

1. Read are `open(..., "w")`, `Path(...).write_text` and their like, of a path that stands in the script: in place,
   in the name that it was given last, in a list that a loop goes over, or behind `/`.
2. What stands in a string or a comment is no code. A path that is put together is not known.
"""

import re

import msgspec

from ctxmgr.engine.tools.shell.words import ShellCommand, name_of

MOST_CHARACTERS = 100_000

_PYTHON = re.compile(r"python[\d.]*")
_TEXTS = re.compile(
    r"(?P<prefix>\b[A-Za-z]{1,2})?(?P<text>'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")|\#[^\n]*",
    re.DOTALL,
)
_A_PATH = re.compile(r"[\w./~+@-]{1,200}")
_PATH = r"'[^'\n]*'"
_VALUE = rf"(?:(?:pathlib\.)?Path\([ \t]*{_PATH}[ \t]*\)|{_PATH}|(?<![\w.])[A-Za-z_]\w*)(?:[ \t]*/[ \t]*{_PATH})*"
_READ = re.compile(
    rf"(?:^|(?<=;))[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*=(?!=)[ \t]*(?:(?P<value>{_VALUE})(?=[ \t]*(?:;|$)))?"
    rf"|\bfor[ \t]+(?P<each>\w+)[ \t]+in[ \t]+(?P<listed>[\[(](?:\s*{_PATH}\s*,?)+\s*[\])])?"
    rf"|\bopen\(\s*(?P<opened>{_VALUE})\s*,\s*(?:mode\s*=\s*)?'[rbtU]*[wax+][wbtx+]*'"
    rf"|\bos\.(?:remove|unlink)\(\s*(?P<removed>{_VALUE})\s*\)"
    rf"|\(?(?P<path>{_VALUE})\)?\.(?:write_(?:text|bytes)\(|open\(\s*(?:mode\s*=\s*)?'[wax]|(?P<unlinks>unlink\())",
    re.MULTILINE,
)
_PARTS = re.compile(rf"{_PATH}|[A-Za-z_]\w*")


class FileOfScript(msgspec.Struct, frozen=True, gc=False):
    """A file that a script writes, or deletes."""

    path: str
    is_deleted: bool = False


def script_of(command: ShellCommand) -> str:
    """The script that an unwrapped command hands to Python; "" for none."""
    if not _PYTHON.fullmatch(name_of(command)):
        return ""
    words = command.words[1:]
    while words and words[0] in ("-u", "-B", "-I", "-E", "-s", "-S"):
        words = words[1:]
    if words[:1] == ("-c",):
        return (words[1] or "") if len(words) > 1 else ""
    return command.stdin or "" if words[:1] in ((), ("-",)) else ""


def files_of(script: str) -> list[FileOfScript]:
    """In their order, each once. Time is linear in the script."""
    if len(script) > MOST_CHARACTERS:
        return []
    names: dict[str, tuple[str, ...]] = {}
    found: dict[FileOfScript, None] = {}
    for one in _READ.finditer(_TEXTS.sub(_without_text, script)):
        if one["name"]:
            names[one["name"]] = _paths(one["value"] or "", names)
        elif one["each"]:
            names[one["each"]] = tuple(part.strip("'") for part in _PARTS.findall(one["listed"] or ""))
        else:
            told = one["opened"] or one["removed"] or one["path"] or ""
            deleted = bool(one["removed"] or one["unlinks"])
            found |= dict.fromkeys(FileOfScript(path, deleted) for path in _paths(told, names) if path)
    return list(found)


def _without_text(text: re.Match[str]) -> str:
    """A string that may be a path, in single quotes, and nothing of another (rule 2)."""
    if not text["text"]:
        return ""
    inside = text["text"].strip("'\"")
    known = "f" not in (text["prefix"] or "").lower() and _A_PATH.fullmatch(inside)
    return f"'{inside}'" if known else "0"


def _paths(value: str, names: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What a value stands for; none where that is not known."""
    first, *rest = [part for part in _PARTS.findall(value) if part not in ("pathlib", "Path")] or [""]
    before = (first.strip("'"),) if first.startswith("'") else names.get(first, ())
    behind = "".join("/" + part.strip("'") for part in rest)
    return tuple(f"{path}{behind}" for path in before)
