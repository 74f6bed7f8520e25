"""Turns a list into what it states and does not hold: LongMemEval's knowledge update, by rule.

Read are the messages that stand for others (packet, summary). A statement is untrue where

1. a command is told as failed whose newest run worked, or as working whose newest run failed, by its status or by
   what its output counts;
2. a file is told as changed that is deleted;
3. a task is told as open that is done;
4. what `disproved` names;
5. tests, linters or builds are told to have ended otherwise than their newest run (`check_states`);

and the list does not show the newer call as well, or its result, nor is a command, a file or a task told as it is
by what stands for others further on: a packet corrects an older summary that nobody may change. A command is told
where a part of a line in backticks is that command; of a check, a `cd` before it and a filter of its output aside.
Another test is another command. That a line failed since which another worked is so, whatever came of it itself. A
state is a word by itself: a longer name that has it for a part states nothing,
and a quoted output neither. A deleted directory in which a file was changed since is there again.
"""

import re
from collections.abc import Iterator, Sequence

from ctxmgr.study.probes.evidence import PathState, TextState
from ctxmgr.study.probes.index import EvidenceIndex, Ids
from ctxmgr.study.probes.kinds import COMMAND_CHARACTERS
from ctxmgr.study.probes.reading import wording
from ctxmgr.study.probes.session import Examined
from ctxmgr.study.probes.untrue.check_states import check_states
from ctxmgr.study.probes.untrue.disproved import disproved
from ctxmgr.study.probes.untrue.stating import Visible, is_failed, run_key, statements

_WORKED_SINCE = re.compile(r"` worked since\b")


def untrue(of: Examined, end: int, index: EvidenceIndex, ids: Ids, stand_ins: Sequence[int]) -> tuple[str, ...]:
    """The statements, each once. `ids`: all messages of the list; `stand_ins`: those that stand for others, in
    their order."""
    if not stand_ins:
        return ()
    originals = ids.difference(stand_ins)

    def visible(*places: int) -> bool:
        return any(index.find(of.course.items[place].raw) in originals for place in places)

    found: dict[str, None] = {}
    for place, number in enumerate(stand_ins):
        later = frozenset(stand_ins[place:])
        for text in (
            *_commands(of, end, index, later, number, visible),
            *_files(of, end, index, later, number, visible),
            *_tasks(of, end, index, later, number, visible),
            *disproved(of, end, index, later, number, visible),
            *check_states(of, end, index.entries[number], visible),
        ):
            found.setdefault(text)
    return tuple(found)


def _commands(
    of: Examined, end: int, index: EvidenceIndex, later: Ids, number: int, visible: Visible
) -> Iterator[str]:
    """`later`: this stand-in and those after it."""
    entry = index.entries[number]
    ran = [run for run in of.history.runs if run.message_index < end and not run.path]
    newest = {run_key(run.command): run for run in ran}
    for line in range(len(entry.lines)):
        was = entry.lines[line].count("`") > 2 and _WORKED_SINCE.search(entry.lines[line])
        for quoted, told in statements(entry, line):
            run = newest.get(run_key(quoted))
            if run is not None and not was and not visible(run.call_message_index, run.message_index):
                now = "failed" if is_failed(of, run) else "working"
                if told not in ("", now) and not _corrected(index, later - {number}, run_key(quoted), now):
                    yield f"told as {told}, is {now}: {run.command[:COMMAND_CHARACTERS]}"


def _corrected(index: EvidenceIndex, later: Ids, key: str, now: str) -> bool:
    """Does one of these tell the command as it is?"""
    return any(
        told == now and run_key(quoted) == key
        for entry in (index.entries[other] for other in later)
        for line in range(len(entry.lines))
        for quoted, told in statements(entry, line)
    )


def _files(
    of: Examined, end: int, index: EvidenceIndex, later: Ids, number: int, visible: Visible
) -> Iterator[str]:
    """`later`: this stand-in and those after it."""
    newest = {
        touch.path: touch for touch in of.history.touches if touch.message_index < end and touch.action != "read"
    }
    for path, touch in newest.items():
        again = any(
            one.startswith(f"{path}/") and at.message_index > touch.message_index for one, at in newest.items()
        )
        if touch.action == "deleted" and not again and not visible(touch.message_index, touch.message_index - 1):
            changed, deleted = index.holders(PathState(path, "changed")), index.holders(PathState(path, "deleted"))
            if number in changed and deleted.isdisjoint(later):
                yield f"told as changed, is deleted: {path}"


def _tasks(
    of: Examined, end: int, index: EvidenceIndex, later: Ids, number: int, visible: Visible
) -> Iterator[str]:
    listed = next((one for one in reversed(of.history.tasks) if one.message_index < end), None)
    for task in listed.tasks if listed else ():
        name = wording.joined(task.text)
        if task.done and listed and not visible(listed.message_index, listed.message_index - 1):
            is_open, done = index.holders(TextState((name,), "open")), index.holders(TextState((name,), "done"))
            if number in is_open and done.isdisjoint(later):
                yield f"told as open, is done: {task.text}"
