"""Turns a command into what it is for, by its name: nothing by itself, a look, a check.

A look changes nothing (`ls`, `rg`, `git status`); a check runs tests, a build or a linter.
"""

import re
from typing import Literal

from msgspec import structs

from ctxmgr.engine.tools.shell.scripts import sed_call
from ctxmgr.engine.tools.shell.words import ShellCommand, name_of
from ctxmgr.engine.tools.shell.wrappers import unwrapped_words

CheckKind = Literal["", "test", "lint", "types", "build"]


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


SILENT = words_of("cd echo printf true : pwd export set date sleep")
_LOOKS = words_of(
    "ls find fd tree rg grep egrep fgrep ag wc stat file du df diff cmp jq yq sort uniq cut awk column tr which"
    " less more od xxd hexdump strings cat head tail nl sed find_file search_dir search_file"
)
SEARCHES = words_of("find fd rg grep egrep fgrep ag find_file search_dir search_file")
_EXECUTED = tuple((name,) for name in ("grep", "cat", "ls", "echo", "head", "wc"))  # by a `find` that only looks
_GIT_LOOKS = words_of(
    "status diff log show blame ls-files rev-parse grep describe ls-tree cat-file shortlog merge-base"
)
_GIT_LISTS = words_of("branch tag remote worktree")  # with nothing but options
_GH_SENDS = ("-X", "-f", "-F", "--method", "--field", "--raw-field", "--input")
_GH_LOOKS = words_of("view checks diff list status")
GREPS = words_of("rg grep egrep fgrep ag")
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
MOST_SHELLS = 3  # within shells
_CHANGES = {
    "find": re.compile(r"-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls)$"),
    "fd": re.compile(r"-[xX]|--exec"),
    "yq": re.compile(r"-i|--inplace"),
    "sort": re.compile(r"-o|--output"),
    "tree": re.compile(r"-o$"),
}
_CHECKERS = words_of(
    "pytest py.test tsc tsgo eslint mypy pyright jest vitest ctest rspec phpunit tox nox biome flake8 shellcheck"
    " golangci-lint mocha ava tap bats prove behave ninja pylint stylelint oxlint unittest rubocop"
    " pre-commit cypress"
)
_FORMATS = "format"  # a subcommand of linters that checks nothing
_FORMATTERS = words_of("prettier black isort rustfmt ruff gofumpt")
_RUNNERS = words_of(
    "npm pnpm yarn bun cargo go make gmake mise gradle gradlew mvn mvnw dotnet swift deno just task npx uv poetry"
    " hk node mix bazel rake bundle composer stack cabal zig sbt cmake flutter dart pdm hatch pixi rye pipenv"
)
_OF_TARGETS = words_of(
    "make gmake mvn mvnw gradle gradlew just task rake sbt ant ninja"
)  # each word another target
_MANY_TARGETS = words_of("make gmake mvn mvnw gradle gradlew ant")  # of which all words are one
MOST_TARGETS = 6  # of one call, by which it is named
_BUILD_TARGETS = {  # that no name of a check says
    name: words_of(targets)
    for names, targets in (
        ("make gmake", "all"),
        ("mvn mvnw", "compile test-compile package verify install deploy"),
        ("gradle gradlew", "assemble classes jar bundle"),
        ("sbt mix stack", "compile package"),
    )
    for name in names.split()
}
_BUILDS_ALONE = words_of("make gmake")  # where it is given no target
_OF_PROJECTS = words_of(  # what else has subcommands that test and build
    "vite next nuxt astro ng nx turbo playwright manage.py artisan rails docker podman docker-compose compose helm"
)
_CHECK_NAME = re.compile(
    r"^(?:run[:_-])?(?:[^\W_]+[:_-])*(?:tests?|checks?|lint|build|typecheck|type-check|vet|clippy|nextest|pytest|tsc"
    r"|eslint|vitest|jest|mypy|ruff|verify)(?:[:_-]\w+)*$"
)
_TESTS = re.compile(r"tests?\b|(?:^|\W)(?:test|jest|mocha|rspec|phpunit|tox|nox|ava|bats|prove|behave)(?:\W|$)")
_TYPES = re.compile(r"(?:^|\W)(?:mypy|pyright|tsc|tsgo|type-?check|types)(?:\W|$)")
_LINTS = re.compile(r"lint|(?:^|\W)(?:ruff|flake8|biome|shellcheck|clippy|vet|check)(?:\W|$)")
_BUILDS = re.compile(r"(?:^|\W)(?:build|ninja)(?:\W|$)")
HANDLES = words_of("cp mv rm mkdir rmdir touch ln chmod chown sed kill killall")  # each call another file
_RUNS = words_of("run exec x dlx tool compose")  # a subcommand that says nothing without what is behind it
_TWO_WORDS = words_of("gh glab aws gcloud az")  # are their subcommands
_FETCHERS = words_of("curl wget http https xh aria2c")
_READERS = words_of(
    "journalctl dmesg man info history sqlite3 psql mysql mariadb mongosh redis-cli bat zcat zgrep last env"
)
_SHOWS = words_of(  # subcommands that hand on a text, of whatever program
    "log logs show view list ls status describe history cat get read search grep diff blame help tail top ps"
    " inspect events query select explain print dump logcat capture-pane"
)
_TOLD_FIRST = 3  # words of a command among which its subcommand is
_INTERPRETERS = re.compile(r"(?:python|ruby|perl|node|php|deno|bun|lua|Rscript|osascript|jshell)[\d.]*$")
_INLINE = re.compile(r"-(?:[a-z]*[cer]|-eval|-command)$|-$|eval$")
_SAME_SCRIPT = {"t": ["test"], "tst": ["test"], "run-script": ["run"]}
_ALONE = _CHECKERS | words_of("curl wget gcc g++ cc clang javac mocha ava ruff black prettier")


