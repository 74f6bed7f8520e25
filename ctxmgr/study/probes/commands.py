"""What command lines look at, change and check: a table of programs, and rules for their words.

1. Looked at: files that a reader or a searcher (`cat`, `sed -n`, `rg pattern file`) names.
2. Changed: targets of redirections, `tee`, `sed -i`, `cp`, `mv`, `touch`, patches in a here-document; deleted:
   `rm`, and the source of `mv`.
3. A check is a test, lint or build: a program that is one, or a runner with a word that says so.
4. A path has no blank, no variable and no wildcard, and a slash or an extension.

A command line consists of simple commands: words, redirections, and the text of here-documents.

1. This is no shell: it knows quotes, backslashes, comment lines, `&&`, `||`, `;`, `|`, newlines and here-documents,
   without expansion. What it cannot parse is skipped. It knows no program.
2. Patches start with "*** Begin Patch" (Codex, OpenCode). One may be a string in a program, whose literals are read
   too.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec.structs import replace

from ctxmgr.study.probes.wording import word_set

Action = Literal["changed", "deleted"]

MOST_CHARACTERS = 200_000
BEGIN = "*** Begin Patch"
_HEAD = re.compile(r"^\*\*\* (?:(Add|Update|Delete) File: |(Move) to: |End Patch)(.*)$", re.MULTILINE)
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_HEREDOC = re.compile(r"<<-?\s*(?:'([^']+)'|\"([^\"]+)\"|\\?([\w.-]+))")
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\\\n)|(?P<end>&&|\|\||;|\n|\|&?|&(?![>\d]))|(?P<redirect>\d*&?>>?\|?&?\d*|<(?!<))"""
    r"""|(?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;|&<>])+)""",
    re.DOTALL,
)
_QUOTED = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)""", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


class SimpleCommand(msgspec.Struct, frozen=True):
    """`written`: targets of `>` and `>>`. `document`: its here-document or "". `piped`: its output goes to the
    next.
    """

    words: tuple[str, ...]
    written: tuple[str, ...] = ()
    document: str = ""
    piped: bool = False


def simple_commands(command: str) -> Iterator[SimpleCommand]:
    """In order, including `cd`."""
    text, documents = _without_documents(command[:MOST_CHARACTERS])
    words: list[str] = []
    written: list[str] = []
    document, redirect = "", ""
    for token in _TOKEN.finditer(f"{text}\n"):
        if token["end"]:
            if words or written:
                yield SimpleCommand(tuple(words), tuple(written), document, token[0] in ("|", "|&"))
            words, written, document, redirect = [], [], "", ""
        elif token["redirect"]:
            redirect = "" if token[0][-1].isdigit() else token[0]
        elif token["word"]:
            word = _QUOTED.sub(lambda quoted: next(filter(None, quoted.groups()), ""), token[0])
            if word.startswith("\0"):
                document = documents[int(word.split("\0")[1])]
            elif redirect:
                written += [word] if ">" in redirect and word != "/dev/null" else []
            elif words or not _ASSIGNMENT.match(word):  # a variable that is set for this command only is no word
                words.append(word)
            redirect = ""


def _without_documents(command: str) -> tuple[str, list[str]]:
    """The command with a number between NULs in place of each here-document, and their texts."""
    lines_left: list[str] = []
    documents: list[str] = []
    lines = iter(command.split("\n"))
    for line in lines:
        for mark in _HEREDOC.finditer(line):
            line = line.replace(mark[0], f"\0{len(documents)}\0", 1)
            body: list[str] = []
            for inner in lines:
                if inner.strip() == next(filter(None, mark.groups())):
                    break
                body.append(inner)
            documents.append("\n".join(body))
        lines_left.append("" if line.lstrip().startswith("#") else line)
    return "\n".join(lines_left), documents


# patches


class Change(msgspec.Struct, frozen=True):
    """`lines`: what the change wrote."""

    path: str
    action: Action
    lines: tuple[str, ...] = ()


def changes(text: str) -> tuple[Change, ...]:
    """Of each patch in a text; of a program, those in its string literals."""
    if BEGIN not in text:
        return ()
    texts = [text] if _HEAD.search(text) else [literal for literal in literals(text) if BEGIN in literal]
    return tuple(change for patch in texts for change in _of_patch(patch))


def literals(code: str) -> Iterator[str]:
    """The string literals of a program in JavaScript or similar, unescaped."""
    for literal in _LITERAL.findall(code):
        yield _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), literal[1:-1])


def _of_patch(text: str) -> Iterator[Change]:
    path = ""
    action: Action = "changed"
    added: list[str] = []
    for line in [*text.split("\n"), "*** End Patch"]:
        head = _HEAD.match(line)
        if head and head[2]:
            yield Change(path, "deleted")
            path = head[3].strip()
        elif head:
            if path:
                yield Change(path, action, tuple(added))
            path, added, action = head[3].strip(), [], "deleted" if head[1] == "Delete" else "changed"
        elif line.startswith("+"):
            added.append(line[1:])


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
CHECKED_WORDS = 5  # of a runner's command that may name what it runs
_PATH = re.compile(r"[\w@.+~/-]*(?:/[\w@.+-]+|[\w@+-]\.[A-Za-z]\w{0,9})")
_LETTERS = re.compile(r"[a-z]+")


class CommandLine(msgspec.Struct, frozen=True):
    """`key`: identifies repeated runs: for a check the program and what it runs, else all words, without `cd` and
    output filters. `checks`: the words of each part that is a check. `directory`: where it goes with `cd`, "" for
    nowhere. `status_hidden`: its exit code need not be that of what it ran. `git_calls`: the words of each call of
    git, from the subcommand on.
    """

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
    """Without options and numbers, and without the pattern of programs that take one first."""
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
        words = [word for word in words if "." in word.rpartition("/")[2]]  # a searched folder is not looked at
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
