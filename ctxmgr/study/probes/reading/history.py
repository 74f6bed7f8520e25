"""Turns the messages of a session into what happened in it, each with the place from which on it was known.

A place is the number of a message. What a call did is known from its result on; a run that goes on in the
background ends where its end was told. A change counts only where its call did not fail.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.study.probes.reading import outputs, programs
from ctxmgr.study.probes.reading.calls import Did
from ctxmgr.study.probes.reading.outputs import Ended
from ctxmgr.study.probes.reading.turns import SessionCall, SessionMessage
from ctxmgr.study.probes.reading.wording import references

_REFUSED = re.compile(r"user (?:doesn't want|does not want|rejected|declined|denied|interrupted)", re.IGNORECASE)
_COMMIT = re.compile(
    r"(?:^|\"output\":\")\s*\[([^\]\n]{1,120}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$", re.MULTILINE
)
_BRANCH = re.compile(
    r"^(?:T: )?(?:On branch |Switched to (?:a new )?branch '|branch ')([\w./-]+?)'?$", re.MULTILINE
)
_SHORT_STATUS = re.compile(r"^(?:T: )?## ([\w./-]+?)(?:\.\.\.\S+)?(?: \[.*\])?$", re.MULTILINE)
_TASK_ID = re.compile(r"\btask #?(\w{1,12})\b", re.IGNORECASE)


class FileUse(msgspec.Struct, frozen=True):
    """One file, once. `action`: read, changed or deleted; `lines`: what a change put there; `tool`: of the call."""

    message_index: int
    path: str
    action: str
    lines: tuple[str, ...] = ()
    tool: str = ""


class CommandRun(msgspec.Struct, frozen=True):
    """One command, or one edit of a file (`path`). `call_message_index`: where its call stands; `message_index`:
    where its end does."""

    message_index: int
    call_message_index: int
    key: str
    command: str
    check: bool
    ended: Ended
    path: str = ""


class Commit(msgspec.Struct, frozen=True):
    message_index: int
    hash: str
    message: str


class TaskState(msgspec.Struct, frozen=True):
    id: str
    text: str
    done: bool
    active: bool = False


class TaskListState(msgspec.Struct, frozen=True):
    """The list as it stands from here on."""

    message_index: int
    tasks: tuple[TaskState, ...]


class EnvValue(msgspec.Struct, frozen=True):
    """A branch or a directory that was said."""

    message_index: int
    name: str


class SessionHistory(msgspec.Struct, frozen=True):
    """`turns` are all messages. `last_mention`: reference to the last place where user or assistant says it;
    `spoken`: what they say there, texts and arguments of calls."""

    turns: tuple[SessionMessage, ...]
    touches: tuple[FileUse, ...]
    runs: tuple[CommandRun, ...]
    commits: tuple[Commit, ...]
    tasks: tuple[TaskListState, ...]
    branches: tuple[EnvValue, ...]
    directories: tuple[EnvValue, ...]
    last_mention: dict[str, int]
    spoken: tuple[str, ...]


def history(turns: Sequence[SessionMessage], cwd: str = "") -> SessionHistory:
    """All of a session; `cwd`: the directory that paths are told from."""
    walk = _Walk(cwd)
    for at, one in enumerate(turns):
        walk.add(at, one)
    spoken = tuple(_spoken(one) for one in turns)
    last: dict[str, int] = {}
    for at, text in enumerate(spoken):
        if text:
            last.update(dict.fromkeys(references(text), at))
    return SessionHistory(
        tuple(turns),
        tuple(walk.touches),
        tuple(sorted(walk.runs, key=lambda one: one.message_index)),
        tuple(walk.commits),
        tuple(walk.tasks),
        tuple(walk.branches),
        (*_told_from(turns, cwd, walk.directories), *walk.directories),
        last,
        spoken,
    )


def _told_from(turns: Sequence[SessionMessage], cwd: str, named: Sequence[EnvValue]) -> Iterator[EnvValue]:
    """The session's own directory, from the message on that first says it, until a call names one."""
    before = named[0].message_index if named else len(turns)
    at = next((at for at, one in enumerate(turns[:before]) if cwd and any(cwd in line for line in one.lines)), None)
    if at is not None:
        yield EnvValue(at, cwd)


def mentioned_again(of: SessionHistory, reference: str, end: int) -> bool:
    """By user or assistant, from `end` on."""
    return of.last_mention.get(reference, -1) >= end


