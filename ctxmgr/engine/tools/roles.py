"""Turns the name of an argument into its role, whatever the host that named it.

Rules:

1. A name is read by its words: `file_path`, `filePath`, `AbsolutePath` and `target_file` name a file alike. Numbers
   at its end do not count (`old_str_1`).
2. Whole names come first (`WHOLE`), then the last word decides, and the words before it what of that it is.
3. A role says what an argument may be. Whether it is that is for who reads the value: `before` is text in an edit,
   and a count of lines in a search.
"""

import re
from functools import lru_cache
from typing import Literal

ArgumentRole = Literal[
    "path", "paths", "source", "destination", "directory", "working directory", "old text", "new text", "content",
    "patch", "command", "input", "pattern", "query", "filter", "url", "start", "end", "offset", "limit", "range",
    "line", "tasks", "task", "about", "operation", "tool", "arguments", "id", "task id", "status", "aside", "",
]  # fmt: skip
NAME_CHARACTERS = 80  # a longer name is no argument's of any tool

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `readFile`, `read_file` and `ReadFile` have the same."""
    return tuple(word.casefold() for word in _WORD.findall(name[: 2 * NAME_CHARACTERS]))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _whole(*rows: tuple[ArgumentRole, str]) -> dict[str, ArgumentRole]:
    return {name: role for role, names in rows for name in names.split()}


WHOLE: dict[str, ArgumentRole] = _whole(
    ("path", "path file filename filepath pathname fname notebook"),
    ("paths", "paths files filepaths filenames filelist"),
    ("source", "source src oldpath oldname frompath"),
    ("destination", "destination dest dst newpath topath target"),
    ("working directory", "cwd workdir workingdirectory workingdir cd"),
    ("old text", "old before original search find oldcode originallines"),
    ("new text", "new after replacement replace newcode codeedit updatedlines replacementtext"),
    ("content", "content contents text body filetext code newsource codecontent filecontent data"),
    ("patch", "patch diff patchtext unifieddiff patchcontent"),
    ("command", "command commands cmd cmds cmdline commandline shellcommand script"),
    ("input", "input"),
    ("pattern", "pattern regex regexp globpattern searchpattern"),
    ("query", "query queries searchterm searchquery q"),
    ("filter", "glob include includes includepattern filepattern fileglob"),
    ("url", "url urls uri uris href"),
    ("start", "startline linestart fromline startlineoneindexed start"),
    ("end", "endline lineend toline endlineoneindexed endlineoneindexedinclusive end"),
    ("offset", "offset lineoffset"),
    ("limit", "limit nlines numlines linecount maxlines"),
    ("range", "viewrange readrange linerange lineranges range lines"),
    ("line", "line linenumber insertline anchorline"),
    ("tasks", "todos plan tasks items todolist tasklist"),
    ("task", "subject"),
    ("task id", "taskid todoid"),
    ("status", "status"),
    ("operation", "operation action op type"),
    ("tool", "toolname"),
    ("arguments", "arguments"),
    ("id", "id"),
    (
        "aside",
        "description timeout timeoutms yieldtimems maxoutputtokens justification securityrisk explanation"
        " reasoning reason instruction instructions intent requiresapproval",
    ),
)
_LAST = _whole(  # of a name of several words, by the last
    ("command", "command cmd commands"),
    ("patch", "patch diff"),
    ("pattern", "pattern regex"),
    ("query", "query queries"),
    ("url", "url urls uri uris"),
    ("content", "content contents"),
    ("tasks", "todos todolist"),
)
_DIRECTORIES = _words("dir directory folder directories dirs folders")
_OLD = _words("old original find before previous search target")
_NEW = _words("new replacement replace updated after modified")
_TEXTS = _words("text str string strings content contents lines code block snippet value")


@lru_cache(maxsize=4_096)
def role_of(name: str) -> ArgumentRole:
    """The role of an argument by its name alone; "" for one that no rule knows."""
    if len(name) > NAME_CHARACTERS:
        return ""
    words = [word for word in words_of(name) if not word.isdigit()]
    role = WHOLE.get("".join(words))
    if role is not None or not words:
        return role or ""
    last, rest = words[-1], frozenset(words[:-1])
    if rest & {"exclude", "ignore", "include", "filter"}:
        return "filter"
    if last in _DIRECTORIES:
        return "working directory" if rest & {"working", "work", "current"} else "directory"
    if last in ("path", "file", "filename", "filepath", "paths", "files", "filepaths", "filenames"):
        return _path(last, rest)
    if last in ("uri", "url") and rest & {"file", "document"}:
        return "path"
    if words[0] == "path" and rest & {"in", "of", "to"}:
        return "path"
    if last in _TEXTS and words[0] in _OLD | _NEW:
        return "old text" if words[0] in _OLD else "new text"
    return _other(last, rest)


def _path(last: str, rest: frozenset[str]) -> ArgumentRole:
    if rest & {"name", "attachment", "attachments"}:  # of what is in a file, as `name_path`, or goes along
        return ""
    if rest & _DIRECTORIES:
        return "directory"
    if last.endswith("s"):
        return "paths"
    if rest & {"source", "src", "old", "from"}:
        return "source"
    return "destination" if rest & {"destination", "dest", "dst", "new", "to"} else "path"


def _other(last: str, rest: frozenset[str]) -> ArgumentRole:
    if last == "text":
        return "content" if "file" in rest else ""
    role = _LAST.get(last, "")
    return "filter" if role == "pattern" and rest else role
