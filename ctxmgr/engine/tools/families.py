"""Turns the arguments of a call into its effects, one function for each kind of tool.

Rules:

1. A read with an argument for lines, or an unknown one, may be of a part of the file.
2. A write certainly holds the whole text if the call has one and does not say that it is appended.
3. A call may do several things; one that also prints text of no file has an effect "run" or "list" too.
4. Of a list of files or edits each is reported. Without a file or patch there is no effect.

It only knows what the call says, not how it ended.
"""

from collections.abc import Callable

from msgspec import structs

from ctxmgr.engine.tools import codex_exec, patches
from ctxmgr.engine.tools.arguments import CallArguments
from ctxmgr.engine.tools.effects import RUN, CallEffects, FileEffect, Shell
from ctxmgr.engine.tools.names import EffectKind, kind_of
from ctxmgr.engine.tools.paths import normal
from ctxmgr.engine.tools.shell import of_patch, of_shell, quoted, status_of

SHELLS = frozenset(("bash", "sh", "zsh", "dash", "pwsh", "powershell", "cmd"))
PATCH_PROGRAMS = frozenset(("apply_patch", "applypatch"))


Read = Callable[[CallArguments, bool], CallEffects]
"""Arguments, and whether the catalog has a row of the tool, to effects."""

_NARROWING = frozenset(("", "query", "pattern", "start", "end", "range", "line", "offset", "limit"))


def read(given: CallArguments, listed: bool) -> CallEffects:
    paths = tuple(part.path for part in given.parts if part.path)
    if not paths and (len(given.several) > 1 or given.has("paths")):
        paths = given.several
    if paths:
        return CallEffects(tuple(FileEffect(path, "read", whole=False) for path in paths), repeats=True)
    if not given.path:
        return CallEffects()
    whole = listed and not given.parts and not any(_narrows(given, name) for name in given.arguments)
    return CallEffects((FileEffect(given.path, "read", whole),), repeats=True)


def _narrows(given: CallArguments, name: str) -> bool:
    """Whether an argument may limit the read to a part of the file."""
    role, value = given.role(name), given.arguments[name]
    if role not in _NARROWING or not isinstance(value, str | int | list) or isinstance(value, bool):
        return False
    return value not in ("", 0) and not (value == 1 and role in ("start", "offset"))


def write(given: CallArguments, listed: bool) -> CallEffects:
    several = [(part, part.path) for part in given.parts if part.path]
    written = several or [(given, path) for path in _paths(given)]
    return CallEffects(tuple(_written(of, listed, path) for of, path in written))


def _written(given: CallArguments, listed: bool, path: str) -> FileEffect:
    added = given.arguments.get("append") is True or given.arguments.get("mode") in ("append", "a")
    if added or given.has("start", "offset", "old text"):
        return FileEffect(path, "edit")
    return FileEffect(path, "write", whole=listed or given.text("content", "new text") is not None)


def _paths(given: CallArguments) -> tuple[str, ...]:
    return given.several or ((given.path,) if given.path else ())


def edit(given: CallArguments, listed: bool) -> CallEffects:
    """A list of edits gives one effect per file if each names one; otherwise all are of the call's file."""
    if not given.path and given.patch is not None:
        return CallEffects(of_patch(given.patch, ""))
    paths = tuple(part.path for part in given.parts if part.path) or _paths(given)
    return CallEffects(tuple(FileEffect(path, "edit") for path in paths))


def editor(given: CallArguments, listed: bool) -> CallEffects:
    """An editor with a command argument: `view`, `create`, `str_replace`, `insert`."""
    return FAMILIES[editing(given)](given, listed)


def editing(given: CallArguments) -> EffectKind:
    """The command of an editor."""
    kind = kind_of(given.text("command", "operation") or "")
    return kind if kind in ("read", "write", "edit", "delete") else ""


def patch(given: CallArguments, listed: bool) -> CallEffects:
    """A patch that names its files, or one beside the path of its only file; of an operation only the file."""
    if given.patch is not None and not given.path:
        return CallEffects(of_patch(given.patch, ""))
    inside = next((part for part in given.parts if part.path), given)
    return FAMILIES[editing(inside) or "edit"](inside, listed)


