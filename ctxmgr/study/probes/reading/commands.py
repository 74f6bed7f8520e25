"""What command lines look at, change and check: a table of programs, and rules for their words.

1. Looked at: files that a reader or a searcher (`cat`, `sed -n`, `rg pattern file`) names.
2. Changed: targets of redirections, `tee`, `sed -i`, `cp`, `mv`, `touch`, patches in a here-document; deleted:
   `rm`, and the source of `mv`.
3. A check is a test, lint or build: a program that is one, or a runner with a word that says so.
4. A path has no blank, no variable and no wildcard, and a slash or an extension.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from ctxmgr.study.probes.reading.shell import BEGIN, Change, SimpleCommand, changes, simple_commands
from ctxmgr.study.probes.reading.wording import word_set

READERS = word_set("cat head tail less more nl wc bat sed awk xxd jq file stat")
SEARCHERS = word_set("grep rg egrep ag ack")
CHECKS = word_set("pytest tsc tsgo vue-tsc mypy pyright eslint jest vitest golangci-lint ctest clippy tox")
RUNNERS = word_set(
    """npm pnpm yarn bun npx bunx pnpx cargo go mise make just python python3 node deno uv poetry tox
    gradle gradlew mvn dotnet cmake ninja task turbo bazel swift rake bundle mix composer ruff biome
    docker tsx sh bash hk"""
)
CHECK_WORDS = word_set(
    """test tests unittest check build lint clippy vet typecheck tsc tsgo pytest jest vitest mypy
    eslint compile"""
)
PROGRAMS = READERS | SEARCHERS | CHECKS | RUNNERS | word_set("cd git gh ls find rm mv cp tee touch curl mkdir")
IN_PLACE = frozenset({"sed", "perl"})
PATTERN_FIRST = SEARCHERS | {"sed", "awk", "jq", "perl"}  # their first word is a pattern or a program
CHECKED_WORDS = 5  # of a runner's command that are looked at for what it runs
_PATH = re.compile(r"[\w@.+~/-]*(?:/[\w@.+-]+|[\w@+-]\.[A-Za-z]\w{0,9})")
_LETTERS = re.compile(r"[a-z]+")


class CommandLine(msgspec.Struct, frozen=True):
    """`key`: what a run is known by when it is run again: of a check the program and what it runs, else all words;
    `cd` and filters of the output aside. `checks`: the words of each of its parts, none of one that is no check.
    `directory`: where it goes with `cd`, "" for nowhere. `status_hidden`: its exit code need not be that of what it
    ran. `git_calls`: the words of each call of git, from the subcommand on."""

    key: str
    checks: tuple[tuple[str, ...], ...]
    directory: str
    status_hidden: bool
    git_calls: tuple[tuple[str, ...], ...]
    looked_at: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def is_check(self) -> bool:
        return any(self.checks)


@lru_cache(maxsize=1 << 12)
def command_line(text: str) -> CommandLine:
    commands = tuple(simple_commands(text))
    directory = ""
    looked_at: list[str] = []
    changed: list[Change] = []
    unfiltered: list[SimpleCommand] = []
    after_pipe = False
    for command in commands:
        name = program(command)
        if name == "cd":
            directory = command.words[1] if len(command.words) > 1 else directory
        elif not after_pipe:
            unfiltered.append(command)
        after_pipe = command.piped
        looked_at += (_under(directory, path) for path in _looked_at(name, command))
        changed += (replace(change, path=_under(directory, change.path)) for change in _changes(name, command))
    keys = [_check_key(command.words) if _is_check(command) else " ".join(command.words) for command in unfiltered]
    return CommandLine(
        " && ".join(filter(None, keys)),
        tuple(command.words if _is_check(command) else () for command in unfiltered),
        directory,
        any(command.piped for command in commands) or ";" in text or "||" in text,
        tuple(command.words[1:] for command in commands if program(command) == "git" and _verb(command)),
        tuple(looked_at),
        tuple(changed),
    )


def program(command: SimpleCommand) -> str:
    return command.words[0].rpartition("/")[2] if command.words else ""


def is_path(word: str) -> bool:
    """Rule 4."""
    return bool(_PATH.fullmatch(word)) and not word.replace(".", "").isdigit() and "//" not in word


def _verb(command: SimpleCommand) -> str:
    """The subcommand of a call of git, "" for an option."""
    return next((word for word in command.words[1:2] if not word.startswith("-")), "")


def _is_check(command: SimpleCommand) -> bool:
    """Rule 3."""
    name = program(command)
    return name in CHECKS or (name in RUNNERS and any(map(_says_check, _first_words(command.words))))


def _first_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The first words after a runner that are no options."""
    return tuple(word.lower() for word in words[1 : 1 + CHECKED_WORDS] if not word.startswith("-"))


def _says_check(word: str) -> bool:
    return not CHECK_WORDS.isdisjoint(_LETTERS.findall(word))


def _check_key(words: tuple[str, ...]) -> str:
    """Program and the words up to the one that says what it checks."""
    first = _first_words(words)
    end = next((number for number, word in enumerate(first, 1) if _says_check(word)), len(first))
    return " ".join((words[0].rpartition("/")[2], *first[:end]))


def _under(directory: str, path: str) -> str:
    return path if not directory or path.startswith(("/", "~")) else f"{directory.rstrip('/')}/{path}"


def _arguments(name: str, command: SimpleCommand) -> list[str]:
    """Without options and numbers; of programs that take a pattern first, without that."""
    words = [word for word in command.words[1:] if not word.startswith("-") and not word.isdigit()]
    return words[name in PATTERN_FIRST :]


def _edits_in_place(name: str, command: SimpleCommand) -> bool:
    return name in IN_PLACE and any(
        word.startswith("--in-place") or (word.startswith("-") and "i" in word) for word in command.words[1:]
    )


def _looked_at(name: str, command: SimpleCommand) -> Iterator[str]:
    words = _arguments(name, command)
    if name == "git" and _verb(command) == "show":
        words = [word.rpartition(":")[2] for word in words if ":" in word]
    elif name in SEARCHERS:
        words = [word for word in words if "." in word.rpartition("/")[2]]  # a folder is searched, not looked at
    elif name not in READERS or _edits_in_place(name, command):
        return
    yield from filter(is_path, words)


def _changes(name: str, command: SimpleCommand) -> Iterator[Change]:
    document = command.document
    lines = tuple(document.split("\n")) if document and name in ("cat", "tee", "") else ()
    yield from (Change(path, "changed", lines) for path in filter(is_path, command.written))
    words = _arguments(name, command)
    if name == "git" and words[:1] in (["rm"], ["mv"]):
        name, *words = words
    paths = list(filter(is_path, words))
    if name == "apply_patch" or BEGIN in document:
        yield from changes(document or " ".join(words))
    elif name in ("tee", "touch") or _edits_in_place(name, command):
        yield from (Change(path, "changed", lines) for path in paths)
    elif name == "rm":
        yield from (Change(path, "deleted") for path in paths)
    elif name in ("cp", "mv") and len(words) == len(paths) == 2:
        if name == "mv":
            yield Change(paths[0], "deleted")
        yield Change(paths[1], "changed")
