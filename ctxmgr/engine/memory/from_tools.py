"""Turns a tool result and its call into facts: files read and changed, checks and how they ended, commits, tasks.

Rules:
1. A result's text is data: it is never parsed for headings, checklists or packets. The counts of a check are kept
   (`3 failed, 41 passed`); if it failed without counts, the first line in its output that names a failure.
2. Facts come from the result. Without a result, or if a person refused the call, nothing counts as done.
3. Reading and changing one path are two keys, so that a read after an edit does not hide the edit.
4. Of the commands that a shell runs, checks give facts: tests, builds, linters, type checkers, as the catalog of
   commands defines them. A search, a look or a probe gives none, however it ends, and neither does a command that
   only lists what it would run. A check that continues in the background ends with the result of a call that asks
   about its id (`runs`).
5. A task list is stated as a whole: its tasks have the tool's listing, and one fact says when it was stated. So a
   task that a later list omits is closed, whichever list is seen first.
6. A task that is stated by itself is identified by the id from its tool. A call with its state but no text adds
   only the state, and one with its text but no state only the text (`fold` combines them). A task that the tool
   does not know is ignored. The same applies to the tasks that a host's own task tool prints.
"""

from collections.abc import Iterator, Mapping

from ctxmgr.engine.memory.command_log import commits_of_call
from ctxmgr.engine.memory.facts import Statements, id_key
from ctxmgr.engine.memory.wording import COMMAND_CHARACTERS, both_ends, code, command_line, key_of, plain, shorten
from ctxmgr.engine.tools import (
    CallOutcome,
    EffectKind,
    RunReport,
    Task,
    ToolCall,
    asks_for,
    call_of_block,
    check_kind,
    counts_text,
    created_id,
    end_of_run,
    file_text,
    git_calls,
    goes_on_as,
    is_formatter,
    is_refused,
    listed_tasks,
    never_began,
    outcome,
    plan_answer,
    plan_title,
    refuses_task,
    rejection,
    result_kind,
    subjects_of,
    user_answers,
    weighed_run,
)
from ctxmgr.engine.tools.shell import words_of
from ctxmgr.model import Block
from ctxmgr.model.saved import APPROVED, END_OF, GOES_ON, REJECTED, RENAMED, STATE, Source

OUTCOME_CHARACTERS = 200  # of what a run's output said

_STATUSES: dict[EffectKind, str] = {
    "read": "read",
    "write": "written",
    "edit": "edited",
    "delete": "deleted",
    "move": "deleted",
}
NO_CALLS: Mapping[str, Block] = {}
_PATCHED = "patching file "  # what `patch` prints before each file


def from_result(result: Block, call: Block, into: Statements, calls: Mapping[str, Block] = NO_CALLS) -> None:
    """Adds the facts of one tool result. `call`: the block that makes the call. `calls`: the calls before it, by
    id.
    """
    made = call_of_block(call)
    text = result.text
    if made is None or from_dialogue(result, call, made, into, calls) or (result.is_error and is_refused(text)):
        return
    ended = outcome(made, text, result.is_error, result.doubtful or result.untold)
    if ended != "failed":
        _files(made, text, call.tool, into)
        _tasks(made, text, into)
        for task in listed_tasks(text) if result_kind(call.made) == "tasks" else ():
            _task(task, task.id, into)
    if made.shell is not None:
        commits_of_call(list(git_calls(made.shell.command)), text, ended, into)
        _checked(made, text, result.is_error, result.doubtful or result.untold, into)
    elif made.tasks is None and (run := asks_for(call.arguments or {})):
        _came_to(run, result, into)


def from_shell(text: str, call: ToolCall, is_error: bool, into: Statements) -> None:
    """Adds the facts of the user's own shell run. `text`: the command, a newline and the output."""
    if call.shell is None:
        return
    output = text.removeprefix(call.shell.command.strip())
    ended = outcome(call, output, is_error)
    if ended != "failed":
        _files(call, output, "", into)
    commits_of_call(list(git_calls(call.shell.command)), output, ended, into)
    _checked(call, output, is_error, False, into)


def _files(call: ToolCall, text: str, tool: str, into: Statements) -> None:
    """Adds the files that a call read or changed (rule 3). `tool`: the name to report, or "" for the user's own
    run.
    """
    for status, path in _touched(call, text):
        key = f"{'read' if status == 'read' else 'changed'}\n{path}"
        into.add("file", key, path, "tool", status, "" if status == "read" else tool)


def _touched(call: ToolCall, result: str) -> Iterator[tuple[str, str]]:
    """(status, path) of each file that a call read or changed. The result of `patch` names the files that it
    changed.
    """
    for effect in call.effects:
        if effect.kind not in _STATUSES:
            continue
        path = plain(effect.path)
        if path:
            yield _STATUSES[effect.kind], path
        if effect.to:
            yield "written", plain(effect.to)
    if call.shell is not None and any(run.partition(" ")[0] == "patch" for run in call.shell.status.subjects):
        for line in result.splitlines():
            if line.startswith(_PATCHED):
                yield "edited", plain(line.removeprefix(_PATCHED).strip("'"))


