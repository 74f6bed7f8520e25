"""Turns a shell's command line into its effects: the files it reads, writes, edits, deletes, moves or looks at.

Rules:

1. Reads are told by `reads`, what is changed by `changes`.
2. A look changes nothing (`ls`, `rg`, `git status`); a check runs tests, a build or a linter. The same one again
   shows the newer state. Looks and checks are known by name (`programs`); all else is a run.
3. An editor may show a window of one open file (SWE-agent's tools): what it shows, and often of which file, its
   result alone tells (`[File: src/a.py (90 lines total)]`).
4. `cd` counts for what follows it in the line. Of what is not understood nothing is said but that it ran.
"""

import re
from collections.abc import Sequence

from msgspec import structs

from ctxmgr.engine.tools.effects import RUN, CallEffects, FileEffect
from ctxmgr.engine.tools.names import EffectKind
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell import reads
from ctxmgr.engine.tools.shell.changes import MOST_FILES, changes
from ctxmgr.engine.tools.shell.programs import (
    GREPS,
    MOST_SHELLS,
    SEARCHES,
    SHELLS,
    SILENT,
    is_check,
    is_look,
    words_of,
)
from ctxmgr.engine.tools.shell.status import status_of
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, Word, name_of, parse

_GREP_VALUED = words_of(
    "-A -B -C -m -e -f -g -t -T --glob --type --include --exclude --context --max-count --regexp"
)
SCROLLS = frozenset(("goto", "scroll_up", "scroll_down"))
_EDIT = re.compile(r"edit(?:[ \t]+\d+:\d+)?[ \t]*\n")  # the open file's lines, up to `end_of_edit`
_WINDOW = re.compile(r"^\[File: (.+?) \((\d+) lines total\)\]", re.MULTILINE)
WINDOW_CHARACTERS = 4_000  # where the head of a window stands, behind a message of the editor
_GOES = tuple((name,) for name in ("cd", "pushd", "popd"))


def of_shell(line: str, directory: str = "", depth: int = 0) -> CallEffects:
    """What a command line does, run in this directory ("" where it is not known). `depth`: in so many others."""
    if _EDIT.match(line):
        return CallEffects((FileEffect("", "edit"),))
    pipelines = parse(line)
    if pipelines is None:
        return CallEffects((RUN,), status=status_of(line, depth))
    found: list[FileEffect] = []
    repeats, moved = True, False
    left: list[tuple[str, bool]] = []  # where the shells around a subshell are
    for pipeline in pipelines:
        left += [(directory, moved)] * pipeline.opens
        words = pipeline.commands[0].words
        if words[:1] in _GOES:
            to = _directory(words[1:]) if words[0] != "popd" else UNKNOWN
            directory = UNKNOWN if to == UNKNOWN else joined(directory, to)
            moved = True
            touched, again = ([RUN], False) if pipeline.substitutes else ([], True)
        else:
            touched, again = _within(pipeline, directory, depth) or _of_pipeline(pipeline, directory)
        found += touched
        repeats = repeats and again
        for _ in range(pipeline.closes):
            directory, moved = left.pop()
    went = directory if moved else ""
    return CallEffects(tuple(found), repeats and bool(found), went, status=status_of(line, depth))


def _plain(command: ShellCommand) -> ShellCommand:
    """The command without variables set before it, or a time limit."""
    words = command.words
    while words and words[0] and ("=" in words[0] or words[0] in ("command", "sudo", "env")):
        words = words[1:]
    if len(words) > 2 and words[0] == "timeout":
        words = words[2:]
    return structs.replace(command, words=words)


def _within(pipeline: Pipeline, directory: str, depth: int) -> tuple[list[FileEffect], bool] | None:
    """What `bash -c` is handed as one word does, in a shell of its own; None for anything else."""
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
    """Where `cd` goes; a relative path seen from where that is not known names no file."""
    if not words:
        return "~"
    return words[0] if len(words) == 1 and words[0] and words[0] != "-" else UNKNOWN


def _of_pipeline(pipeline: Pipeline, directory: str) -> tuple[list[FileEffect], bool]:
    """(what it touches, whether it is a look or a check)."""
    if pipeline.substitutes:
        touched = changes([_plain(command) for command in pipeline.commands], directory) or ()
        return [RUN, *(effect for effect in touched if effect != RUN)], False
    commands = [_plain(command) for command in pipeline.commands]
    if not commands[0].words and (len(commands) > 1 or not commands[0].writes):
        return [RUN], False
    if len(commands) == 1 and commands[0].words and (window := _of_window(commands[0].words)) is not None:
        return [structs.replace(window, path=joined(directory, window.path) if window.path else "")], False
    changed = changes(commands, directory)
    if changed is not None:
        return list(changed), False
    sent = any(command.writes for command in commands)
    name = name_of(commands[0])
    if name in SILENT and len(commands) == 1:
        return [], True
    if not all(is_look(command) for command in commands[1:]):
        return [RUN], False
    if is_check(commands[0]):
        return [RUN], True
    if not is_look(commands[0]):
        return [RUN], False
    found = [] if sent or not pipeline.sure else reads.reads(commands, directory)
    looked, kind = _looked_at(commands[0], directory), _look(commands[0])
    return found or [FileEffect(path, kind) for path in looked], True


def _look(command: ShellCommand) -> EffectKind:
    """What a look is for: a search, or a list of what there is."""
    words = command.words
    return "search" if name_of(command) in SEARCHES or words[:2] == ("git", "grep") else "list"


def _looked_at(command: ShellCommand, directory: str) -> list[str]:
    """The files or directories that a look is at, "" where that is where the shell is; of a list the first."""
    name = name_of(command)
    named: Sequence[Word] = [word for word in command.words[1:] if word and not word.startswith("-")]
    if name in ("git", "gh"):
        return [""]
    if name in GREPS:
        named = _searched(command.words[1:])[:MOST_FILES]
    elif name == "sed":
        named = [word for word in reads.sed_call(command.words[1:]).files if word][:1]
    else:
        named = named[1:2] if name in ("awk", "jq", "yq") else named[:1]
    named = named or [command.source]
    return [joined(directory, word) if word else "" for word in named]


def _searched(words: Sequence[Word]) -> list[Word]:
    """The files that a `grep` is told to look through."""
    found: list[Word] = []
    patterned = wanted = plain = False
    for word in words:
        option = word or ""
        if wanted:
            wanted = False
        elif option == "--" and not plain:
            plain = True
        elif plain or not option.startswith("-"):
            found.append(word)
        else:
            patterned = patterned or option[:2] in ("-e", "-f") or option.startswith(("--regexp", "--file="))
            wanted = option in _GREP_VALUED
    return [word for word in (found if patterned else found[1:]) if word]


def _of_window(words: Sequence[str | None]) -> FileEffect | None:
    """`open src/a.py 40`, `goto 80`, `scroll_down`, `create b.py`; None for all else."""
    name, file = words[0], words[1] if len(words) > 1 else ""
    if name in SCROLLS:
        return FileEffect("", "read", whole=False)
    if name == "open" and file:
        return FileEffect(file, "read", whole=False)
    if name == "create" and file and len(words) == 2:
        return FileEffect(file, "write")
    return None


def window(text: str) -> tuple[str, int] | None:
    """(the open file, how many lines it has) where a result shows a window of it."""
    if "lines total)]" not in text:
        return None
    head = _WINDOW.search(text, 0, min(len(text), WINDOW_CHARACTERS))
    return (head[1], int(head[2])) if head else None
