"""The messages of a session as what happened in it, each with the place from which it was known.

A place is the number of a message. What a call did is known from its result on; a background run ends where its end
was reported. A change counts only if its call did not fail. Outputs:

1. It failed if the host flags it, or the output names an exit code other than 0.
2. A check whose exit code is not its own (its output is filtered, or nothing names a code) failed if a line says
   so.
3. Error lines name an error; without any, the first non-empty lines. Telling lines count or name the result.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.study.probes.commands import command_line
from ctxmgr.study.probes.messages import Did, SessionCall, SessionMessage, TaskChange
from ctxmgr.study.probes.wording import references, word_set

ERROR_LINES = 3
TELLING_LINES = 2
LINE_CHARACTERS = 300

ERROR_WORDS = (
    *word_set("error fail fatal panic exception traceback cannot can't denied invalid undefined conflict rejected"),
    *word_set("unexpected missing unable refused unknown"),
    *("not found", "no such", "could not", "must "),
)
# prefixes of lines that a host puts around an output
WRAPPING = (
    *("Chunk ID:", "Wall time", "Process ", "Original token count", "Output:", "Total output lines"),
    *("Warning: truncated", "Script ", "Command exited", "Command timed out", "Command aborted", "Exit code"),
    *("exit code", "<returncode", "</returncode", "<output", "</output", "(no output)", "[The command"),
)
REFUSALS = tuple(
    f"user {verb}" for verb in ("doesn't want", "does not want", "rejected", "declined", "denied", "interrupted")
)
_CODE = re.compile(
    r"(?:exit(?:ed with)?(?: code|: code|_code\"?|code)?|returncode|exited with code)\"?[:>\s=]*\s*(-?\d+)",
    re.IGNORECASE,
)
_RUNNING = re.compile(r"(?:running with (?:session|cell) ID:? |\"session_id\":\s*)\"?([\w-]+)", re.IGNORECASE)
_FAILS = re.compile(
    r"\b[1-9]\d* (?:\w+ ){0,2}?(?:fail(?:ed|ures?|ing)?|errors?|issues?|problems?)\b(?! ?: ?0)"
    r"|^\s*(?:-{3} )?FAIL(?:ED|URE)?\b|\bFAILED\b|\berror(?:\[\w+\]|:| TS\d)|panicked at|Traceback \(most|npm ERR!"
    r"|BUILD FAILED|✗|✖|[A-Z]\w+Error:",
    re.MULTILINE,
)
_TELLING = re.compile(
    r"\b\d+ (?:\w+ )?(?:passed|failed|failures?|failing|passing|errors?|issues?|problems?|warnings?|skipped"
    r"|tests?)\b|\btest result\b|^(?:ok|FAIL|PASS|--- FAIL)\b|\berror(?:\[\w+\]|:| TS\d)|^\s*Finished\b|\bBUILD\b"
    r"|panicked at|^(?:Tests?|Test Files|Test Suites|Checked|Found|Ran)\b.*\d|✓|✗|✖|^OK\b"
    r"|\bsuccess(?:ful(?:ly)?)?\b|^error\b|[A-Z]\w+Error:|^warning\b",
    re.IGNORECASE,
)
_COMMIT = re.compile(r"^\s*\[([^\]\n]{1,120}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
_BRANCH = re.compile(
    r"^(?:T: )?(?:On branch |Switched to (?:a new )?branch '|branch ')([\w./-]+?)'?$", re.MULTILINE
)
_TASK_ID = re.compile(r"\btask #?(\w{1,12})\b", re.IGNORECASE)


class Ended(msgspec.Struct, frozen=True):
    """`running`: the id under which it continues, "" if it ended. `by_status`: the failure is known from the host
    or an exit code, and not only from its lines.
    """

    failed: bool
    errors: tuple[str, ...]
    telling: tuple[str, ...]
    running: str = ""
    by_status: bool = True


class FileUse(msgspec.Struct, frozen=True):
    """One file, once. `action`: read, changed or deleted. `lines`: what a change wrote. `tool`: of the call."""

    message_index: int
    path: str
    action: str
    lines: tuple[str, ...] = ()
    tool: str = ""


class CommandRun(msgspec.Struct, frozen=True):
    """One command, or one edit of a file (`path`). `call_message_index`: of its call. `message_index`: of its
    end.
    """

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


class SessionHistory:
    """A whole session. `cwd`: the directory that paths are relative to. `last_mention`: reference to the last place
    where user or assistant says it. `spoken`: what they say there, texts and arguments of calls. Runs are ordered
    by their ends. `tasks`: the list from a place on. `branches`, `directories`: those that were said, with their
    places.
    """

    def __init__(self, messages: Sequence[SessionMessage], cwd: str = "") -> None:
        self.messages, self.cwd = tuple(messages), f"{cwd.rstrip('/')}/" if cwd else ""
        self.touches: list[FileUse] = []
        self.runs: list[CommandRun] = []
        self.commits: list[Commit] = []
        self.tasks: list[tuple[int, tuple[TaskChange, ...]]] = []
        self.branches: list[tuple[int, str]] = []
        self.directories: list[tuple[int, str]] = []
        self.spoken = tuple(map(_spoken, messages))
        self.last_mention: dict[str, int] = {}
        self._open: dict[str, tuple[int, SessionCall]] = {}  # calls without a result, by id; ids repeat
        self._running: dict[str, CommandRun] = {}
        self._tasks: dict[str, TaskChange] = {}
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
        """A path relative to the session's own directory."""
        return path.removeprefix(self.cwd).removeprefix("./")

    def _add_result(self, index: int, call_index: int, call: SessionCall, result: SessionMessage) -> None:
        did = call.did
        if result.failed and _has(result.text[:300], REFUSALS):
            return
        failed = self._add_run(index, call_index, did, result) or result.failed
        self.directories += ((index, name) for name in did.directories)
        if any("git" in command for command in did.commands):
            self.branches += ((index, name) for name in _BRANCH.findall(result.text))
            for branch, hash, subject in _COMMIT.findall(result.text):
                self.commits.append(Commit(index, hash, subject.strip()))
                self.branches += [(index, branch)] if " " not in branch else []
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
        """Whether it failed. With several commands in one call nobody knows which one ended how."""
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
            before = self._tasks.get(id, TaskChange(id, task.text, False))
            state = before if task.done is None else task
            text = before.text if task.is_about and before.text else task.text or before.text
            self._tasks[id] = TaskChange(task.id or id, text, bool(state.done), active=state.active)
        listed = tuple(task for task in self._tasks.values() if task.text)
        if did.tasks and listed:
            self.tasks.append((index, listed))

    def _add_own_directory(self, cwd: str) -> None:
        """The session's own directory, from the message that first says it until a call names one."""
        end = self.directories[0][0] if self.directories else len(self.messages)
        before = enumerate(self.messages[:end])
        index = next(
            (index for index, message in before if cwd and any(cwd in line for line in message.lines)), None
        )
        if index is not None:
            self.directories.insert(0, (index, cwd))


