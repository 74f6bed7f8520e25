"""What a tool call does: its effects on files, what it runs, the tasks it states."""

from typing import Any, Literal

import msgspec

from ctxmgr.engine.tools.roles import ArgumentRole, role_of

EffectKind = Literal[
    "read", "write", "edit", "delete", "move", "list", "search", "fetch", "plan", "delegate", "run", ""
]
CHANGES: frozenset[EffectKind] = frozenset(("write", "edit", "delete", "move"))
ASKED: frozenset[ArgumentRole] = frozenset(
    ("path", "paths", "source", "destination", "directory", "command", "pattern", "query", "url")
)
CallOutcome = Literal["ok", "failed", "unknown"]
TaskStatus = Literal["open", "active", "done", "blocked", "dropped"]


class FileEffect(msgspec.Struct, frozen=True, gc=False):
    """What is done to lines `start` to `end` of a file, from 1; None: from its first, to its last.

    `path` is seen from the directory that the call runs in; "" where the call does not name it, or does something
    else than to a file. "list", "search" and "fetch" look and change nothing; a "run" prints no file's text.
    `to`: where a "move" takes it.
    `exact`: of a read, that it surely asks for these lines, else its result alone may tell; of a write, that the
    call holds the whole text. `grown`: lines by which an edit may have moved what follows it; None where that is
    not known.
    """

    path: str
    kind: EffectKind
    start: int | None = None
    end: int | None = None
    exact: bool = True
    grown: int | None = 0
    to: str = ""


RUN = FileEffect("", "run")


class VisibleOutput(msgspec.Struct, frozen=True, gc=False):
    """How much of its output a line shows. `to_the_end`: its end; `head_lines`: only where it has fewer lines than
    that, 0 for however many. `errors`: where it has a line that tells of an error, such a line."""

    to_the_end: bool = False
    head_lines: int = 0
    errors: bool = False

    def ends(self, text: str) -> bool:
        """Does this text, of what a line printed, have its end?"""
        return self.to_the_end and (not self.head_lines or len(text.strip().splitlines()) < self.head_lines)


NOT_VISIBLE = VisibleOutput()


class LineOutput(msgspec.Struct, frozen=True, gc=False):
    """What a line prints. `echoed`: at its end the status itself. `visible`: where the line is one command, how
    much of its output. `printing`: of each command that prints the status of a server's answer, the pattern of the
    line that has it, as `code`. `voice`: the commands' "own" words are all of it, none where it is "shown" text (of
    a look, a log, a page), or they are "mixed".
    """

    echoed: bool = False
    visible: VisibleOutput = NOT_VISIBLE
    printing: tuple[str, ...] = ()
    voice: Literal["own", "shown", "mixed"] = "own"


OWN_WORDS = LineOutput()


class ShellStatus(msgspec.Struct, frozen=True, gc=False):
    """What the status that a shell ends with says of the commands that its line is about.

    `zero`: how they ended where it is 0. `codes`: of other statuses, how where it is this one; where it is another,
    they failed. `about`: what they do; a check tells by its output as well. `subjects`: what they are, by program
    and subcommand (`git merge`), in order; none of a look. `often`: they may run more than once, "each" for
    something else or "until" it goes well. `prints`: what it shows.
    """

    zero: CallOutcome = "ok"
    codes: tuple[tuple[int, CallOutcome], ...] = ()
    about: Literal["check", "run", "look"] = "run"
    subjects: tuple[str, ...] = ()
    often: Literal["", "each", "until"] = ""
    prints: LineOutput = OWN_WORDS


CERTAIN = ShellStatus()


class CallEffects(msgspec.Struct, frozen=True, gc=False):
    """The effects of one call, in order. `repeats`: the same call again shows the newer state of the same.

    `directory`: where a shell went to last, "" where it stayed. `command`: what it is handed, "" for no shell;
    `scripted`: that stands in a script. `status`: what a shell's status says of it. `result_names`: as in `Shell`.
    """

    effects: tuple[FileEffect, ...] = ()
    repeats: bool = False
    directory: str = ""
    command: str = ""
    scripted: bool = False
    status: ShellStatus = CERTAIN
    result_names: tuple[str, ...] = ()


class Shell(msgspec.Struct, frozen=True, gc=False):
    """What a shell is handed: its command lines as one. `directory`: where it went to last, "" where it stayed.
    `result_names`: the names that a script keeps their results by."""

    command: str
    directory: str = ""
    status: ShellStatus = CERTAIN
    result_names: tuple[str, ...] = ()


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
        """Does it change, make or take away a file that it names?"""
        return any(effect.kind in CHANGES for effect in self.effects)

    @property
    def writes_text(self) -> bool:
        """Does it put text into a file, that can be read there?"""
        return any(effect.kind in ("write", "edit") for effect in self.effects)

    @property
    def read_paths(self) -> tuple[str, ...]:
        """The files whose text it asks for."""
        return tuple(effect.path for effect in self.effects if effect.kind == "read" and effect.path)

    @property
    def moved(self) -> tuple[tuple[str, str], ...]:
        """(path as it was, path now or "") of each file that it moves or takes away."""
        return tuple((effect.path, effect.to) for effect in self.effects if effect.kind in ("move", "delete"))

    @property
    def asked(self) -> str:
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
