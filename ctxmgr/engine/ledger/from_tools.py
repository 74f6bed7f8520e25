"""Turns a tool result and its call into facts: files read and changed, commands and how they ended, task lists.

Rules:
1. A result's text is data: it is never parsed for headings, checklists or packets. What it counted is kept
   (`3 failed, 41 passed`), of a failed result one quoted line of at most 200 characters, and nothing else.
2. Facts come from the result; a call whose result never came, or that a person refused, did nothing that is known.
3. Reading and changing one path are two keys, so that a read after an edit does not hide the edit.
4. What failed is known by tool and key argument, so that the same thing succeeding clears it. Of a shell
   command the argument is what it runs: `CI=1 npm test 2>&1 | tail -5` is `npm test`, and `npm test | grep x` too,
   while what is looked at through a filter is another look. Where it runs counts. An outcome that can not be told
   is unknown: it neither blocks nor worked; that it worked before no longer holds, that it failed does. What ended
   with 0, though its output says that it failed, is told by its output.
5. A task list is stated whole: its tasks carry the tool's listing, and one fact says when it was stated; so a
   task that a later list leaves out is closed, in whatever order the lists are seen.
6. A task that is stated alone is known by the id that its tool gave it. A call that says its state and not its text
   states that alone, and one that says its text and not its state (`fold` puts them together). One that the tool
   does not know is none. What a host's own task tool prints of its tasks is so.
7. A file that git takes back to what was committed says so by a fact of its own; `fold` puts it together with what
   was changed.
8. A run that goes on ends with the result of a call that asks for it by its id; `fold` puts them together, too.
"""

import re
from collections.abc import Iterator

from ctxmgr.engine.ledger import task_ids
from ctxmgr.engine.ledger.from_dialogue import from_dialogue
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.ledger.values import values_of_call
from ctxmgr.engine.text import command_line, key_of, plain, shorten
from ctxmgr.engine.tools import (
    CallOutcome,
    EffectKind,
    RunReport,
    Task,
    ToolCall,
    asks_for,
    brought_back,
    call_of_block,
    counts_text,
    created_id,
    end_of_run,
    failed_parts,
    goes_on_as,
    is_refused,
    is_usage_error,
    listed_tasks,
    only_counts,
    outcome,
    refuses_task,
    result_kind,
    runs_in,
    scopes_of,
    unwrapped,
    weighed_run,
)
from ctxmgr.engine.tools.shell import window
from ctxmgr.model import Block
from ctxmgr.model.saved import ABOUT, BROUGHT_BACK, END_OF, GOES_ON, RENAMED, STATE, UNTOLD

ERROR_CHARACTERS = 200  # of an error's line, wherever it is told
COMMAND_CHARACTERS = 240  # a longer one is known by its words, and a digest of them
EDGE_CHARACTERS = 20_000  # of a longer output only so much of its start and end is looked at for an error
ESSENTIAL_CHARACTERS = 2_000  # a longer command is a script: taken as it is
MOST_SUBJECTS = 8  # of a line that runs more, the first are known
SHELL = "shell"  # one key for every shell tool and the user's own runs


_STATUSES: dict[EffectKind, str] = {
    "read": "read",
    "write": "written",
    "edit": "edited",
    "delete": "deleted",
    "move": "deleted",
}
_NOT_NAME = re.compile(r"[^a-z0-9]+")
_PATCHED = re.compile(r"^patching file '?([^'\n]{1,200}?)'?$", re.MULTILINE)
_BEFORE = re.compile(r"^\s*(?:export\s+)?[A-Z_][A-Z0-9_]*=\S*(?:\s*(?:&&|;))?\s+")
_AFTER = re.compile(
    r"\s*(?:2>&1|2>\s*/dev/null|\|\s*(?:tail|head|less|cat|tee)\b[^|;&]*"
    r"|(?:\|\||;)\s*(?:true|echo\b[^|;&]*))\s*$"
)
_FILTER = re.compile(
    r"(?<!\|)\|&?(?!\|)\s*(?:[efz]?grep|rg|sort|uniq|wc|cut|tr|awk|sed|nl|jq|column)\b"
    r"(?:[^|;&\"']|\"[^\"]*\"|'[^']*')*$"
)
_STRONG = re.compile(
    r"\berror\b\s*(?:TS\d+|\[\w+\])?\s*:|\b\w*(?:Error|Exception)\b(?:\s\[\w+\])?:"
    r"|^fatal:|^FAIL|\bpanicked at\b"
)
_WEAK = re.compile(
    r"\b(?:errors?|fail(?:ed|ure)?|cannot|can't|could not|couldn't|not found|no such|denied|invalid|unexpected"
    r"|expected|undefined|unable|refused|timed out|aborted|exited with)\b|[✗✘×]",
    re.IGNORECASE,
)
_WRAPPING = re.compile(
    r"^(?:(?:process|command|script)\b.{0,40}\b(?:code:? -?\d+|completed|failed)|exit code:? \d+|chunk id: .*"
    r"|wall time.*|original token count.*|total output lines.*|output:|<returncode>.*)$",
    re.IGNORECASE,
)  # what a host puts around an output
_SERVER = "HTTP"
_COMPLAINS = re.compile(r"([a-z][\w.+-]*): \S.*|HTTP/[\d.]+ [45]\d\d\b.*")
_STOPPED = re.compile(
    r"\W*(?:(?:command|process|execution)(?: was)? (?:aborted|cancell?ed|interrupted)"
    r"|(?:aborted|cancell?ed|interrupted) by (?:the )?user)\b.{0,40}$",
    re.IGNORECASE,
)  # what a host puts last under the output of a run that a person stopped
_NO_ERROR = re.compile(
    r"\b(?:0|no) (?:errors?|failed|failures?)\b|^\s*>\s|^\s*\d+ \||^npm (?:error|ERR!)", re.IGNORECASE
)
_PASSING = re.compile(r"\b(?:pass(?:ed|ing)?|skip(?:ped|ping)?|success(?:ful(?:ly)?)?|ok)\b", re.IGNORECASE)


