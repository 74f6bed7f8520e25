"""Turns simple commands into what they look at, change and run: a table of programs, and rules for their words.

1. Looked at: files that a reader (`cat`, `sed -n`, `rg pattern file`) names.
2. Changed: targets of redirections, `tee`, `sed -i`, `cp`, `mv`, `touch`, patches in a here-document; deleted:
   `rm`, and the source of `mv`.
3. A check is a test, lint or build: a program that is one, or a runner with a word that says so.
4. A path has no blank, no variable and no wildcard, and a slash or an extension.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

from ctxmgr.study.probes.reading.patches import Change, changes
from ctxmgr.study.probes.reading.shell import Simple, simples
from ctxmgr.study.probes.reading.wording import word_set

READERS = word_set(
    """
    cat head tail less more nl wc bat sed awk xxd jq file stat
"""
)
SEARCHERS = word_set(
    """
    grep rg egrep ag ack
"""
)
CHECKS = word_set(
    """
    pytest tsc tsgo vue-tsc mypy pyright eslint jest vitest golangci-lint ctest clippy tox
"""
)
RUNNERS = word_set(
    """
    npm pnpm yarn bun npx bunx pnpx cargo go mise make just python python3 node deno uv poetry tox
    gradle gradlew mvn dotnet cmake ninja task turbo bazel swift rake bundle mix composer ruff biome
    docker tsx sh bash hk
"""
)
CHECK_WORDS = word_set(
    """
    test tests unittest check build lint clippy vet typecheck tsc tsgo pytest jest vitest mypy
    eslint compile