def plain_command(command: ShellCommand) -> ShellCommand:
    """The command without variables set before it, or a time limit."""
    words = command.words
    while words and words[0] and ("=" in words[0] or words[0] in ("command", "sudo", "env")):
        words = words[1:]
    if len(words) > 2 and words[0] == "timeout":
        words = words[2:]
    return command if words is command.words else structs.replace(command, words=words)


def is_look(command: ShellCommand) -> bool:
    name, rest = name_of(command), command.words[1:]
    if rest in (("--version",), ("--help",)):
        return True
    if name == "sed":
        return not sed_call(rest).in_place
    if name in _LOOKS:
        option = _CHANGES.get(name)
        changing = [place for place, word in enumerate(rest) if option and word and option.match(word)]
        return all(rest[at] == "-exec" and rest[at + 1 : at + 2] in _EXECUTED for at in changing)
    told = [word for word in rest if word and not word.startswith("-")]
    if name == "git":
        told = told[1:] if rest[:1] == ("-C",) else told
        return told[:1] != [] and (told[0] in _GIT_LOOKS or (len(told) == 1 and told[0] in _GIT_LISTS))
    if name == "gh":
        sends = any(word and word.startswith(_GH_SENDS) for word in rest)
        return not sends if told[:1] == ["api"] else len(told) > 1 and told[1] in _GH_LOOKS
    return False


def is_check(command: ShellCommand) -> bool:
    name, rest = name_of(command), unwrapped_words(command.words)[1:]
    if name in ("python", "python3"):
        return command.words[1:3] in (("-m", "pytest"), ("-m", "unittest"), ("-m", "mypy"))
    if name in _CHECKERS or (name == "ruff" and rest[:1] == ["check"]):
        return not any(word in ("--fix", "--write") for word in command.words)
    if name in _FORMATTERS and "--check" in command.words:
        return True
    if name in _RUNNERS:
        tests = name == "node" and "--test" in command.words
        return (
            tests
            or builds(subject_of(command))
            or any(_CHECK_NAME.match(word) or word in _CHECKERS for word in rest[:3])
        )
    script = (command.words[0] or "") if command.words else ""
    return ("/" in script or script.endswith(".sh")) and bool(_CHECK_NAME.match(name.removesuffix(".sh")))


