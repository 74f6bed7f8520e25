"""Turns a shell's command line into the calls of git that it makes, in order. Knows no output."""

import re
from collections.abc import Iterator

import msgspec

from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.programs import MOST_SHELLS
from ctxmgr.engine.tools.shell.words import Word, name_of, pipelines_of
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped

_VALUED = ("-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")  # options of git itself
_ELSEWHERE = ("--git-dir", "--work-tree")
_OF_OTHERS = frozenset(("--staged", "-S", "--source", "-s"))  # of what `git restore` brings back
_FILE = re.compile(r"(?:[\w.-]*/)*[\w-][\w.-]*\.[A-Za-z]{1,5}|\.")  # surely no branch's name
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
    for pipeline in pipelines_of(line) if depth <= MOST_SHELLS else ():
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


def brought_back(line: str, directory: str = "") -> Iterator[str]:
    """The files and directories that a line takes back to what was committed or staged (`git restore a.py`,
    `git checkout -- src`)."""
    for call in git_calls(line, directory):
        words, at = call.words, call.words.index("--") if "--" in call.words else len(call.words)
        named = [word for word in words[:at] if word is None or not word.startswith("-")]
        if call.verb == "restore" and _OF_OTHERS.isdisjoint((word or "").partition("=")[0] for word in words):
            paths = [*named, *words[at + 1 :]]
        elif call.verb == "checkout" and named in ([], ["HEAD"]):
            paths = [*words[at + 1 :]]
        elif call.verb == "checkout" and len(words) == 1 and _FILE.fullmatch(words[0] or ""):
            paths = named
        elif call.verb == "reset" and "--hard" in words:
            paths = ["."]
        else:
            paths = []
        found = (joined(call.directory, word) for word in paths if word)
        yield from (path for path in found if not path.startswith(UNKNOWN))


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