def from_result(result: Block, call: Block, into: Statements) -> None:
    """Add the facts of one tool result and the block that makes the call that it answers."""
    made = call_of_block(call)
    text = result.text
    if made is None or from_dialogue(result, call, made, into) or (result.is_error and is_refused(text)):
        return
    told = result_kind(call.made)
    name = _NOT_NAME.sub("", call.tool.rsplit(".", 1)[-1].casefold())
    ended = outcome(made, text, result.is_error, result.doubtful or result.untold)
    touched = list(_touched(made, text))
    if ended != "failed":
        back = {plain(path) for path in brought_back(made.shell.command)} if made.shell is not None else set()
        for path in back:
            into.add("file", f"{BROUGHT_BACK}\n{path}", path, "tool", BROUGHT_BACK)
        for status, path in touched:
            if status == "edited" and path in back:
                continue
            into.add("file", f"{'read' if status == 'read' else 'changed'}\n{path}", path, "tool", status)
        _tasks(name, made, text, into)
        for task in listed_tasks(text) if told == "tasks" else ():
            _task(task, task.id, into)
    run = asks_for(call.arguments or {}) if made.shell is None and made.tasks is None else ""
    if not told:
        values_of_call(made, text, ended, into, runs_in(call.arguments or {}), run)
    if made.shell is not None:
        line = made.shell.command.strip()
        _ran(line, made, ended, text, into)
    elif run:
        _came_to(run, result, into)
    elif asked := (made.asked if made.kind != "run" else "") or (touched[0][1] if touched else ""):
        into.ran(_key(name, asked), command_line(f"{call.tool} {asked}"), ended, _detail(None, ended, text), "")


def from_shell(text: str, call: ToolCall, is_error: bool, into: Statements) -> None:
    """Add the facts of the user's own shell run; `text` is the command, a line end and the output."""
    if call.shell is None:
        return
    command = call.shell.command.strip()
    output = text.removeprefix(command)
    ended = outcome(call, output, is_error)
    values_of_call(call, output, ended, into)
    _ran(command, call, ended, output, into)


def essential(command: str, unfiltered: bool = False) -> str:
    """Return what a shell command runs, without variables before it and cut output after it; `unfiltered`: without
    any filter of its output."""
    before = command if len(command) > ESSENTIAL_CHARACTERS else None
    while before != command:
        before = command
        command = _AFTER.sub("", _BEFORE.sub("", command))
        command = _FILTER.sub("", command) if unfiltered else command
    return command.strip()


def error_line(text: str) -> str:
    """Return the one line of a failed result that says most, clean and at most 200 characters; "" if none."""
    found = [line for line in map(plain, unwrapped(_ends_of(text)).splitlines()) if line and line != "(no output)"]
    lines = [line for line in found if not _WRAPPING.match(line)] or found
    telling = [line for line in lines if not _NO_ERROR.search(line)]
    for tells in (_STRONG.search, is_usage_error, _WEAK.search):
        for line in telling:
            if tells(line):
                return shorten(line, ERROR_CHARACTERS)
    neutral = [line for line in telling if not _PASSING.search(line)]
    return shorten((neutral or telling or lines or [""])[-1], ERROR_CHARACTERS)


