"""Turns the lines of a message that stands for others into the commands that they tell of, each with its state."""

import re
from collections.abc import Callable, Iterator

from ctxmgr.study.probes.evidence import FactState
from ctxmgr.study.probes.index import STATE_WORDS, IndexedMessage
from ctxmgr.study.probes.kinds import COMMAND_CHARACTERS
from ctxmgr.study.probes.reading import CommandRun, programs, wording
from ctxmgr.study.probes.session import Examined

Visible = Callable[..., bool]  # whether the list shows one of these messages

COMMAND_STATES: tuple[FactState, ...] = ("failed", "working")

LAST_LINES = 15  # of an output, where a run is summed up

_SUMS = re.compile(
    r"^\W*(?:[\w /-]{1,30}: +)?(?:\d+ [\w ]{1,20}[,;|/] *)*[1-9]\d* (?:\w+ )?(?:failed|failures?|failing)\b"
    r"(?! \w+ \w)|\b(?:Failures|Errors|Failed|failures|failed|fail) ?[:=] ?[1-9]|^\W*(?:ℹ|#) fail [1-9]"
    r"|\bBUILD FAILED\b",
    re.MULTILINE,
)
_QUOTED = re.compile(r"`([^`]+)`")
_LABEL = re.compile(r"^\W*(?:Failed|Blocked): ")  # of a line that says its state first
_PRINTED = re.compile(r'"[^"]*"')  # what a command printed, word for word


def run_key(command: str) -> str:
    """Of a check its words without `cd` and filter, which changes neither what is checked nor what came of it; of
    any other all words: `git diff | grep x` fails by what it looks for."""
    text = wording.shortened(command, COMMAND_CHARACTERS)
    return programs.bare(text) if programs.is_check(text) else wording.joined(text)


def is_failed(of: Examined, run: CommandRun) -> bool:
    """Did it fail, by its status or by what its output counts in the end? What only shows a text is none of it."""
    if run.ended.failed or programs.only_shows(run.command):
        return run.ended.failed
    last = of.history.turns[run.message_index].text.strip().split("\n")[-LAST_LINES:]
    return any(_SUMS.search(line) for line in last)


def statements(entry: IndexedMessage, number: int) -> Iterator[tuple[str, str]]:
    """Each command that a line quotes, with its state: by a word between it and the next thing that the line names,
    by what the line is called, or by the heading."""
    line = entry.lines[number]
    parts = list(_QUOTED.finditer(line))
    ends = (*(one.start() for one in parts[1:]), len(line))
    for one, end in zip(parts, ends, strict=False):
        said = _PRINTED.sub("", line[one.end() : end]).partition(";")[0]
        yield one[1], state(said) or state_first(line) or state(entry.heading(number))


def state_first(line: str) -> str:
    """The state that a line begins with, "" for none."""
    return "failed" if _LABEL.match(line) else ""


def state(text: str) -> str:
    said = frozenset(wording.words(text))
    return next((one for one in COMMAND_STATES if not said.isdisjoint(STATE_WORDS[one])), "")