def delete(given: CallArguments, listed: bool) -> CallEffects:
    return CallEffects(tuple(FileEffect(path, "delete") for path in _paths(given)))


def move(given: CallArguments, listed: bool) -> CallEffects:
    old = normal(given.text("source", "path") or "")
    new = normal(given.text("destination") or "")
    effect = FileEffect(old, "move", to=new) if new else FileEffect(old, "edit")
    return CallEffects((effect,) if old else ())


def copy(given: CallArguments, listed: bool) -> CallEffects:
    new = normal(given.text("destination") or "")
    return CallEffects((FileEffect(new, "write", whole=False),) if new else ())


def look(kind: EffectKind) -> Read:
    """A look of this kind. Repeating one of an unknown tool may not show the same."""

    def look_at(given: CallArguments, listed: bool) -> CallEffects:
        return CallEffects((FileEffect(given.looked_at, kind),), repeats=listed)

    return look_at


def run(given: CallArguments, listed: bool) -> CallEffects:
    """What a shell receives, directly or through a script; other code is run."""
    directory = normal(given.text("working directory", "directory") or "")
    argv = next((value for value in given.values("command") if isinstance(value, list)), [])
    is_patched = len(argv) == 2 and all(isinstance(word, str) for word in argv) and argv[0] in PATCH_PROGRAMS
    line = argv[1] if is_patched else command(given)
    if is_patched or (line and patches.is_patch(line)):
        return CallEffects(of_patch(line, directory))
    if line and not given.has("command") and codex_exec.is_script(line):
        return _script(line, directory)
    if line:
        return of_shell(line, directory)
    return CallEffects((RUN,)) if argv or given.text("content") else CallEffects()


def command(given: CallArguments) -> str:
    """The command line of a call, quoted if it was a list of words; "" for none."""
    for value in given.values("command", "input"):
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return _line(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _line(argv: list[str]) -> str:
    """`bash -lc "x"` is x; several command lines are joined by newlines."""
    program = argv[0].rpartition("/")[2].removesuffix(".exe")
    if len(argv) == 3 and argv[1] in ("-lc", "-c", "-Command") and program in SHELLS:
        return argv[2]
    if len(argv) > 1 and all(" " in word for word in argv):
        return "\n".join(argv)
    return argv[0] if len(argv) == 1 else " ".join(map(quoted, argv))


def _script(given: str, directory: str) -> CallEffects:
    done = codex_exec.run(given)
    parts = [of_shell(line, workdir or directory) for line, workdir in done.commands]
    effects = [effect for part in parts for effect in part.effects]
    effects += [effect for text in done.patches for effect in of_patch(text, directory)]
    if not done.whole:
        effects = [RUN, *(structs.replace(effect, whole=False) for effect in effects)]
    again = done.whole and not done.patches and bool(parts) and all(part.repeats for part in parts)
    line = _commands(done)
    shell = Shell(line, status=status_of(line), scripted=True) if line else None
    return CallEffects(tuple(effects), again, shell)


def _commands(done: codex_exec.ScriptRun) -> str:
    return " && ".join(dict.fromkeys(line for line, _ in done.commands))


def patches_in(given: CallArguments) -> tuple[str, ...]:
    """The patches that a call contains as arguments, or in a script."""
    if given.patch is not None:
        return (given.patch,)
    line = given.text("input") if not given.has("command") else None
    return codex_exec.run(line).patches if line and codex_exec.is_script(line) else ()


def scripted(given: CallArguments) -> str:
    """The command lines that a script passes to a shell, as one; "" for none."""
    line = given.text("input") if not given.has("command") else None
    return _commands(codex_exec.run(line)) if line and codex_exec.is_script(line) else ""


def nothing(given: CallArguments, listed: bool) -> CallEffects:
    return CallEffects()


FAMILIES: dict[str, Read] = {
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
}
