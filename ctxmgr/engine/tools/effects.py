"""What a tool call does: its effects on files, what it runs, the tasks it states."""

from typing import Any, Literal

import msgspec

from ctxmgr.engine.tools.names import ArgumentRole, EffectKind, role_of

CHANGES: frozenset[EffectKind] = frozenset(("write", "edit", "delete", "move"))
ASKED: frozenset[ArgumentRole] = frozenset(
    ("path", "paths", "source", "destination", "directory", "command", "pattern", "query", "url")
)
CallOutcome = Literal["ok", "failed", "unknown"]
TaskStatus = Literal["open", "active", "done", "blocked", "dropped"]


class FileEffect(msgspec.Struct, frozen=True, gc=False):
    """What is done to a file.

    `path` is seen from the directory that the call runs in; "" where the call does not name it, or does something
    else than to a file. "list", "search" and "fetch" look and change nothing; a "run" prints no file's text.
    `whole`: of a read, that it asks for all of the file; of a write, that the call holds all of it. `to`: where a
    "move" takes it.
    """

    path: str
    kind: EffectKind
    whole: bool = True
    to: str = ""


RUN = FileEffect("", "run")


class ShellStatus(msgspec.Struct, frozen=True, gc=False):
    """What the status that a shell ends with says of the commands that its line is about.

    `on_zero`, `on_one`: how they ended where it is 0 or 1; with any other they failed. `about`: what they do; a
    check tells by its output as well. `subjects`: what they are, by program and subcommand (`git merge`), in order;
    none of a look. `shown_lines`: the line shows how the output of its check ends where
    it shows fewer lines; 0: never.
    """

    on_zero: CallOutcome = "ok"
    on_one: CallOutcome = "failed"
    about: Literal["check", "run", "look"] = "run"
    subjects: tuple[str, ...] = ()
    shown_lines: int = 0


CERTAIN = ShellStatus()


class Shell(msgspec.Struct, frozen=True, gc=False):
    """What a shell is handed: its command lines as one. `directory`: where it went to last, "" where it stayed.
    `scripted`: the lines stand in a script."""

    command: str
    directory: str = ""
    status: ShellStatus = CERTAIN
    scripted: bool = False


class CallEffects(msgspec.Struct, frozen=True, gc=False):
    """The effects of one call, in order. `repeats`: the same call again shows the newer state of the same. `shell`:
    what it hands to one."""

    effects: tuple[FileEffect, ...] = ()
    repeats: bool = False
    shell: Shell | None = None


class Task(msgspec.Struct, frozen=True, gc=False):
    """One task. `text` "" where the call names it by its `id` alone; `status` "" where it says nothing of it."""

    text: str
    status: TaskStatus | Literal[""]
    id: str = ""


class Tasks(msgspec.Struct, frozen=True, gc=False):
    """Tasks that a call states. `whole`: they are the list, and what it leaves out is closed."""

    tasks: tuple[Task, ...]
    whole: bool = True


class ToolCall(msgspec.Struct, frozen=True, dict=True):
    """All that is known of a call before its result.

    `kind`: what the tool is for, "" unknown. `paths`: every file and directory that the call names, also where what
    is done to it is not known. `key_arguments`: (name, value) of what a model would say again to get the same.
    `shell`: what it hands to a shell, whose result may hide a failure; None for another tool. `repeats`: the same
    call again shows the newer state of the same.
    """

    tool: str
    kind: EffectKind = ""
    effects: tuple[FileEffect, ...] = ()
    paths: tuple[str, ...] = ()
    key_arguments: tuple[tuple[str, Any], ...] = ()
    shell: Shell | None = None
    tasks: Tasks | None = None
    repeats: bool = False

    @property
    def changes(self) -> bool:
        """Whether it changes, makes or takes away a file that it names."""
        return any(effect.kind in CHANGES for effect in self.effects)

    @property
    def writes_text(self) -> bool:
        """Whether it puts text into a file that can be read there."""
        return any(effect.kind in ("write", "edit") for effect in self.effects)

    @property
    def read_paths(self) -> tuple[str, ...]:
        """The files whose text it asks for."""
        return tuple([effect.path for effect in self.effects if effect.kind == "read" and effect.path])

    @property
    def moved(self) -> tuple[tuple[str, str], ...]:
        """(path as it was, path now or "") of each file that it moves or takes away."""
        return tuple((effect.path, effect.to) for effect in self.effects if effect.kind in ("move", "delete"))

    @property
    def main_argument(self) -> str:
        """The argument that says most of what it does, on as many lines as it has: a command, a path, a pattern."""
        if self.shell is not None:
            return self.shell.command
        for name, value in self.key_arguments:
            if role_of(name) not in ASKED:
                continue
            if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
                value = " ".join(value)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return ""


def result_row(call: ToolCall) -> Literal["read", "search", "command"]:
    """What kind of text its result is: a file's, where something was found, or what a command printed. A tool that
    is not known counts as a command."""
    kinds = {effect.kind for effect in call.effects} or {call.kind}
    if kinds <= {"list", "search"}:
        return "search"
    return "read" if "read" in kinds and "run" not in kinds else "command"