def _checked(call: ToolCall, output: str, is_error: bool, doubtful: bool, into: Statements) -> None:
    """Adds how the checks of a shell call ended (rule 4)."""
    shell = call.shell
    assert shell is not None
    line = shell.command.strip()
    kinds = set(filter(None, map(check_kind, shell.status.subjects)))
    if shell.status.about == "look" or not kinds:
        return
    ended_line, report = weighed_run(shell, output, outcome(call, output, is_error, doubtful))
    if ended_line == "failed" and not report.counts and never_began(output):
        return
    key = key_of(line) if len(line) > COMMAND_CHARACTERS else line
    run = goes_on_as(output) if ended_line == "unknown" else ""
    for kind in sorted(kinds):
        ended = end_of_kind(kind, line, ended_line, report)
        own = len(kinds) == 1 or kind == "test"  # then the counts of the line belong to its tests
        detail = _counted(ended, report) if own and ended != "unknown" else ""
        told = f"{GOES_ON}{run}" if run else detail
        into.add("command", f"{kind}\n{key}", command_line(line), "tool", ended, told, kind)


def _came_to(run: str, result: Block, into: Statements) -> None:
    """Adds how the continued run `run` ended, or the id under which it continues now."""
    ended, report = end_of_run(result.text, result.is_error, result.doubtful or result.untold)
    run_on = goes_on_as(result.text) if ended == "unknown" else ""
    detail = f"{GOES_ON}{run_on}" if run_on else _counted(ended, report)
    into.add("command", f"{END_OF}{run}", "", "tool", ended, detail)


def _counted(ended: CallOutcome, report: RunReport) -> str:
    """The counts in an output; for a failure without counts, the first line that names one."""
    counted = counts_text(report.counts) or (plain(report.lines[0]) if report.lines and ended == "failed" else "")
    return shorten(counted, OUTCOME_CHARACTERS)


def _tasks(call: ToolCall, result: str, into: Statements) -> None:
    """Adds the tasks that a call states: a whole list with the time when it was stated, or single tasks by their
    ids.
    """
    if call.tasks is None or refuses_task(result):
        return
    if not call.tasks.whole:
        for task in call.tasks.tasks:
            _task(task, task.id or created_id(result), into)
        return
    name = "".join(filter(str.isalnum, call.tool.rsplit(".", 1)[-1].casefold()))
    listing = f"tool:{name}"
    into.add("listing", listing, "", "assistant", listing=listing)
    for task in call.tasks.tasks:
        if task.status != "dropped":
            into.add("task", key_of(task.text), plain(task.text), "assistant", task.status, listing=listing)


def _task(task: Task, number: str, into: Statements) -> None:
    """Adds one task, or only its text or its state. `number`: its id, or ""."""
    key = id_key(number) if number else key_of(task.text)
    part = RENAMED if task.text and not task.status else "" if task.text else STATE
    if task.text or task.status:
        into.add("task", key, plain(task.text), "assistant", task.status, listing=part)


CALL_CHARACTERS = 120  # of a rejected call
QUESTION_CHARACTERS, SAID_CHARACTERS = 240, 400
PLAN_CHARACTERS = 12_000  # of an approved plan: about 3,000 tokens


def from_dialogue(result: Block, call: Block, made: ToolCall, into: Statements, calls: Mapping[str, Block]) -> bool:
    """Adds what the user says in this result. Returns whether the call does nothing else; a call that may have been
    rejected counts as not done.
    """
    kind, arguments = result_kind(call.made), call.arguments or {}
    refusal = rejection(result, call)
    if refusal is not None:
        what = f"the plan {plain(plan_title(arguments))}" if kind == "plan" else _called(made)
        _add_answer(what, refusal.reason, REJECTED, into, "user" if refusal.sure else "tool")
        return True
    if result.is_error or kind not in ("answers", "plan"):
        return False
    if kind == "answers":
        for question, reply in user_answers(arguments, result.text):
            _add_answer(plain(question), reply, "", into)
    elif (plan := plan_answer(arguments, result.text)) is not None:
        if plan.approved:
            text = (file_text(plan.path, calls.values()) if plan.path else "") or plan.text
            add_plan(plan_title({"plan": text}), text, into)
        else:
            _add_answer(_plan_named(plan.title), plan.reason, REJECTED, into)
    return True


def add_plan(title: str, text: str, into: Statements) -> None:
    """Adds a plan that the user approved."""
    what = _plan_named(title)
    into.add("question", _question_key(what, into), what, "user", APPROVED, both_ends(text, PLAN_CHARACTERS))


def _plan_named(title: str) -> str:
    return f"the plan {plain(title)}".strip()


def _add_answer(what: str, reply: str, status: str, into: Statements, source: Source = "user") -> None:
    text, detail = both_ends(what, QUESTION_CHARACTERS), both_ends(plain(reply), SAID_CHARACTERS)
    into.add("question", _question_key(text, into), text, source, status, detail)


def _question_key(text: str, into: Statements) -> str:
    return f"{into.stamp.origin}\n{text}"


def _called(call: ToolCall) -> str:
    """The call as inline code, on one line."""
    asked = call.shell.command if call.shell is not None else f"{call.tool} {call.main_argument}".strip()
    return code(asked.strip().partition("\n")[0], CALL_CHARACTERS)


_BESIDE = words_of(
    "cd pushd popd source export set unset env echo printf mkdir touch sleep true tail head tee cat sort uniq"
)


def end_of_kind(kind: str, line: str, ended: CallOutcome, report: RunReport) -> CallOutcome:
    """How a check of this `kind` ended, in a `line` that ended as `ended` and printed `report`."""
    counts_failed = any(number and word.endswith("failed") for number, word in report.counts)
    if kind == "test" and counts_failed and ended != "unknown":
        return "failed"
    beside = (
        subject
        for subject in subjects_of(line)
        if not is_formatter(subject) and subject.partition(" ")[0] not in _BESIDE
    )
    return "unknown" if ended == "failed" and any(check_kind(subject) != kind for subject in beside) else ended
