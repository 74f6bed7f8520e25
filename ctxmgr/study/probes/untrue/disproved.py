"""Turns a list into what it states and the recording disproves in another way than by the state of a thing.

Read are the messages that stand for others. A statement is untrue where

1. a commit is told as made that no git command printed or, where none made one, could have;
2. a command is told as standing failed, though later runs ended that: of a check those of `tried_again`, of
   anything else one of the same program and subcommand (`same_tool`);
3. two names in backticks are told as one taken for the other, and the newest message that says so has it the other
   way round;
4. a question is told as open that the user's next message answered;
5. a task is told as open that the newest list, which states all, leaves out, or that was done before it;
6. a file is told as changed of which every edit failed, and which no command names.

A line that tells how it became otherwise (`since`, `earlier`), or quotes the user, states nothing of now. What the
list shows by itself counts, as in `untrue`.
"""

import re
from collections.abc import Iterator, Mapping

from ctxmgr.study.probes.evidence import TextState
from ctxmgr.study.probes.index import STATE_WORDS, EvidenceIndex, Ids, IndexedMessage
from ctxmgr.study.probes.kinds import COMMAND_CHARACTERS, answered
from ctxmgr.study.probes.reading import CommandRun, programs, wording
from ctxmgr.study.probes.session import Examined
from ctxmgr.study.probes.untrue.same_tool import ended_by_tool
from ctxmgr.study.probes.untrue.stating import Visible, run_key, state, state_first, statements
from ctxmgr.study.probes.untrue.tried_again import ended_by

SAID_CHARACTERS = 120

_COMMITTED = re.compile(r"\bcommitted\b[\W_]{1,6}(?:as |in |at )?[\W_]{0,3}([0-9a-f]{7,40})\b", re.IGNORECASE)
_MAKES = wording.word_set("commit merge rebase cherry-pick revert pull am commit-tree")
_PAST = wording.word_set("since earlier before superseded formerly said reversed answered")
_PICKED = re.compile(
    r"`([^`\n]+)`,? +(?:rather than|instead of|over|and not|not|in place of) +"
    r"(?:the |a )?`([^`\n]+)`"
)
_OPEN = wording.word_set("open unanswered pending waiting")
_CHANGED = wording.word_set("changed edited modified written created updated wrote")
_PRINTED = re.compile(r'"[^"]*"|`[^`]*`')


def disproved(
    of: Examined, end: int, index: EvidenceIndex, later: Ids, number: int, visible: Visible
) -> Iterator[str]:
    """Of the stand-in of this number. `later`: this one and those after it."""
    entry = index.entries[number]
    yield from _commits(of, end, entry)
    yield from _commands(of, end, entry, visible)
    yield from _choices(of, end, entry, visible)
    yield from _questions(of, end, entry, visible)
    yield from _tasks(of, end, index, later, number, visible)
    yield from _files(of, end, entry, visible)


def _commits(of: Examined, end: int, entry: IndexedMessage) -> Iterator[str]:
    """Rule 1."""
    told = dict.fromkeys(found[1].lower() for line in entry.lines for found in _COMMITTED.finditer(line))
    if not told:
        return
    printed: list[str] = []
    makes = False
    running: dict[str, bool] = {}
    for one in of.history.turns[:end]:
        for call in one.calls:
            ran = {name for command in call.did.commands for name in programs.in_git(command)}
            makes = makes or not ran.isdisjoint(_MAKES)
            scripted = not call.did.commands or any("git" in command for command in call.did.commands)
            running[call.id] = bool(ran) or scripted
        if one.role == "toolResult" and running.get(one.call_id):
            printed.append(one.text.lower())
        if one.role == "user":
            printed.append(one.text.lower())
    for name in told:
        if not makes or not any(name[:7] in text for text in printed):
            yield f"told as committed, no git command made it: {name}"