def _spoken(one: SessionMessage) -> str:
    if one.role not in ("user", "assistant"):
        return ""
    return "\n".join([one.text, *(line for call in one.calls for line in _argument_texts(call))])


def _argument_texts(call: SessionCall) -> Iterator[str]:
    for value in call.arguments.values():
        yield value if isinstance(value, str) else str(value)


class _Walk:
    def __init__(self, cwd: str) -> None:
        self._cwd = f"{cwd.rstrip('/')}/" if cwd else ""
        self._open: dict[str, tuple[int, SessionCall]] = {}  # calls without a result, by id; ids come again
        self._running: dict[str, CommandRun] = {}
        self._now: dict[str, TaskState] = {}
        self.touches: list[FileUse] = []
        self.runs: list[CommandRun] = []
        self.commits: list[Commit] = []
        self.tasks: list[TaskListState] = []
        self.branches: list[EnvValue] = []
        self.directories: list[EnvValue] = []

    def add(self, at: int, one: SessionMessage) -> None:
        if one.role == "assistant":
            self._open |= {call.id: (at, call) for call in one.calls}
        elif one.role == "toolResult" and one.call_id in self._open:
            called_at, call = self._open.pop(one.call_id)
            self._result(at, called_at, call, one)

    def _result(self, at: int, called_at: int, call: SessionCall, result: SessionMessage) -> None:
        what = call.did
        if _REFUSED.search(result.text[:300]) and result.failed:
            return
        failed = self._ran(at, called_at, what, result) or result.failed
        self.directories += (EnvValue(at, name) for name in what.directories)
        if any("git" in command for command in what.commands):
            self._in_git(at, what, result.text)
        paths_changed = [self._path(change.path) for change in what.changes]
        if what.changes and not what.commands:
            command = f"{call.name} {paths_changed[0]}"
            end = outputs.ended(result.text, failed, False, False)
            self.runs += (
                CommandRun(at, called_at, f"edit {path}", command, False, end, path) for path in paths_changed
            )
        if not failed:
            self.touches += (FileUse(at, self._path(path), "read") for path in what.looked_at)
            self.touches += (
                FileUse(at, path, one.action, one.lines, call.name)
                for path, one in zip(paths_changed, what.changes, strict=True)
            )
            self._tasks(at, what, result.text)

    def _ran(self, at: int, called_at: int, what: Did, result: SessionMessage) -> bool:
        """Whether it failed. Of several commands in one call nobody knows which one ended how."""
        for id in what.waits_for:
            started = self._running.pop(id, None)
            if started is not None:
                end = outputs.ended(result.text, result.failed, started.check, programs.filtered(started.command))
                self._ended(msgspec.structs.replace(started, message_index=at, ended=end))
        if len(what.commands) != 1:
            return False
        (command,) = what.commands
        check = programs.is_check(command)
        end = outputs.ended(result.text, result.failed, check, programs.filtered(command))
        self._ended(CommandRun(at, called_at, programs.key(command), command, check, end))
        return end.failed

    def _ended(self, run: CommandRun) -> None:
        if run.ended.running:
            self._running[run.ended.running] = run
        elif run.key:
            self.runs.append(run)

    def _in_git(self, at: int, what: Did, output: str) -> None:
        """Branches and commits. A short status looks like a heading of a file: it is read of `git status` alone."""
        names = _BRANCH.findall(output)
        if any("git status" in command for command in what.commands):
            names += _SHORT_STATUS.findall(output)
        self.branches += (EnvValue(at, name) for name in names)
        for branch, hash, message in _COMMIT.findall(output):
            self.commits.append(Commit(at, hash, message.strip()))
            if " " not in branch:
                self.branches.append(EnvValue(at, branch))

    def _tasks(self, at: int, what: Did, output: str) -> None:
        if not what.tasks:
            return
        if what.whole_list:
            self._now = {}
        for task in what.tasks:
            found = _TASK_ID.search(output)
            id = task.id or (found[1] if found and not what.whole_list else "") or task.text
            before = self._now.get(id, TaskState(id, task.text, False))
            known = before if task.done is None else task
            text = before.text if task.is_about and before.text else task.text or before.text
            self._now[id] = TaskState(task.id or id, text, bool(known.done), known.active)
        listed = tuple(task for task in self._now.values() if task.text)
        if listed:
            self.tasks.append(TaskListState(at, listed))

    def _path(self, path: str) -> str:
        return path.removeprefix(self._cwd).removeprefix("./") if self._cwd else path.removeprefix("./")
