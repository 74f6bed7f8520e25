"""Turns a shell's command line into the calls of git that it makes, in order. Knows no output."""

from collections.abc import Iterator

import msgspec

from ctxmgr.engine.tools.shell.programs import MOST_SHELLS
from ctxmgr.engine.tools.shell.words import Word, name_of, pipelines_of
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped

_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")  # options of git itself


class GitCall(msgspec.Struct, frozen=True, gc=False):
    """`verb`: "commit"; `words`: what stands behind it, None for what is not known."""

    verb: str
    words: tuple[Word, ...]


def git_calls(line: str, depth: int = 0) -> Iterator[GitCall]:
    """Those of other shells, too, that a line hands lines to."""
    for pipeline in pipelines_of(line) if depth <= MOST_SHELLS else ():
        for command in map(unwrapped, pipeline.commands):
            handed = handed_line(command)
            if handed is not None:
                yield from git_calls(handed, depth + 1)
            elif name_of(command) == "git":
                yield from _call(command.words[1:])


def _call(words: tuple[Word, ...]) -> Iterator[GitCall]:
    while words and (words[0] or "-").startswith("-"):
        words = words[2:] if words[0] in _VALUED else words[1:]
    if words and words[0]:
        yield GitCall(words[0], words[1:])
