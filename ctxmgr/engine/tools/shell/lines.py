"""Turns a shell's command line into its effects: the files it reads, writes, edits, deletes or moves; and says what
its exit status says of the commands that it is about.

Rules of effects:

1. `files` finds reads and changes.
2. A look changes nothing (`ls`, `rg`, `git status`); a check runs tests, a build or a linter. Repeating either
   shows its newer state. Looks and checks are known by name (`programs`); everything else is a run.
3. `cd` applies to the rest of the line. What is not understood only counts as having run.

Rules of status:

1. A line is about what it runs; if it runs nothing, about what it looks at; never about `cd`, `echo` and the like.
2. Status 0 covers the last pipeline and those that `&&` connects to it, and of a pipe only the last command. It
   says nothing of what is beside `||` or behind `!`, or of a line that is not understood.
3. Status 1 of a program that finds or compares is an answer. If a command for which it is none may have caused it,
   it says nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import structs

from ctxmgr.engine.tools.effects import RUN, CallEffects, CallOutcome, FileEffect, Shell, ShellStatus
from ctxmgr.engine.tools.names import EffectKind
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.files import changes, reads, texts
from ctxmgr.engine.tools.shell.programs import (
    SEARCHES,
    SHELLS,
    SILENT,
    answers_by_one,
    is_check,
    is_dry,
    is_look,
    subject_of,
    words_of,
)
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, Word, name_of, parse, pipelines_of
from ctxmgr.engine.tools.shell.wrappers import MOST_SHELLS, handed_line, unwrapped

_GOES = tuple((name,) for name in ("cd", "pushd", "popd"))


def of_shell(line: str, directory: str = "", depth: int = 0) -> CallEffects:
    """What a command line does, run in this directory ("" if unknown). `depth`: how many lines contain it."""
    pipelines = parse(line)
    if pipelines is None:
        return CallEffects((RUN,), shell=Shell(line, status=status_of(line, depth)))
    effects: list[FileEffect] = []
    repeats, moved = True, False
    left: list[tuple[str, bool]] = []  # the directories of the shells around a subshell
    for pipeline in pipelines:
        left += [(directory, moved)] * pipeline.opens
        words = pipeline.commands[0].words
        if words[:1] in _GOES:
            to = _directory(words) if words[0] != "popd" else UNKNOWN
            directory, moved = UNKNOWN if to == UNKNOWN else joined(directory, to), True
            touched, again = ([RUN], False) if pipeline.substitutes else ([], True)
        else:
            touched, again = _within(pipeline, directory, depth) or _of_pipeline(pipeline, directory)
        effects += touched
        repeats = repeats and again
        for _ in range(pipeline.closes):
            directory, moved = left.pop()
    went = directory if moved else ""
    return CallEffects(tuple(effects), repeats and bool(effects), Shell(line, went, status_of(line, depth)))


def texts_in(line: str) -> Iterator[tuple[str, str, str]]:
    """What `files.texts` finds in the pipes of a command line, in order."""
    for pipeline in parse(line) or ():
        yield from texts(list(map(_plain, pipeline.commands)))


def _plain(command: ShellCommand) -> ShellCommand:
    """The command without leading variables or a time limit."""
    words = command.words
    while words and words[0] and ("=" in words[0] or words[0] in ("command", "sudo", "env")):
        words = words[1:]
    if len(words) > 2 and words[0] == "timeout":
        words = words[2:]
    return structs.replace(command, words=words)


def _within(pipeline: Pipeline, directory: str, depth: int) -> tuple[list[FileEffect], bool] | None:
    """What the one-word script of `bash -c` does, in its own shell; None for anything else."""
    command = _plain(pipeline.commands[0])
    options = command.words[1:2]
    if len(pipeline.commands) > 1 or command.writes or len(command.words) != 3 or depth >= MOST_SHELLS:
        return None
    line = command.words[2]
    if line is None or name_of(command) not in SHELLS or options not in (("-c",), ("-lc",)):
        return None
    done = of_shell(line, directory, depth + 1)
    return list(done.effects), done.repeats or not done.effects


def _directory(words: Sequence[Word]) -> str:
    """Where `cd` goes; a relative path from an unknown directory names no file."""
    to = words[1] if len(words) == 2 else "~" if len(words) < 2 else None
    return to if to and to != "-" else UNKNOWN


def _of_pipeline(pipeline: Pipeline, directory: str) -> tuple[list[FileEffect], bool]:
    """(what it affects, whether it is a look or a check)."""
    first, *behind = commands = list(map(_plain, pipeline.commands))
    if not first.words and not pipeline.substitutes and (behind or not first.writes):
        return [RUN], False
    changed = changes(commands, directory)
    if pipeline.substitutes:
        return [RUN, *(effect for effect in changed or () if effect != RUN)], False
    if changed is not None:
        return list(changed), False
    if name_of(first) in SILENT and not behind:
        return [], True
    checks = is_check(first)
    if checks or not all(map(is_look, commands)):
        return [RUN], checks and all(map(is_look, behind))
    may_read = pipeline.sure and not any(command.writes for command in commands)
    look: EffectKind = "search" if name_of(first) in SEARCHES or first.words[:2] == ("git", "grep") else "list"
    return (reads(commands, directory) if may_read else []) or [FileEffect("", look)], True


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
    """The first of the pipelines that all succeeded if the line did (rule 2 of status)."""
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
    """What the status of one command of a pipeline says; None for one that no line is about (rule 1 of status)."""
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