def _spoken(message: SessionMessage) -> str:
    if message.role not in ("user", "assistant"):
        return ""
    return "\n".join([message.text, *(str(value) for call in message.calls for value in call.arguments.values())])


# how a run ended


def ended(output: str, flagged: bool, check: bool = False, status_hidden: bool = False) -> Ended:
    """For one output. `flagged`: the host calls it an error. `status_hidden`: its exit code need not be its own."""
    head = output[:600]
    code = next(map(int, _CODE.findall(f"{head}\n{output[-200:]}")), None)
    by_status = flagged or code not in (None, 0)
    failed = by_status or (check and (status_hidden or code is None) and bool(_FAILS.search(output)))
    running = _RUNNING.search(head)
    lines = [_short(line.strip()) for line in output.split("\n") if not _is_wrapping(line)]
    lines = [line for line in lines if any(map(str.isalnum, line))]
    errors = [line for line in lines if _has(line, ERROR_WORDS)] or lines
    telling = [line for line in lines if _TELLING.search(line)]
    return Ended(
        failed,
        tuple(dict.fromkeys(errors[:ERROR_LINES])),
        tuple(dict.fromkeys(telling[-TELLING_LINES:])),
        running[1] if running else "",
        by_status,
    )


def _has(text: str, some: Iterable[str]) -> bool:
    """Whether one of these occurs in a text, in any case."""
    lowered = text.lower()
    return any(words in lowered for words in some)


def _is_wrapping(line: str) -> bool:
    start = line.lstrip()
    return start.startswith(WRAPPING) or (start.startswith("{") and line.endswith('"output":"'))


def _short(line: str) -> str:
    """Its start, cut between words; nothing for a line that is one long word."""
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS + 1].rpartition(" ")[0]
