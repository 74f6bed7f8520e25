"""Turns a tool call into the files it touches: which of them it reads, writes, edits or lists, and which lines.

Rules:

1. A tool is told by its name and the names of its arguments, whatever the host: those of pi, Claude Code, Codex,
   OpenCode, OpenHands, SWE-agent, and tools like them.
2. What is not surely a read of certain lines is no exact read: from which number a host counts an offset is known
   of those that call it `offset` beside `path` or `file_path` in a tool `read`.
3. A call may do several things; one that also prints what is no file's text has a touch "run" or "list" too.
4. A tool that is not known touches nothing.

It knows only what the call says, not how it ended.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ctxmgr.engine.tools import codex_exec, patches
from ctxmgr.engine.tools.paths import normal
from ctxmgr.engine.tools.shell.changes import RUN, of_patch
from ctxmgr.engine.tools.shell.lines import of_shell
from ctxmgr.engine.tools.shell.swe_agent import SCROLLS, replaced
from ctxmgr.engine.tools.touch import Reading, Touch

Arguments = Mapping[str, Any]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHELLS = _words(
    "bash sh shell exec execcommand shellcommand runcommand runshellcommand runterminalcmd runinterminal terminal"
    " localshell executebash executecommand"
)
_READS = _words("read readfile view viewfile openfile fileread open")
_WRITES = _words("write writefile writetofile createfile create filewrite")
_EDITS = _words(
    "edit multiedit editfile strreplace replace replaceinfile searchreplace insert notebookedit fileedit"
)
_EDITORS = _words("strreplaceeditor strreplacebasededittool fileeditor texteditor")
_PATCHES = _words("applypatch patch applydiff")
_LOOKS = _words(
    "grep glob find ls list listfiles listdirectory listdir readdir search searchfiles filesearch grepsearch"
    " codesearch codebasesearch findfile searchdir searchfile websearch webfetch fetch lsp todoread tasklist"
)
_SCROLLS = frozenset(name.replace("_", "") for name in SCROLLS)
_PATHS = ("path", "file_path", "filePath", "filename", "file", "notebook_path", "absolute_path", "target_file")
_STARTS = ("start_line", "startLine", "line_start", "start_line_one_indexed")
_ENDS = ("end_line", "endLine", "line_end", "end_line_one_indexed", "end_line_one_indexed_inclusive")
_OLD = ("oldText", "old_string", "oldString", "old_str", "old_text", "search")
_NEW = ("newText", "new_string", "newString", "new_str", "new_text", "replace", "replacement_text")
_COMMANDS = ("command", "cmd", "commands", "script", "input")
_DIRECTORIES = ("workdir", "cwd", "working_directory", "directory")
_NOT_NAME = re.compile(r"[^a-z0-9]+")


def touches(tool: str, arguments: Arguments) -> tuple[Touch, ...]:
    """What a call touches, in the order it does so."""
    return reading(tool, arguments).touches


def reading(tool: str, arguments: Arguments) -> Reading:
    """All that is known of a call before its result. Never raises: arguments may be of any type."""
    name = _NOT_NAME.sub("", tool.rpartition("__")[2].rpartition(".")[2].casefold())
    read = _TOOLS.get(name)
    return read(name, arguments) if read is not None else Reading()


def _text(arguments: Arguments, names: tuple[str, ...]) -> str | None:
    return next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)


def _number(arguments: Arguments, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53:
            return int(value)
    return None


def _path(arguments: Arguments) -> str:
    return normal(_text(arguments, _PATHS) or "")


# one function a family of tools


def _read(name: str, arguments: Arguments) -> Reading:
    path = _path(arguments)
    several = arguments.get("paths")
    if not path and isinstance(several, list) and all(isinstance(one, str) for one in several):
        return Reading(tuple(Touch(normal(one), "read") for one in several), repeats=True)
    if not path:
        return Reading()
    if "line_number" in arguments:
        return Reading((Touch(path, "read", exact=False),), repeats=True)
    start, end, exact = _asked(name, arguments)
    return Reading((Touch(path, "read", None if start in (0, 1) else start, end, exact),), repeats=True)


def _asked(name: str, arguments: Arguments) -> tuple[int | None, int | None, bool]:
    """(first line, last line, whether these are surely the lines) that a read asks for."""
    view = arguments.get("view_range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(one, int) for one in view):
        return max(1, view[0]), view[1] if view[1] > 0 else None, True
    start, end = _number(arguments, _STARTS), _number(arguments, _ENDS)
    if start is not None or end is not None:
        return start, end, True
    offset, limit = _number(arguments, ("offset",)), _number(arguments, ("limit",))
    if name == "read" and "filePath" not in arguments:
        first = max(1, offset or 1)
        return first, None if limit is None else first + limit - 1, True
    first = offset or 0
    return max(1, first), None if limit is None else first + limit, offset is None and limit is None


def _write(name: str, arguments: Arguments) -> Reading:
    path = _path(arguments)
    return Reading((Touch(path, "write"),)) if path else Reading()


def _edit(name: str, arguments: Arguments) -> Reading:
    path = _path(arguments)
    if not path and "start_line" not in arguments:
        return Reading()
    return Reading((Touch(path, "edit", grown=_grown(arguments)),))


def _grown(arguments: Arguments) -> int | None:
    """By how many lines an edit may move what follows it; None where its arguments do not say."""
    several = arguments.get("edits")
    if isinstance(several, list):
        moved = [_grown({**one, "edits": None}) if isinstance(one, dict) else None for one in several]
        known = [one for one in moved if one is not None]
        return sum(known) if len(known) == len(moved) else None
    old, new = _text(arguments, _OLD), _text(arguments, _NEW)
    start, end = _number(arguments, ("start_line",)), _number(arguments, ("end_line",))
    if new is not None and start is not None and end is not None:
        return replaced(start, end, new.count("\n") + 1)
    if new is not None and "insert_line" in arguments:
        return new.count("\n") + 1
    if old is None or new is None:
        return None
    grown = abs(new.count("\n") - old.count("\n"))
    everywhere = arguments.get("replace_all") or arguments.get("replaceAll")
    return None if grown and everywhere else grown


def _editor(name: str, arguments: Arguments) -> Reading:
    """An editor that is told by `command` what to do."""
    act = {"view": _read, "create": _write, "str_replace": _edit, "insert": _edit}
    done = act.get(str(arguments.get("command")))
    return done("view", arguments) if done is not None else Reading()


def _patch(name: str, arguments: Arguments) -> Reading:
    given = next(
        (value for value in arguments.values() if isinstance(value, str) and patches.is_patch(value)), None
    )
    return Reading(of_patch(given, "")) if given is not None else Reading()


def _scroll(name: str, arguments: Arguments) -> Reading:
    return Reading((Touch("", "read", exact=False),))


def _look(name: str, arguments: Arguments) -> Reading:
    return Reading((Touch(_path(arguments), "list"),), repeats=True)


def _shell(name: str, arguments: Arguments) -> Reading:
    directory = normal(_text(arguments, _DIRECTORIES) or "")
    given = next((arguments[name] for name in _COMMANDS if name in arguments), None)
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        if len(given) == 3 and given[1] in ("-lc", "-c"):
            given = given[2]
        elif len(given) == 2 and given[0] in ("apply_patch", "applypatch"):
            return Reading(of_patch(given[1], directory), shell=True)
        else:
            return Reading((RUN,), shell=True)
    if not isinstance(given, str) or not given.strip():
        return Reading()
    if patches.is_patch(given):
        return Reading(of_patch(given, directory), shell=True)
    return (
        _script(given, directory)
        if "input" in arguments and codex_exec.is_script(given)
        else of_shell(given, directory)
    )


def _script(given: str, directory: str) -> Reading:
    done = codex_exec.run(given)
    if done is None:
        return Reading((RUN,), shell=True)
    parts = [of_shell(line, place or directory) for line, place in done.commands]
    found = [touch for part in parts for touch in part.touches]
    found += [touch for patch in done.patches for touch in of_patch(patch, directory)]
    return Reading(tuple(found), not done.patches and all(part.repeats for part in parts), shell=True)


_TOOLS: dict[str, Callable[[str, Arguments], Reading]] = {
    **dict.fromkeys(_SHELLS, _shell),
    **dict.fromkeys(_READS, _read),
    **dict.fromkeys(_WRITES, _write),
    **dict.fromkeys(_EDITS, _edit),
    **dict.fromkeys(_EDITORS, _editor),
    **dict.fromkeys(_PATCHES, _patch),
    **dict.fromkeys(_LOOKS, _look),
    **dict.fromkeys(_SCROLLS, _scroll),
}
