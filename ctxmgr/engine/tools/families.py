"""Turns the arguments of a call into its effects, one function for each kind of tool.

Rules:

1. A read with an argument for lines, or an unknown one, may be of a part of the file.
2. A write certainly holds the whole text if the call has one and does not say that it is appended.
3. A call may do several things; one that also prints text of no file has an effect "run" or "list" too.
4. Of a list of files or edits each is reported. Without a file or patch there is no effect.
5. Of a script that calls a host's tools (Codex's `exec`) only calls with literal arguments are extracted:
   `tools.exec_command({cmd:"...", "workdir":"..."})`, and patches, in a quoted string or a template without
   placeholders.
6. The script's output is assumed to be its commands' whole output. With any other tool call, a loop, a branch, or a
   composed text, it is only partly known: the extracted parts may be done, and more.

It only knows what the call says, not how it ended.
"""

import re
from collections.abc import Callable

import msgspec
from msgspec import structs

from ctxmgr.engine.tools import patches
from ctxmgr.engine.tools.arguments import CallArguments
from ctxmgr.engine.tools.effects import RUN, CallEffects, FileEffect, Shell
from ctxmgr.engine.tools.names import EffectKind, kind_of
from ctxmgr.engine.tools.paths import normal
from ctxmgr.engine.tools.shell import of_patch, of_shell, quoted, status_of
from ctxmgr.model import expression

_CALLED = expression(r"\btools\.(\w+)\(")
_TEXT = r"\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_ANY_TEXT = rf"(?:{_TEXT}|`[^`\\]*(?:\\.[^`\\]*)*`|'[^'\\\n]*(?:\\.[^'\\\n]*)*')"
_COMMAND = expression(
    rf"\btools\.exec_command\(\s*\{{\s*[\"']?cmd[\"']?\s*:\s*({_ANY_TEXT})([^{{}}]*)\}}", re.DOTALL
)
_WORKDIR = expression(rf"[\"']?workdir[\"']?\s*:\s*({_ANY_TEXT})", re.DOTALL)
_LITERAL = expression(rf"{_ANY_TEXT}|[\"'`]", re.DOTALL)  # a quote alone: an unterminated text
_ESCAPE = expression(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_FILLED = expression(r"(?<!\\)(?:\\\\)*\$\{")
_RAW = "String.raw`"
_BRANCHES = expression(r"\b(?:for|while|if|map|forEach|slice|split|substring|replace|filter|match)\b")


class ScriptRun(msgspec.Struct, frozen=True, gc=False):
    """What a script does: command lines with their directories, and patches, each in order. `whole`: rule 6."""

    commands: tuple[tuple[str, str], ...] = ()
    patches: tuple[str, ...] = ()
    whole: bool = True


def is_script(text: str) -> bool:
    """Whether this script calls a host's tools."""
    return "tools." in text and bool(_CALLED.search(text))


def script_run(script: str) -> ScriptRun:
    """The literal calls in a script. Linear in its length."""
    called = _CALLED.findall(script)
    literals, beside = _split(script)
    commands = []
    for call in _COMMAND.finditer(script):
        workdir = _WORKDIR.search(call[2])
        commands.append((_value(call[1]), _value(workdir[1]) if workdir else ""))
    given = [literal for literal in literals or () if patches.BEGIN in literal]
    raw = _RAW in script
    applied = [literal[1:-1] if raw and literal[0] == "`" else _value(literal) for literal in given]
    whole = (
        set(called) <= {"exec_command", "apply_patch"}
        and literals is not None
        and not _BRANCHES.search(beside)
        and called.count("exec_command") == len(commands)
        and called.count("apply_patch") == len(applied)
        and None not in applied
        and all(command is not None and workdir is not None for command, workdir in commands)
    )
    return ScriptRun(
        tuple((command, workdir or "") for command, workdir in commands if command is not None),
        tuple(text or literal[1:-1] for text, literal in zip(applied, given, strict=True)),
        whole,
    )


def _split(script: str) -> tuple[list[str] | None, str]:
    """(its literals, the rest); (None, "") if one is unterminated, since searching on would take too long."""
    literals: list[str] = []
    beside: list[str] = []
    end = 0
    for literal in _LITERAL.finditer(script):
        if len(literal[0]) == 1:
            return None, ""
        beside.append(script[end : literal.start()])
        literals.append(literal[0])
        end = literal.end()
    return literals, " ".join([*beside, script[end:]])


def _value(literal: str) -> str | None:
    """The value of a literal in the script; None if it is composed."""
    if literal[0] == "`":
        return None if _FILLED.search(literal) else _unescaped(literal[1:-1])
    if literal[0] == "'":
        return _unescaped(literal[1:-1])
    try:
        return msgspec.json.decode(literal.encode("utf-8", "surrogatepass"), type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _unescaped(text: str) -> str | None:
    """The text between quotes; None if it has an invalid escape."""
    try:
        return _ESCAPE.sub(_character, text).encode("utf-16", "surrogatepass").decode("utf-16")
    except (ValueError, OverflowError):
        return None


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else _CHARACTERS.get(escape[4], escape[4])


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
    if line and not given.has("command") and is_script(line):
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
    done = script_run(given)
    parts = [of_shell(line, workdir or directory) for line, workdir in done.commands]
    effects = [effect for part in parts for effect in part.effects]
    effects += [effect for text in done.patches for effect in of_patch(text, directory)]
    if not done.whole:
        effects = [RUN, *(structs.replace(effect, whole=False) for effect in effects)]
    again = done.whole and not done.patches and bool(parts) and all(part.repeats for part in parts)
    line = _commands(done)
    shell = Shell(line, status=status_of(line), scripted=True) if line else None
    return CallEffects(tuple(effects), again, shell)


def _commands(done: ScriptRun) -> str:
    return " && ".join(dict.fromkeys(line for line, _ in done.commands))


def patches_in(given: CallArguments) -> tuple[str, ...]:
    """The patches that a call contains as arguments, or in a script."""
    if given.patch is not None:
        return (given.patch,)
    line = given.text("input") if not given.has("command") else None
    return script_run(line).patches if line and is_script(line) else ()


def scripted(given: CallArguments) -> str:
    """The command lines that a script passes to a shell, as one; "" for none."""
    line = given.text("input") if not given.has("command") else None
    return _commands(script_run(line)) if line and is_script(line) else ""


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