def _ran(line: str, call: ToolCall, ended: CallOutcome, output: str, into: Statements) -> None:
    """Add a command line of a shell, and how it ended."""
    assert call.shell is not None
    status = call.shell.status
    key = _key(SHELL, essential(line, status.about != "look"))
    run = goes_on_as(output) if ended == "unknown" and status.zero == "ok" else ""
    told, found = weighed_run(call.shell, output, ended)
    detail = f"{GOES_ON}{run}" if run else _detail(found, told, output) or _complaint(line, told, output)
    shown = command_line(line, [path for kind, path in _touched(call, "") if kind != "read"])
    beside = into.items_of(f"{UNTOLD}\n{shown}") if told == "unknown" and not run else into
    parts = failed_parts(line, output) if told == "failed" else ()
    beside.ran(key, shown, told, detail, "\n".join(status.subjects[:MOST_SUBJECTS]), "\n".join(parts))


def _came_to(run: str, result: Block, into: Statements) -> None:
    """Add how a run ended that went on as this, or what it goes on as now."""
    ended, found = end_of_run(result.text, result.is_error, result.doubtful or result.untold)
    goes_on = goes_on_as(result.text) if ended == "unknown" else ""
    detail = f"{GOES_ON}{goes_on}" if goes_on else _detail(found, ended, result.text)
    parts = failed_parts("", result.text) if ended == "failed" else ()
    into.ran(f"{END_OF}{run}", "", ended, detail, "", "\n".join(parts))


def _key(tool: str, argument: str) -> str:
    return f"{tool}\n{key_of(argument) if len(argument) > COMMAND_CHARACTERS else argument}"


def _detail(found: RunReport | None, ended: CallOutcome, output: str) -> str:
    """What was counted, where it is known how it ended; of a failure behind a line end the line that says most."""
    if ended == "unknown":  # what its output says, where that is why nobody knows
        read = found.lines if found is not None and found.ended == "failed" else ()
        return shorten(plain(read[0]), ERROR_CHARACTERS) if read else ""
    counts = (
        counts_text(found.counts) if found is not None and (found.ended == "failed") == (ended == "failed") else ""
    )
    if ended != "failed":
        return counts
    read = found.lines if found is not None and found.ended == "failed" else ()
    last = [
        plain(one) for one in output[-EDGE_CHARACTERS:].splitlines() if one.strip() and not _WRAPPING.match(one)
    ]
    if not counts and last and _STOPPED.match(last[-1]):
        return shorten(last[-1], ERROR_CHARACTERS)
    line = shorten(plain(read[0]), ERROR_CHARACTERS) if read else error_line(output)
    return f"{counts}\n{line if found is None or not only_counts(line, found) else ''}" if counts else line


def _complaint(line: str, ended: CallOutcome, output: str) -> str:
    """Of a line of which nobody knows how it ended the first that a program of it printed in its own name
    (`gh: Not Found`), or the status of a server that refused; "" for none."""
    if ended != "unknown":
        return ""
    names = {_SERVER, *(one.subject.partition(" ")[0] for one in scopes_of(line))}
    said = filter(None, map(_COMPLAINS.match, map(plain, _ends_of(output).splitlines())))
    found = next((one for one in said if (one[1] or _SERVER) in names), None)
    return shorten(found[0], ERROR_CHARACTERS) if found else ""


def _ends_of(text: str) -> str:
    """The start and the end of a long one."""
    long = len(text) > 2 * EDGE_CHARACTERS
    return f"{text[:EDGE_CHARACTERS]}\n{text[-EDGE_CHARACTERS:]}" if long else text


def _touched(call: ToolCall, result: str) -> Iterator[tuple[str, str]]:
    """(status, path) of each file that a call read or changed; of the open window its result names the file."""
    for effect in call.effects:
        if effect.kind not in _STATUSES:
            continue
        opened = window(result) if not effect.path else None
        path = plain(effect.path or (opened[0] if opened else ""))
        if path:
            yield _STATUSES[effect.kind], path
        if effect.to:
            yield "written", plain(effect.to)
    if call.shell is not None and any(run.partition(" ")[0] == "patch" for run in call.shell.status.subjects):
        for path in _PATCHED.findall(result):
            yield "edited", plain(path)


def _tasks(name: str, call: ToolCall, result: str, into: Statements) -> None:
    """Add the tasks that a call states: a whole list, and when it was stated; or one, by the id that it has."""
    if call.tasks is None or refuses_task(result):
        return
    if not call.tasks.whole:
        for task in call.tasks.tasks:
            _task(task, task.id or created_id(result), into)
        return
    listing = f"tool:{name}"
    items = into.items_of(listing)
    items.add("listing", listing, "", "assistant")
    for task in call.tasks.tasks:
        if task.status != "dropped":
            items.add("task", key_of(task.text), plain(task.text), "assistant", task.status)


def _task(task: Task, number: str, into: Statements) -> None:
    """Add one task, or as much of it as is said; `number`: its id, "" for none."""
    key = task_ids.id_key(number) if number else key_of(task.text)
    part = ABOUT if task.about else RENAMED if task.text and not task.status else "" if task.text else STATE
    if task.text or task.status or task.about:
        into.items_of(part).add("task", key, plain(task.text or task.about), "assistant", task.status)