def voice_of(command: ShellCommand, about: str) -> Literal["own", "shown", "mixed"]:
    """Whose words a command prints: its own, a text's that it shows, or those of a script that may show any."""
    name = name_of(command)
    if about == "look" or (about == "run" and (name in _FETCHERS or name in _READERS)):
        return "shown"
    if about == "check":
        return "own"
    if _INTERPRETERS.match(name):
        words = [word or "" for word in command.words[1:2]]
        return "mixed" if not words or _INLINE.match(words[0]) else "own"
    told = unwrapped_words(command.words)[1:_TOLD_FIRST]
    return "shown" if not _SHOWS.isdisjoint(told) or command.words[-1] in ("--help", "-h") else "own"


def is_checking(subject: str) -> bool:
    """Does what is named so (`subject_of`) run tests, a build or a linter?"""
    name, *rest = subject.split(" ")
    if rest[:1] == [_FORMATS]:
        return False
    if name in _CHECKERS or name in ("unittest", "ruff"):
        return True
    if name in _RUNNERS:
        return builds(subject) or any(_CHECK_NAME.match(word) or word in _CHECKERS for word in rest)
    return not rest and bool(_CHECK_NAME.match(name.removesuffix(".sh")))


def builds(subject: str) -> bool:
    """Does what is named so build, though no word of it says that (`make`, `mvn package`)?"""
    name, *targets = subject.split(" ")
    if not targets:
        return name in _BUILDS_ALONE
    return any(target.rpartition(":")[2] in _BUILD_TARGETS.get(name, ()) for target in targets)


def check_kind(subject: str) -> CheckKind:
    """Which kind of check what is named so (`subject_of`) runs; "" for no such. Of a program that nobody listed the
    word is believed where it is a script: `createdb test` tests nothing."""
    name, *rest = subject.split(" ")
    is_script = bool(_INTERPRETERS.match(name)) and len(rest) == 2 and bool(_CHECK_NAME.match(rest[1]))
    sure = is_checking(subject) or name in _OF_PROJECTS or is_script
    if not sure or not is_like_a_check(subject):
        return ""
    if builds(subject) and not any(_TESTS.fullmatch(word) for word in rest):
        return "build"
    if _TESTS.search(subject):
        return "test"
    named: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (("types", _TYPES), ("lint", _LINTS), ("build", _BUILDS))
    return next((kind for kind, names in named if names.search(subject)), "")


def is_like_a_check(subject: str) -> bool:
    """Does what is named so call itself a check, whatever program it is (`zorp verify`)?"""
    return is_checking(subject) or any(_CHECK_NAME.match(word) for word in subject.split(" ")[1:])


def subject_of(command: ShellCommand) -> str:
    """The program of an unwrapped command and its subcommand, or the first thing that it is given: `git merge`,
    `npm run lint`, `python load.py`; of one that checks whatever it is given, its name; of `mvn clean test` what
    is behind `clean`, and all of `make lint test`."""
    name, *told = unwrapped_words(command.words)
    name = "python" if re.fullmatch(r"python[\d.]*", name) else name
    if name in ("npm", "pnpm", "yarn") and told[:1]:
        told[:1] = _SAME_SCRIPT.get(told[0], told[:1])
        told = told[1:] if told[0] == "run" and (name != "npm" or told[1:2] == ["test"]) and told[1:] else told
    if name in _OF_TARGETS:
        told = [word for word in told if word != "clean"] or told
    if (name in _ALONE and told[:1] != [_FORMATS]) or not told:
        return name
    script = _INTERPRETERS.match(name) and told[1:2] and _CHECK_NAME.match(told[1])  # `python manage.py test`
    two = script or told[0] in _RUNS or (name in _TWO_WORDS and told[0] != "api")
    more = told[: MOST_TARGETS if name in _MANY_TARGETS else 2 if two else 1]
    return " ".join((name, *(word.rstrip("/").rpartition("/")[2] for word in more)))
