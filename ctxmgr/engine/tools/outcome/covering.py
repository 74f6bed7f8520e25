"""Turns a command line into what each of its runs is of, and says which run is shown to work by a later one.

Rules:

1. A run shows another to work that is of the same program and subcommand, of no more than it, and in its directory.
   The directory that is not named is the one that holds the others: a run there is wider, as one without a package
   is. A relative one is within it; of an absolute one nobody knows.
2. What a check is narrowed to counts: its operands, and the options that pick some of what there is. One run shows
   another to work whose operands all lie in its own, and which is picked by all that picks it. `go test` alone is
   of its directory, and of none in it; where that is not named, it is where the tests are that it picks.
3. What other programs are given is what they work on now: `git push -u origin a` answers for `git push`. A part of
   the project that an option names counts with them, too.
4. A run that leaves tests out (`mvn install -DskipTests`) shows none to work that does not, whatever program it is.
5. What only lists, or would do, shows nothing to work.
6. A path that is told from an unnamed directory may be the end of a longer one; of an absolute one any part may be
   what the other names.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from ctxmgr.engine.tools.shell import (
    ShellCommand,
    check_kind,
    handed_line,
    pipelines_of,
    subject_of,
    unwrapped,
    unwrapped_words,
)

MOST_KEPT = 1024  # lines whose runs are remembered
MOST_HANDED = 3  # within shells

_PICKS = re.compile(
    r"-{1,2}(?:[ktgpFwmx]|pl|run|bench|bench-name|grep|D(?:test|tests|it\.test)"
    r"|(?:[a-z]+-)*(?:only|filter|packages?|projects?|workspaces?|tests?|grep|names?|match|select|include|exclude"
    r"|ignore|skip|deselect|tags?|groups?|suites?|modules?|scopes?|targets?|specs?|bins?|libs?|examples?|files?|paths?"
    r"|patterns?|since|changed|affected|markers?)"
    r"|exclude-task|(?:only|test|include|exclude|ignore|skip)[A-Z]\w+)(?:=(.*))?$",
)
_PART = re.compile(r"--(?:filter|packages?|projects?|workspaces?|modules?|scopes?|targets?)(?=[= ]|$)")
_LEAVES_OUT = re.compile(r"-D(?:skip(?:Tests|ITs)|maven\.test\.skip)(?:=true)?$|(?:-x|--exclude-task) \S*[tT]est")
_PLACES = re.compile(r"(?:-C|--(?:prefix|cwd|dir|directory|root|project-dir|working-directory))(?:=(.*))?$")
_SHOWS_NOTHING = re.compile(
    r"--(?:collect-only|co|no-run|list(?:-?\w+)*|dry-run|help|version|show-?config|just-print|init|fixtures|markers)$"
)
_DRY_BY_N = frozenset(("make", "gmake", "ninja"))
_A_PLACE = re.compile(r"[/*]|::|\.\w+$|^\.{1,3}$")  # of a word that is no option's value
_MODES = frozenset(("run", "test", "check", "watch", "exec", "build", "--"))
_SETS = re.compile(r"[A-Za-z_]\w*=")
_OF_ONE_PLACE = frozenset(("go test", "go vet", "go build"))  # what is given nothing: its directory alone
_HERE = frozenset((".",))
UNKNOWN = "\0"  # an operand that lies in none


class RunScope(msgspec.Struct, frozen=True):
    """One run of a line. `subject`: program and subcommand; `directory`: where it ran, "" where that is not named;
    `operands`, `picks`: what a check is narrowed to; `is_sure`: all of it is known; `is_dry`: it only lists, or
    says what it would do."""

    subject: str
    directory: str = ""
    operands: frozenset[str] = frozenset()
    picks: frozenset[str] = frozenset()
    is_sure: bool = True
    is_dry: bool = False

    def shows(self, earlier: "RunScope") -> bool:
        """Does this show that to work?"""
        if self.subject != earlier.subject or not self.is_sure or self.is_dry:
            return False
        if not _holds(self.directory, earlier.directory) or not self.picks <= earlier.picks:
            return False
        return self.is_of_all(earlier)

    def is_of_all(self, earlier: "RunScope") -> bool:
        """Do its operands hold those?"""
        if not self.operands or not earlier.operands:
            return not self.operands
        if self.operands == _HERE and not self.directory and self.picks:
            return True
        return all(any(self._holds(one, earlier, path) for one in self.operands) for path in earlier.operands)

    def _holds(self, operand: str, earlier: "RunScope", path: str) -> bool:
        """Rule 6."""
        if operand in _wider(path) or (not earlier.directory and operand.endswith(f"/{path}")):
            return True
        whole = _joined(earlier.directory, path)
        return whole.startswith(("/", "~")) and f"/{operand.strip('/')}/" in f"{whole}/"


@lru_cache(maxsize=MOST_KEPT)
def scopes_of(line: str) -> tuple[RunScope, ...]:
    """The runs of a line in order; none of a line that no shell would run."""
    return tuple(_scopes(line, "", 0))


def _scopes(line: str, directory: str, depth: int) -> Iterator[RunScope]:
    within: list[str] = []  # where each open subshell began
    for pipeline in pipelines_of(line):
        within += [directory] * pipeline.opens
        for each in pipeline.commands:
            command, _ = unwrapped(each)
            words = [word or "" for word in command.words]
            if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
                directory = _joined(directory, words[1])
                continue
            inner = handed_line(command)
            if inner is not None and depth < MOST_HANDED:
                yield from _scopes(inner, directory, depth + 1)
            elif words and words[0]:
                yield _scope(command, directory)
        for _ in range(min(pipeline.closes, len(within))):
            directory = within.pop()


def _scope(command: ShellCommand, directory: str) -> RunScope:
    words = [word or "" for word in command.words]
    subject = subject_of(command)
    operands: set[str] = set()
    picks: set[str] = set()
    at = 1
    while at < len(words):
        word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
        of_place, pick = _PLACES.match(word), _PICKS.match(word)
        at += 1
        if _LEAVES_OUT.match(word):
            picks.add(word.partition("=")[0])
        elif of_place:
            directory = _joined(directory, of_place[1] or following)
            at += of_place[1] is None
        elif pick:
            value = pick[1] if pick[1] is not None else "" if following.startswith("-") else following
            if value or not _PART.match(word):  # without one, all of them
                picks.add(f"{word.partition('=')[0]} {value}")
            at += pick[1] is None and bool(value)
        elif word.startswith("-"):
            is_value = following and not following.startswith("-") and not _A_PLACE.search(following)
            at += "=" not in word and word != "--" and bool(is_value)
        elif word not in _MODES:
            operands.add(_bare(word) or ("." if subject in _OF_ONE_PLACE and not word.endswith("...") else ""))
    told = frozenset(word for word in unwrapped_words(command.words) if word)
    named = set(subject.split(" ")) & {_bare(word).rpartition("/")[2] for word in told}
    operands = {one for one in operands if one.rpartition("/")[2] not in named or _SETS.match(one)}
    dry = any(_SHOWS_NOTHING.match(word) for word in words)
    dry = dry or ("-n" in words and subject.partition(" ")[0] in _DRY_BY_N)
    if subject in _OF_ONE_PLACE and not operands:
        operands = set(_HERE)
    if not check_kind(subject):
        operands, picks = set(), {one for one in picks if _PART.match(one) or _LEAVES_OUT.match(one)}
    return RunScope(
        subject,
        directory,
        frozenset(operands - {""} if "" not in operands else ()),
        frozenset(picks),
        is_sure=None not in command.words,
        is_dry=dry,
    )


def _bare(word: str) -> str:
    """`src/a` of `./src/a/...`; "" of what stands for all there is."""
    word = re.sub(r"/?\.{3}$", "", word)
    word = word.removeprefix("./").rstrip("/")
    return "" if word == "." else word


def _joined(directory: str, word: str) -> str:
    word = word.rstrip("/") or "/"
    if word.startswith(("/", "~")):
        return word
    word = _bare(word)
    return f"{directory}/{word}" if directory and word else directory or word


def _holds(wider: str, directory: str) -> bool:
    """Rule 1, of directories."""
    if wider == directory or not wider:
        return True
    if not directory:
        return wider.startswith(("/", "~"))
    return directory.startswith(f"{wider}/") or wider.endswith(f"/{directory}") or f"/{wider}/" in f"{directory}/"


@lru_cache(maxsize=MOST_KEPT)
def _wider(operand: str) -> frozenset[str]:
    """What an operand lies in: itself, its directories, file and class, and its end: one may be absolute."""
    cuts = [at for at, mark in enumerate(operand) if mark in "/:[#."]
    ends = {operand[at + 1 :] for at in cuts if operand[at] == "/"}
    return frozenset({operand, *(operand[:at] for at in cuts), *ends}) - {""}
