"""What the exit status of a command line says of the commands that the line is about.

Rules:

1. A line is about what it runs; if it runs nothing, about what it looks at; never about `cd`, `echo` and the like.
2. Status 0 covers the last pipeline and those that `&&` connects to it, and of a pipe only the last command. It
   says nothing of what is beside `||` or behind `!`, or of a line that is not understood.
3. Status 1 of a program that finds or compares is an answer. If a command for which it is none may have caused it,
   it says nothing.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import structs

from ctxmgr.engine.tools.effects import CallOutcome, ShellStatus
from ctxmgr.engine.tools.shell.programs import (
    SILENT,
    answers_by_one,
    is_check,
    is_dry,
    is_look,
    subject_of,
    words_of,
)
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, name_of, parse, pipelines_of
from ctxmgr.engine.tools.shell.wrappers import MOST_SHELLS, handed_line, unwrapped

_STEERS = words_of("wait exit return trap shift local unset shopt umask break continue disown source . read")
_ASKING = words_of("test [ [[ which type pgrep pkill tee expr lsof fuser false zgrep ack colordiff sdiff ps tty id")
_TO_THE_END = ("tail", "cat", "tee")  # programs that pass on the end of their input
WHOLE = 2**31  # lines; more than any output has
_HEAD_LINES = 10  # of a `head` without options
_HEADERS = ("-q", "--quiet", "--silent", "-v", "--verbose")  # options of `head` that count nothing


def status_of(line: str, depth: int = 0) -> ShellStatus:
    """What the status of a line says. `depth`: how many other shells contain it."""
    pipelines = pipelines_of(line) if depth <= MOST_SHELLS else ()
    is_parsed = parse(line) is not None
    covered = _covered(pipelines)
    commands = [
        [
            (index >= covered and command is pipeline.commands[-1], _command_status(pipeline, position, depth))
            for position, command in enumerate(pipeline.commands)
        ]
        for index, pipeline in enumerate(pipelines)
    ]
    named = [(is_covered, end) for pipe in commands for is_covered, end in pipe if end is not None]
    subject = [(is_covered, end) for is_covered, end in named if end.about != "look"] or named
    untold = [end for is_covered, end in subject if not (is_covered and end.on_zero == "ok")]
    on_zero: CallOutcome = "unknown" if untold or not pipelines else "ok"
    last = [end for *_, (_, end) in commands[_blamed(pipelines) :] if end is not None]
    ones = {end.on_one for end in (last if is_parsed else [end for _, end in named])}
    on_one: CallOutcome = "failed" if ones <= {"failed"} else on_zero if ones == {"ok"} else "unknown"
    kinds = {end.about for _, end in subject}
    is_check_line = "check" in kinds and is_parsed  # of another line nobody knows which part an output belongs to
    about: Literal["check", "run", "look"] = "check" if is_check_line else "look" if kinds == {"look"} else "run"
    subjects = tuple(dict.fromkeys(name for _, end in subject for name in end.subjects))
    shown = untold or [end for _, end in subject]
    return ShellStatus(on_zero, on_one, about, subjects, shown[0].shown_lines if len(shown) == 1 else 0)


def _covered(pipelines: Sequence[Pipeline]) -> int:
    """The first of the pipelines that all succeeded if the line did (rule 2)."""
    first = len(pipelines)
    while first and pipelines[first - 1].sure and (first == len(pipelines) or pipelines[first - 1].then == "&&"):
        first -= 1
    return first


def _blamed(pipelines: Sequence[Pipeline]) -> int:
    """The first of the pipelines one of which failed if the line did."""
    first = max(0, len(pipelines) - 1)
    while first and pipelines[first - 1].then in ("&&", "||"):
        first -= 1
    return first


def _command_status(pipeline: Pipeline, position: int, depth: int) -> ShellStatus | None:
    """What the status of one command of a pipeline says; None for one that a line is never about (rule 1)."""
    command = unwrapped(pipeline.commands[position])
    if not command.words or name_of(command) in SILENT or name_of(command) in _STEERS:
        return None
    shown = _shown_lines(pipeline, position)
    line = handed_line(command)
    if line is not None:
        inner = status_of(line, depth + 1)
        return structs.replace(inner, shown_lines=min(shown, inner.shown_lines))
    on_one: CallOutcome = "ok" if answers_by_one(command) else "failed"
    if is_look(command) or is_dry(command) or name_of(command) in _ASKING:
        return ShellStatus(on_one=on_one, about="look")
    about: Literal["check", "run"] = "check" if is_check(command) else "run"
    return ShellStatus(on_one=on_one, about=about, subjects=(subject_of(command),), shown_lines=shown)


def _shown_lines(pipeline: Pipeline, position: int) -> int:
    """The pipeline shows the end of this command's output if it shows fewer lines than this; 0: never."""
    behind = pipeline.commands[position + 1 :]
    if any(command.writes for command in pipeline.commands[position:]):
        return 0
    limits = [_head_lines(command) for command in behind if name_of(command) not in _TO_THE_END]
    return min(limits, default=WHOLE)


def _head_lines(command: ShellCommand) -> int:
    """How many lines a `head` prints; 0 if it counts otherwise or is another program."""
    if name_of(command) != "head":
        return 0
    option = "".join(word or "?" for word in command.words[1:] if word not in _HEADERS)
    number = option.lstrip("-").removeprefix("lines").removeprefix("=").removeprefix("n")
    if not option:
        return _HEAD_LINES
    return int(number) if number.isdecimal() and len(number) < 10 else 0
