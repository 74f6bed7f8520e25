"""Turns a shell's command line into the calls of git that it makes, in order. Knows no output."""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.outline import outlined
from ctxmgr.engine.tools.shell.programs import MOST_SHELLS, SILENT, is_look
from ctxmgr.engine.tools.shell.words import Pipeline, Word, name_of, parse
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped

_VALUED = ("-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")  # options of git itself
_ELSEWHERE = ("--git-dir", "--work-tree")
_GOES = ("cd", "pushd")


class GitCall(msgspec.Struct, frozen=True, gc=False):
    """`verb`: "commit"; `words`: what stands behind it, None for what is not known; `directory`: where it ran,
    as seen from where the line does, `UNKNOWN` where nobody knows."""

    verb: str
    words: tuple[Word, ...]
    directory: str = ""


def git_calls(line: str, directory: str = "", depth: int = 0) -> Iterator[GitCall]:
    """Those of other shells, too, that a line hands lines to. `directory`: where it runs, "" where that is not
    said."""
    left: list[str] = []  # where the shells around a subshell are
    for pipeline in _pipelines(line) if depth <= MOST_SHELLS else ():
        left += [directory] * pipeline.opens
        for piped in pipeline.commands:
            command, _ = unwrapped(piped)
            handed = handed_line(command)
            if handed is not None:
                inside = UNKNOWN if name_of(command) == "ssh" else directory
                yield from git_calls(handed, inside, depth + 1)
            elif name_of(command) == "git":
                yield from _call(command.words[1:], directory)
        directory = _gone(pipeline.commands[0].words, directory)
        for _ in range(min(pipeline.closes, len(left))):
            directory = left.pop()


def only_shows(line: str, depth: int = 0) -> bool:
    """Does a line run nothing but what shows texts (`cat`, `echo`, `git log`)?"""
    pipelines = _pipelines(line) if depth <= MOST_SHELLS else ()
    commands = [unwrapped(command)[0] for pipeline in pipelines for command in pipeline.commands]
    handed = [(command, handed_line(command)) for command in commands]
    return bool(handed) and all(
        is_look(command) or name_of(command) in SILENT if within is None else only_shows(within, depth + 1)
        for command, within in handed
    )


def _pipelines(line: str) -> Sequence[Pipeline]:
    return parse(line) or outlined(line) or ()


def _gone(words: tuple[Word, ...], directory: str) -> str:
    """Where a shell is after this command."""
    if words[:1] == ("popd",):
        return UNKNOWN
    if not words or words[0] not in _GOES:
        return directory
    to = words[1] if len(words) == 2 else "~" if len(words) == 1 else UNKNOWN
    return UNKNOWN if not to or to == "-" or UNKNOWN in (to, directory) else joined(directory, to)


def _call(words: tuple[Word, ...], directory: str) -> Iterator[GitCall]:
    while words and (words[0] or "-").startswith("-"):
        if words[0] == "-C" and len(words) > 1:
            directory = _gone(("cd", words[1]), directory)
        if (words[0] or "").startswith(_ELSEWHERE):
            directory = UNKNOWN
        words = words[2:] if words[0] in ("-C", *_VALUED) else words[1:]
    if words and words[0]:
        yield GitCall(words[0], words[1:], directory)
