"""Turns a shell's command line into its effects: the files it reads, writes, edits, deletes or moves.

Rules:

1. `files` finds reads and changes.
2. A look changes nothing (`ls`, `rg`, `git status`); a check runs tests, a build or a linter. Repeating either
   shows its newer state. Looks and checks are known by name (`programs`); everything else is a run.
3. `cd` applies to the rest of the line. What is not understood only counts as having run.
"""

from collections.abc import Iterator, Sequence

from msgspec import structs

from ctxmgr.engine.tools.effects import RUN, CallEffects, FileEffect, Shell
from ctxmgr.engine.tools.names import EffectKind
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.files import changes, reads, texts
from ctxmgr.engine.tools.shell.programs import SEARCHES, SHELLS, SILENT, is_check, is_look
from ctxmgr.engine.tools.shell.status import status_of
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, Word, name_of, parse
from ctxmgr.engine.tools.shell.wrappers import MOST_SHELLS

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
