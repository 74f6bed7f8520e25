"""Turns the arguments of a call into its effects, one function for each kind of tool.

Rules:

1. What is not surely a read of certain lines is no exact read: from which number a host counts an `offset` is told
   by the catalog's row, and an argument that nobody knows may ask for less.
2. A write surely holds the whole text where the call has one and does not say that it is put behind another.
3. A call may do several things; one that also prints what is no file's text has an effect "run" or "list" too.
4. Of a list of files or edits each is told. Where neither a file nor a patch is named there is no effect.

It knows only what the call says, not how it ended.
"""

from collections.abc import Callable

import msgspec

from ctxmgr.engine.tools import codex_exec, patches
from ctxmgr.engine.tools.arguments import CallArguments
from ctxmgr.engine.tools.effects import CERTAIN, RUN, CallEffects, FileEffect
from ctxmgr.engine.tools.names import EffectKind, kind_of
from ctxmgr.engine.tools.paths import normal
from ctxmgr.engine.tools.shell import of_patch, of_shell, quoted, replaced

SHELLS = frozenset(("bash", "sh", "zsh", "dash", "pwsh", "powershell", "cmd"))
PATCH_PROGRAMS = frozenset(("apply_patch", "applypatch"))


class Counting(msgspec.Struct, frozen=True):
    """How a tool's lines are counted. `from_one`: an `offset` is the number of a line, the first is 1; else nobody
    knows. `listed`: the catalog has a row of the tool."""

    from_one: bool = False
    listed: bool = True


def read(given: CallArguments, counting: Counting) -> CallEffects:
    several = [part for part in given.parts if part.path]
    if several:
        return CallEffects(tuple(_lines(part, Counting(listed=False), part.path) for part in several), repeats=True)
    paths = given.several
    if len(paths) > 1 or given.has("paths"):
        return CallEffects(tuple(FileEffect(path, "read", exact=False) for path in paths), repeats=bool(paths))
    return CallEffects((_lines(given, counting, given.path),), repeats=True) if given.path else CallEffects()


def _lines(given: CallArguments, counting: Counting, path: str) -> FileEffect:
    """A read of one file, with the lines that it asks for (rule 1)."""
    if given.has("line") or given.parts:
        return FileEffect(path, "read", exact=False)
    exact = counting.listed and not any(_narrows(given, name) for name in given.arguments)
    view = next((value for value in given.values("range") if isinstance(value, list)), None)
    if view is not None and len(view) == 2 and all(isinstance(one, int) for one in view):
        return FileEffect(path, "read", _from(view[0]), view[1] if view[1] > 0 else None, exact)
    start, end = given.number("start"), given.number("end")
    if start is not None or end is not None:
        return FileEffect(path, "read", _from(start), end, exact)
    offset, limit = given.number("offset"), given.number("limit")
    if counting.from_one:
        first = offset or 1
        return FileEffect(path, "read", _from(first), None if limit is None else first + limit - 1, exact)
    first = offset or 0
    last = None if limit is None else first + limit
    return FileEffect(path, "read", _from(max(1, first)), last, exact and offset is None and limit is None)


def _from(start: int | None) -> int | None:
    """A file's first line is None."""
    return None if start is None or start <= 1 else start


def _narrows(given: CallArguments, name: str) -> bool:
    """May an argument that nobody knows ask for less than the file?"""
    value = given.arguments[name]
    return (
        given.role(name) in ("", "query", "pattern")
        and isinstance(value, str | int)
        and value not in ("", 0, None)
        and not isinstance(value, bool)
    )


def write(given: CallArguments, counting: Counting) -> CallEffects:
    several = [part for part in given.parts if part.path]
    if several:
        return CallEffects(tuple(_written(part, counting, part.path) for part in several))
    return CallEffects(tuple(_written(given, counting, path) for path in given.several or (given.path,) if path))


def _written(given: CallArguments, counting: Counting, path: str) -> FileEffect:
    added = given.arguments.get("append") is True or given.arguments.get("mode") in ("append", "a")
    if added or given.has("start", "offset", "old text"):
        return FileEffect(path, "edit", grown=None)
    return FileEffect(path, "write", exact=counting.listed or given.text("content", "new text") is not None)


def edit(given: CallArguments, counting: Counting) -> CallEffects:
    """Edits in a list are told by file where each names one, else all are of the call's file."""
    several = [part for part in given.parts if part.path]
    if several:
        return CallEffects(tuple(FileEffect(part.path, "edit", grown=grown(part)) for part in several))
    if given.patch is not None and not given.path:
        return CallEffects(of_patch(given.patch, ""))
    paths = given.several or ((given.path,) if given.path else ())
    if not paths and given.has("start"):  # of the window that is open
        paths = ("",)
    return CallEffects(tuple(FileEffect(path, "edit", grown=grown(given)) for path in paths))


def grown(given: CallArguments) -> int | None:
    """By how many lines an edit may move what follows it; None where its arguments do not say."""
    lists = [value for value in given.arguments.values() if isinstance(value, list) and value]
    if given.parts or lists:
        moved = [_moved(part) for part in given.parts]
        known = [one for one in moved if one is not None]
        return sum(known) if known and len(known) == len(moved) == sum(map(len, lists)) else None
    return _moved(given)


def _moved(given: CallArguments) -> int | None:
    """The same of one edit."""
    old, new = given.text("old text"), given.text("new text")
    start, end = given.number("start"), given.number("end")
    if new is not None and start is not None and end is not None:
        return replaced(start, end, new.count("\n") + 1)
    if new is not None and old is None and given.has("line"):
        return new.count("\n") + 1
    if old is None or new is None:
        return None
    lines = abs(new.count("\n") - old.count("\n"))
    return None if lines and any(map(_is_several, given.arguments.items())) else lines