def _commands(of: Examined, end: int, entry: IndexedMessage, visible: Visible) -> Iterator[str]:
    """Rule 2."""
    ran = [run for run in of.history.runs if run.message_index < end and not run.path]
    newest = {run_key(run.command): run for run in ran}
    for number, line in enumerate(entry.lines):
        for quoted, told in statements(entry, number):
            run = newest.get(run_key(quoted)) or _begun(quoted, newest)
            if run is None or visible(run.call_message_index, run.message_index):
                continue
            stands = "failed" in (state(entry.heading(number)), state_first(line)) and not _is_past(line)
            if told == "failed" and stands and run.ended.failed:
                later = [one for one in ran if one.message_index > run.message_index]
                printed = [of.history.turns[one.message_index].text for one in (run, *later)]
                wider = ended_by(run, later, printed) if run.check else None
                wider = wider or ended_by_tool(run, later, printed)
                if wider is not None and not visible(wider.call_message_index, wider.message_index):
                    yield f"told as failed, ended by `{wider.command[:COMMAND_CHARACTERS]}`: {run.command[:80]}"


def _begun(quoted: str, newest: Mapping[str, CommandRun]) -> CommandRun | None:
    """The one run whose command begins as a quoted one that is cut; None where there is not one."""
    start = wording.joined(quoted.removesuffix("…")).rstrip()
    found = [run for run in newest.values() if wording.joined(run.command).startswith(start)]
    return found[0] if quoted.endswith("…") and start and len(found) == 1 else None


def _is_past(line: str) -> bool:
    return not _PAST.isdisjoint(wording.words(line))


def _choices(of: Examined, end: int, entry: IndexedMessage, visible: Visible) -> Iterator[str]:
    """Rule 3."""
    told = {(taken, left) for line in entry.lines if not _is_past(line) for taken, left in _PICKED.findall(line)}
    for taken, left in sorted(told):
        pair = {(taken, left), (left, taken)}
        said = [
            (at, one)
            for at, turn in enumerate(of.history.turns[:end])
            if turn.role in ("user", "assistant")
            for one in _PICKED.findall(turn.text)
            if one in pair
        ]
        if said and said[-1][1] == (left, taken) and not visible(said[-1][0]):
            yield f"told as `{taken}` and not `{left}`, is the other way round"


def _questions(of: Examined, end: int, entry: IndexedMessage, visible: Visible) -> Iterator[str]:
    """Rule 4."""
    for question, answer, at in answered(of.history, end):
        pieces = wording.pieces(question)
        if visible(at) or all(piece in entry.joined for piece in wording.pieces(answer)):
            continue
        for number, line in enumerate(entry.lines):
            said = wording.joined(line)
            if pieces and all(piece in said for piece in pieces) and not _is_past(line):
                about = wording.words(f"{entry.heading(number)} {line.replace(question, ' ')}")
                if not _OPEN.isdisjoint(about):
                    yield f"told as open, was answered: {question[:SAID_CHARACTERS]}"


def _tasks(
    of: Examined, end: int, index: EvidenceIndex, later: Ids, number: int, visible: Visible
) -> Iterator[str]:
    """Rule 5."""
    lists = [one for one in of.history.tasks if one.message_index < end]
    if not lists or visible(lists[-1].message_index, lists[-1].message_index - 1):
        return
    now = {wording.joined(task.text) for task in lists[-1].tasks}
    for task in {task.text: task for one in lists[:-1] for task in one.tasks}.values():
        name = wording.joined(task.text)
        is_open, done = index.holders(TextState((name,), "open")), index.holders(TextState((name,), "done"))
        if name not in now and number in is_open and done.isdisjoint(later):
            yield f"told as open, is closed: {task.text}"


def _files(of: Examined, end: int, entry: IndexedMessage, visible: Visible) -> Iterator[str]:
    """Rule 6."""
    edits = [run for run in of.history.runs if run.message_index < end and run.path]
    tried = {run.path for run in edits if run.ended.failed}
    changed = {one.path for one in of.history.touches if one.message_index < end and one.action != "read"}
    named = "\n".join(run.command for run in of.history.runs if run.message_index < end and not run.path)
    for path in sorted(tried - changed - {run.path for run in edits if not run.ended.failed}):
        name = path.rpartition("/")[2]
        if name in named or visible(*(run.message_index for run in edits if run.path == path)):
            continue
        for number, line in enumerate(entry.lines):
            own = _PRINTED.sub(" ", line)
            failed = not STATE_WORDS["failed"].isdisjoint(wording.words(f"{line} {entry.heading(number)}"))
            if path in line and not _CHANGED.isdisjoint(wording.words(own)) and not failed:
                yield f"told as changed, no edit worked: {path}"
