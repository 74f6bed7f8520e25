"""The messages of a session as what happened in it, each with the place from which on it was known.

A place is the number of a message. What a call did is known from its result on; a run that goes on in the
background ends where its end was told. A change counts only where its call did not fail.
"""

import re
from collections.abc import Sequence

import msgspec

from ctxmgr.study.probes.reading.calls import Did
from ctxmgr.study.probes.reading.commands import command_line
from ctxmgr.study.probes.reading.messages import SessionCall, SessionMessage
from ctxmgr.study.probes.reading.outputs import Ended, ended
from ctxmgr.study.probes.reading.wording import references

_REFUSED = re.compile(r"user (?:doesn't want|does not want|rejected|declined|denied|interrupted)", re.IGNORECASE)
_COMMIT = re.compile(r"^\s*\[([^\]\n]{1,120}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
_BRANCH = re.compile(
    r"^(?:T: )?(?:On branch |Switched to (?:a new )?branch '|branch ')([\w./-]+?)'?$", re.MULTILINE
)
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


class SessionHistory:
    """All of a session; `cwd`: the directory that paths are told from. `last_mention`: reference to the last place
    where user or assistant says it; `spoken`: what they say there, texts and arguments of calls. Runs are in the
    order of their ends."""

    def __init__(self, messages: Sequence[SessionMessage], cwd: str = "") -> None:
        self.messages, self.cwd = tuple(messages), f"{cwd.rstrip('/')}/" if cwd else ""
        self.touches: list[FileUse] = []
        self.runs: list[CommandRun] = []
        self.commits: list[Commit] = []
        self.tasks: list[TaskListState] = []
        self.branches: list[EnvValue] = []
        self.directories: list[EnvValue] = []
        self.spoken = tuple(map(_spoken, messages))
        self.last_mention: dict[str, int] = {}
        self._open: dict[str, tuple[int, SessionCall]] = {}  # calls without a result, by id; ids come again
        self._running: dict[str, CommandRun] = {}
        self._tasks: dict[str, TaskState] = {}
        for index, message in enumerate(messages):
            self._open |= {call.id: (index, call) for call in message.calls}
            if message.role == "toolResult" and message.call_id in self._open:
                self._add_result(index, *self._open.pop(message.call_id), message)
            self.last_mention.update(dict.fromkeys(references(self.spoken[index]), index))
        self._add_own_directory(cwd)

    def mentioned_again(self, reference: str, end: int) -> bool:
        """By user or assistant, from `end` on."""
        return self.last_mention.get(reference, -1) >= end

    def relative(self, path: str) -> str:
        """A path as it is told from the session's own directory."""
        return path.removeprefix(self.cwd).removeprefix("./")

    def _add_result(self, index: int, call_index: int, call: SessionCall, result: SessionMessage) -> None:
        did = call.did
        if result.failed and _REFUSED.search(result.text[:300]):
            return
        failed = self._add_run(index, call_index, did, result) or result.failed
        self.directories += (EnvValue(index, name) for name in did.directories)
        if any("git" in command for command in did.commands):
            self.branches += (EnvValue(index, name) for name in _BRANCH.findall(result.text))
            for branch, hash, subject in _COMMIT.findall(result.text):
                self.commits.append(Commit(index, hash, subject.strip()))
                self.branches += [EnvValue(index, branch)] if " " not in branch else []
        changed = [(self.relative(change.path), change) for change in did.changes]
        if not did.commands:
            end = ended(result.text, failed)
            self.runs += (
                CommandRun(index, call_index, f"edit {path}", f"{call.name} {changed[0][0]}", False, end, path)
                for path, _ in changed
            )
        if not failed:
            self.touches += (FileUse(index, self.relative(path), "read") for path in did.looked_at)
            self.touches += (
                FileUse(index, path, change.action, change.lines, call.name) for path, change in changed
            )
            self._set_tasks(index, did, result.text)

    def _add_run(self, index: int, call_index: int, did: Did, result: SessionMessage) -> bool:
        """Whether it failed. Of several commands in one call nobody knows which one ended how."""
        started = [self._running.pop(id) for id in did.waits_for if id in self._running]
        if len(did.commands) == 1:
            (command,) = did.commands
            line = command_line(command)
            started.append(CommandRun(index, call_index, line.key, command, line.is_check, Ended(False, (), ())))
        for run in started:
            end = ended(result.text, result.failed, run.check, command_line(run.command).status_hidden)
            run = msgspec.structs.replace(run, message_index=index, ended=end)
            if end.running:
                self._running[end.running] = run
            elif run.key:
                self.runs.append(run)
        return len(did.commands) == 1 and run.ended.failed

    def _set_tasks(self, index: int, did: Did, output: str) -> None:
        if did.whole_list:
            self._tasks = {}
        for task in did.tasks:
            numbered = _TASK_ID.search(output)
            id = task.id or (numbered[1] if numbered and not did.whole_list else "") or task.text
            before = self._tasks.get(id, TaskState(id, task.text, False))
            state = before if task.done is None else task
            text = before.text if task.is_about and before.text else task.text or before.text
            self._tasks[id] = TaskState(task.id or id, text, bool(state.done), state.active)
        listed = tuple(task for task in self._tasks.values() if task.text)
        if did.tasks and listed:
            self.tasks.append(TaskListState(index, listed))

    def _add_own_directory(self, cwd: str) -> None:
        """The session's own directory, from the message on that first says it, until a call names one."""
        end = self.directories[0].message_index if self.directories else len(self.messages)
        before = enumerate(self.messages[:end])
        index = next(
            (index for index, message in before if cwd and any(cwd in line for line in message.lines)), None
        )
        if index is not None:
            self.directories.insert(0, EnvValue(index, cwd))


def _spoken(message: SessionMessage) -> str:
    if message.role not in ("user", "assistant"):
        return ""
    return "\n".join([message.text, *(str(value) for call in message.calls for value in call.arguments.values())])