def _is_several(argument: tuple[str, object]) -> bool:
    """`replace_all`, `allow_multiple`, `expected_replacements: 3`: the edit may be made more than once."""
    name, value = argument[0].casefold(), argument[1]
    if value is True:
        return "all" in name or "multiple" in name
    return "replacements" in name and isinstance(value, int) and value > 1


def editor(given: CallArguments, counting: Counting) -> CallEffects:
    """An editor that is told by an argument what to do: `view`, `create`, `str_replace`, `insert`."""
    return FAMILIES[editing(given)](given, counting)


def editing(given: CallArguments) -> EffectKind:
    """What an editor is told to do."""
    kind = kind_of(given.text("command", "operation") or "")
    return kind if kind in ("read", "write", "edit", "delete") else ""


def patch(given: CallArguments, counting: Counting) -> CallEffects:
    """A patch that names its files, or one beside the path of its only one; of an operation the file alone."""
    if given.patch is not None and not given.path:
        return CallEffects(of_patch(given.patch, ""))
    inside = next((part for part in given.parts if part.path), given)
    kind = editing(inside)
    return FAMILIES[kind or "edit"](inside, counting)


def delete(given: CallArguments, counting: Counting) -> CallEffects:
    paths = given.several or ((given.path,) if given.path else ())
    return CallEffects(tuple(FileEffect(path, "delete") for path in paths))


def move(given: CallArguments, counting: Counting) -> CallEffects:
    old = normal(given.text("source", "path") or "")
    new = normal(given.text("destination") or "")
    if old and new:
        return CallEffects((FileEffect(old, "move", to=new),))
    return CallEffects((FileEffect(old, "edit", grown=None),) if old else ())


def copy(given: CallArguments, counting: Counting) -> CallEffects:
    new = normal(given.text("destination") or "")
    return CallEffects((FileEffect(new, "write", exact=False),) if new else ())


def scroll(given: CallArguments, counting: Counting) -> CallEffects:
    return CallEffects((FileEffect("", "read", exact=False),))


def look(kind: EffectKind) -> Callable[[CallArguments, Counting], CallEffects]:
    """A look of this kind. One of a tool that nobody listed may not show the same again."""

    def at(given: CallArguments, counting: Counting) -> CallEffects:
        return CallEffects((FileEffect(given.place, kind),), repeats=counting.listed)

    return at


def run(given: CallArguments, counting: Counting) -> CallEffects:
    """What a shell is handed, or a script that hands it to one; code of another kind is run."""
    directory = normal(given.text("working directory", "directory") or "")
    argv = next((value for value in given.values("command") if isinstance(value, list)), None)
    if (
        argv is not None
        and len(argv) == 2
        and all(isinstance(one, str) for one in argv)
        and argv[0] in PATCH_PROGRAMS
    ):
        return CallEffects(of_patch(argv[1], directory))
    line = command(given)
    if line and patches.is_patch(line):
        return CallEffects(of_patch(line, directory))
    if line and not given.has("command") and codex_exec.is_script(line):
        return _script(line, directory)
    if line:
        return msgspec.structs.replace(of_shell(line, directory), command=line)
    return CallEffects((RUN,)) if argv or given.text("content") else CallEffects()


def command(given: CallArguments) -> str:
    """The command line of a call, its words quoted where it was a list of them; "" for none."""
    for value in given.values("command", "input"):
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return _line(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _line(argv: list[str]) -> str:
    """`bash -lc "x"` is x; several command lines are one a line."""
    program = argv[0].rpartition("/")[2].removesuffix(".exe")
    if len(argv) == 3 and argv[1] in ("-lc", "-c", "-Command") and program in SHELLS:
        return argv[2]
    if len(argv) > 1 and all(" " in one for one in argv):
        return "\n".join(argv)
    return argv[0] if len(argv) == 1 else " ".join(map(quoted, argv))


def _script(given: str, directory: str) -> CallEffects:
    done = codex_exec.run(given)
    parts = [of_shell(line, place or directory) for line, place in done.commands]
    found = [effect for part in parts for effect in part.effects]
    found += [effect for text in done.patches for effect in of_patch(text, directory)]
    if not done.whole:
        found = [RUN, *map(_unsure, found)]
    again = done.whole and not done.patches and bool(parts) and all(part.repeats for part in parts)
    line = _commands(done)
    status = of_shell(line).status if line else CERTAIN
    return CallEffects(tuple(found), again, command=line, scripted=True, status=status)


def _commands(done: codex_exec.ScriptRun) -> str:
    return " && ".join(dict.fromkeys(line for line, _ in done.commands))


def scripted(given: CallArguments) -> str:
    """The command lines that a script hands to a shell, as one; "" for none."""
    line = given.text("input") if not given.has("command") else None
    return _commands(codex_exec.run(line)) if line and codex_exec.is_script(line) else ""


def _unsure(effect: FileEffect) -> FileEffect:
    """What a script does that is known in parts alone."""
    return msgspec.structs.replace(effect, exact=False, grown=None if effect.kind == "edit" else effect.grown)


def nothing(given: CallArguments, counting: Counting) -> CallEffects:
    return CallEffects()


FAMILIES: dict[str, Callable[[CallArguments, Counting], CallEffects]] = {
    "read": read,
    "write": write,
    "edit": edit,
    "delete": delete,
    "move": move,
    "copy": copy,
    "list": look("list"),
    "search": look("search"),
    "fetch": look("fetch"),
    "run": run,
    "plan": nothing,
    "delegate": nothing,
    "": nothing,
    "editor": editor,
    "patch": patch,
    "scroll": scroll,
}
