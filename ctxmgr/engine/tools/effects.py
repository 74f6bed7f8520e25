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

    `path` is relative to the directory that the call runs in; "" if the call does not name it, or the effect is not
    on a file. "list", "search" and "fetch" change nothing; a "run" prints no file's text. `whole`: a read requests
    the whole file; a write contains all of it. `to`: the target of a "move".
    """

    path: str
    kind: EffectKind
    whole: bool = True
    to: str = ""


RUN = FileEffect("", "run")


class ShellStatus(msgspec.Struct, frozen=True, gc=False):
    """What a shell's exit status says of the commands that its line is about.

    `on_zero`, `on_one`: how they ended with status 0 or 1; any other status means failure. `about`: what they do; a
    check is also judged by its output. `subjects`: what they are, by program and subcommand (`git merge`), in
    order; none for a look. `shown_lines`: the line shows the end of its check's output if it shows fewer lines than
    this; 0: never.
    """

    on_zero: CallOutcome = "ok"
    on_one: CallOutcome = "failed"
    about: Literal["check", "run", "look"] = "run"
    subjects: tuple[str, ...] = ()
    shown_lines: int = 0


CERTAIN = ShellStatus()


class Shell(msgspec.Struct, frozen=True, gc=False):
    """What a shell receives: its command lines as one. `directory`: where it last went, "" if it stayed.
    `scripted`: the lines are in a script.
    """

    command: str
    directory: str = ""
    status: ShellStatus = CERTAIN
    scripted: bool = False


class CallEffects(msgspec.Struct, frozen=True, gc=False):
    """The effects of one call, in order. `repeats`: repeating the call shows its newer state. `shell`: what it
    passes to one.
    """

    effects: tuple[FileEffect, ...] = ()
    repeats: bool = False
    shell: Shell | None = None


class Task(msgspec.Struct, frozen=True, gc=False):
    """One task. `text` "" if the call only names its `id`; `status` "" if it says nothing of it."""

    text: str
    status: TaskStatus | Literal[""]
    id: str = ""


class Tasks(msgspec.Struct, frozen=True, gc=False):
    """Tasks that a call states. `whole`: they are the complete list, and missing ones are closed."""

    tasks: tuple[Task, ...]
    whole: bool = True


class ToolCall(msgspec.Struct, frozen=True, dict=True):
    """Everything known of a call before its result.

    `kind`: the tool's purpose, "" if unknown. `paths`: every file and directory that the call names, even with an
    unknown effect. `key_arguments`: (name, value) of what a model would repeat to get the same. `shell`: what it
    passes to a shell, whose result may hide a failure; None for another tool. `repeats`: repeating the call shows
    its newer state.
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
        """Whether it changes, creates or removes a file that it names."""
        return any(effect.kind in CHANGES for effect in self.effects)

    @property
    def writes_text(self) -> bool:
        """Whether it puts text into a file that can be read there."""
        return any(effect.kind in ("write", "edit") for effect in self.effects)

    @property
    def read_paths(self) -> tuple[str, ...]:
        """The files whose text it requests."""
        return tuple([effect.path for effect in self.effects if effect.kind == "read" and effect.path])

    @property
    def moved(self) -> tuple[tuple[str, str], ...]:
        """(old path, new path or "") of each file that it moves or deletes."""
        return tuple((effect.path, effect.to) for effect in self.effects if effect.kind in ("move", "delete"))

    @property
    def main_argument(self) -> str:
        """The most informative argument, with all its lines: a command, a path, a pattern."""
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
    """What kind of text its result is: a file's, search hits, or a command's output. An unknown tool counts as a
    command.
    """
    kinds = {effect.kind for effect in call.effects} or {call.kind}
    if kinds <= {"list", "search"}:
        return "search"
    return "read" if "read" in kinds and "run" not in kinds else "command"