"""
)
IN_PLACE = frozenset({"sed", "perl"})
SCRIPTED = frozenset({"sed", "awk", "jq", "perl"})  # the first word that is no option is a program
# options with a value after them; of -e and -f the value is what is searched for, or done
VALUED = {
    **dict.fromkeys(SEARCHERS, word_set("-e -f -A -B -C -m -g -t --type --glob --max-count")),
    **dict.fromkeys(("head", "tail"), word_set("-n -c")),
    **dict.fromkeys(SCRIPTED, word_set("-e -f -v -F --arg")),
}
CHECKED_WORDS = 5  # of a runner's command that are looked at for what it runs
_PATH = re.compile(r"^[\w@.+~/-]*(?:/[\w@.+-]+|[\w@+-]\.[A-Za-z]\w{0,9})$")
_WORD = re.compile(r"[a-z]+")


class Effects(msgspec.Struct, frozen=True):
    """Of one command line. `directory`: where it went with `cd`, "" for nowhere."""

    looked_at: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    directory: str = ""


def effects(command: str) -> Effects:
    looked: list[str] = []
    changed: list[Change] = []
    directory = ""
    for one in simples(command):
        name = _program(one)
        if name == "cd" and len(one.words) > 1:
            directory = one.words[1]
            continue
        looked += _under(directory, _looked_at(name, one))
        changed += (
            Change(path, change.action, change.lines)
            for change in _changes(name, one)
            for path in _under(directory, [change.path])
        )
    return Effects(tuple(looked), tuple(changed), directory)


def is_check(command: str) -> bool:
    """Rule 3, of any of its parts."""
    return any(_is_check(one) for one in simples(command))


def key(command: str) -> str:
    """What a run is known by when it is run again: of a check the program and what it runs, else all its words; a
    `cd` before it and a filter of its output (`| tail`) aside."""
    return _joined(_check_key(one) if _is_check(one) else " ".join(one.words) for one in _unfiltered(command))


def bare(command: str) -> str:
    """All its words; a `cd` before it and a filter of its output aside."""
    return _joined(" ".join(one.words) for one in _unfiltered(command))


def checks(command: str) -> tuple[tuple[str, ...], ...]:
    """The words of each of its parts that `bare` has, none of one that is no check."""
    return tuple(tuple(one.words) if _is_check(one) else () for one in _unfiltered(command))


def _joined(parts: Iterable[str]) -> str:
    return " && ".join(part for part in parts if part)


def _unfiltered(command: str) -> Iterator[Simple]:
    after_pipe = False
    for one in simples(command):
        if _program(one) != "cd" and not after_pipe:
            yield one
        after_pipe = one.piped


def git_calls(command: str) -> Iterator[tuple[str, ...]]:
    """The words of each call of git that it runs, from the subcommand on, in order."""
    calls = (one.words[1:] for one in simples(command) if _program(one) == "git")
    return (words for words in calls if words and not words[0].startswith("-"))


def in_git(command: str) -> tuple[str, ...]:
    """The subcommands of git that it runs, in order."""
    return tuple(words[0] for words in git_calls(command))


def brought_back(command: str) -> tuple[str, ...]:
    """The paths that git takes back to what was committed: `git checkout -- a.py`, `git restore a.py`."""
    out: list[str] = []
    for one in simples(command):
        verb, rest = one.words[1:2], one.words[2:]
        if _program(one) != "git" or any(word.startswith(("--staged", "--source", "-s", "-S")) for word in rest):
            continue
        if verb == ("restore",):
            out += [word for word in rest if not word.startswith("-")]
        elif verb == ("checkout",) and rest[:1] == ("--",):
            out += rest[1:]
    return tuple(_under(effects(command).directory, (word.removeprefix("./") for word in out)))


def directory(command: str) -> str:
    """Where it goes with `cd`, "" for nowhere."""
    return effects(command).directory


def filtered(command: str) -> bool:
    """Its exit code need not be that of what it ran."""
    return is_piped(command) or ";" in command or "||" in command


def is_piped(command: str) -> bool:
    return any(one.piped for one in simples(command))


def _program(one: Simple) -> str:
    return one.words[0].rpartition("/")[2] if one.words else ""


def _is_check(one: Simple) -> bool:
    name = _program(one)
    if name in CHECKS:
        return True
    return name in RUNNERS and any(CHECK_WORDS.intersection(_WORD.findall(word)) for word in _said(one))


def _said(one: Simple) -> tuple[str, ...]:
    """The first words after a runner that are no options."""
    return tuple(word.lower() for word in one.words[1 : 1 + CHECKED_WORDS] if not word.startswith("-"))


def _check_key(one: Simple) -> str:
    """Program and the words up to the one that says what it checks."""
    out = [_program(one)]
    for word in _said(one):
        out.append(word)
        if CHECK_WORDS.intersection(_WORD.findall(word)):
            break
    return " ".join(out)


def _under(directory: str, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield path if not directory or path.startswith(("/", "~")) else f"{directory.rstrip('/')}/{path}"


def _looked_at(name: str, one: Simple) -> Iterator[str]:
    words = _arguments(name, one.words[1:])
    if name in IN_PLACE and _in_place(one):
        return
    if name == "git" and one.words[1:2] == ("show",):
        words = [word.rpartition(":")[2] for word in words if ":" in word]
    elif name in SEARCHERS:
        words = [word for word in words if "." in word.rpartition("/")[2]]  # a folder is searched, not looked at
    elif name not in READERS:
        return
    yield from filter(is_path, words)


def _changes(name: str, one: Simple) -> Iterator[Change]:
    lines = tuple(one.document.split("\n")) if one.document and name in ("cat", "tee", "") else ()
    yield from (Change(path, "changed", lines) for path in one.written if is_path(path))
    words = _arguments(name, one.words[1:])
    if name == "git" and words[:1] in (["rm"], ["mv"]):
        name, words = words[0], words[1:]
    if name == "apply_patch" or "*** Begin Patch" in one.document:
        yield from changes(one.document or " ".join(words))
    elif name in ("tee", "touch"):
        yield from (Change(path, "changed", lines) for path in words if is_path(path))
    elif name in IN_PLACE and _in_place(one):
        yield from (Change(path, "changed") for path in words if is_path(path))
    elif name == "rm":
        yield from (Change(path, "deleted") for path in words if is_path(path))
    elif name in ("cp", "mv") and len(words) == 2 and is_path(words[0]) and is_path(words[1]):
        if name == "mv":
            yield Change(words[0], "deleted")
        yield Change(words[1], "changed")


def _in_place(one: Simple) -> bool:
    return any(re.match(r"-\w*i|--in-place", word) for word in one.words[1:])


def _arguments(name: str, words: Iterable[str]) -> list[str]:
    """Without options and their values; of programs that take a pattern or a script, without that."""
    out: list[str] = []
    valued = VALUED.get(name, frozenset())
    given = name not in SEARCHERS and name not in SCRIPTED
    value = False
    for word in words:
        if value:
            value = False
        elif word in valued:
            value = True
            given = given or word in ("-e", "-f")
        elif word.startswith("-"):
            given = given or (name == "perl" and "e" in word)
            value = name == "perl" and word.endswith("e")
        elif given:
            out.append(word)
        else:
            given = True
    return out


def is_path(word: str) -> bool:
    """Rule 4."""
    return bool(_PATH.match(word)) and not word.replace(".", "").isdigit() and "//" not in word
