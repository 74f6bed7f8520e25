"""The catalog of programs: the purpose of each (a look, a check and of which kind), and which part of a call names
it. Turns a command line into what it runs by these names, and into its calls of git. Knows no output.

A look changes nothing (`ls`, `rg`, `git status`); a check runs tests, a build, a linter or a type checker.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.engine.tools.shell.files import WHOLE_FILES, sed_call
from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of
from ctxmgr.engine.tools.shell.wrappers import VERSION, commands_run, unwrapped, unwrapped_words
from ctxmgr.model import expression

CheckKind = Literal["", "test", "lint", "types", "build"]


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


SILENT = words_of("cd echo printf true : pwd export set date sleep")
SEARCHES = words_of("find fd rg grep egrep fgrep ag find_file search_dir search_file")
GREPS = words_of("rg grep egrep fgrep ag")
SHELLS = words_of("bash sh zsh dash")
_LOOKS = (
    SEARCHES
    | WHOLE_FILES
    | words_of(
        "ls tree wc stat file du df diff cmp jq yq sort uniq cut awk column tr which less more od xxd"
        " hexdump strings head tail sed"
    )
)
_EXECUTED = words_of("grep cat ls echo head wc")  # by a `find` that only looks
_GIT_LOOKS = words_of(
    "status diff log show blame ls-files rev-parse grep describe ls-tree cat-file shortlog merge-base"
)
_GIT_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path")  # options of git itself
_GIT_LISTS = words_of("branch tag remote worktree")  # with nothing but options
_GH_SENDS = ("-X", "-f", "-F", "--method", "--field", "--raw-field", "--input")
_GH_LOOKS = words_of("view checks diff list status")
_CHANGES = {  # prefixes of options with which a look changes something
    "find": ("-delete", "-exec", "-ok", "-fprint", "-fls"),
    "fd": ("-x", "-X", "--exec"),
    "yq": ("-i", "--inplace"),
    "sort": ("-o", "--output"),
    "tree": ("-o",),
}
_SED_WRITES = expression(  # possibly: a script that writes a file or runs a command, or a file of scripts
    r"(?:^|[/;{}\d$!gpI\s])[we](?:\s|$)|(?:^|\s)(?:-\w*f|--file)"
)
_AWK_LOOKS = expression(r"-F.+|(?!-[fi]|--)(?:(?!system)[^>|])*", re.DOTALL)
_ANSWERS = words_of(  # programs whose status 1 is an answer: nothing found, differs, no such
    "zgrep ack colordiff sdiff test [ [[ expr false type pgrep pkill lsof fuser tty"
) | GREPS | words_of("diff cmp which")  # fmt: skip
_GIT_ANSWERS = words_of("grep diff merge-base check-ignore show-ref ls-files config cat-file symbolic-ref")

CHECKERS: dict[str, CheckKind] = {
    **dict.fromkeys(words_of("pytest py.test jest vitest ctest rspec phpunit tox nox mocha ava tap bats"), "test"),
    **dict.fromkeys(words_of("prove behave unittest cypress"), "test"),
    **dict.fromkeys(words_of("tsc tsgo mypy pyright"), "types"),
    **dict.fromkeys(words_of("eslint ruff biome flake8 shellcheck golangci-lint pylint stylelint oxlint"), "lint"),
    **dict.fromkeys(words_of("rubocop pre-commit"), "lint"),
    "ninja": "build",
}
FORMATTERS = words_of("prettier black isort rustfmt gofumpt gofmt")
_DRY = words_of("--collect-only --co --no-run --dry-run --help --version --just-print --fixtures --markers")
_DRY_BY_N = frozenset(("make", "gmake", "ninja"))
_FORMATS = ("format", "fmt")  # subcommands that check nothing
_SCRIPT_RUNNERS = words_of(  # of scripts and targets that a project defines
    "npm pnpm yarn bun make gmake just mise task tox nox hatch poe rake nx turbo uv poetry pdm pixi rye pipenv hk"
)
_RUNNERS = _SCRIPT_RUNNERS | words_of(  # and others with subcommands that test and build
    "cargo go gradle gradlew mvn mvnw dotnet swift deno npx node mix bazel bundle composer stack cabal zig sbt"
    " cmake flutter dart vite next nuxt astro ng playwright manage.py artisan rails docker podman docker-compose"
    " compose helm ant"
)
_MANY_TARGETS = words_of("make gmake mvn mvnw gradle gradlew ant")  # each word names another target
_OF_TARGETS = _MANY_TARGETS | words_of("just task rake sbt ninja")
MOST_TARGETS = 6  # of one call, used in its name
_BUILD_TARGETS = {  # that no check's name covers; "": no target
    "make": ("", "all"),
    "gmake": ("", "all"),
    "mvn": ("compile", "test-compile", "package", "verify", "install", "deploy"),
    "gradle": ("assemble", "classes", "jar", "bundle"),
    "sbt": ("compile", "package"),
    "mix": ("compile",),
}
_SAME_PROGRAM = {"mvnw": "mvn", "gradlew": "gradle"}
_KIND_WORDS: dict[str, CheckKind] = {  # parts of a script's or a target's name, most informative first
    **dict.fromkeys(words_of("test tests pytest vitest jest nextest mocha rspec"), "test"),
    **dict.fromkeys(words_of("typecheck mypy tsc types"), "types"),
    **dict.fromkeys(words_of("lint ruff eslint clippy vet check checks"), "lint"),
    "build": "build",
}
_NAME, _PART = expression(r"[\w:-]+"), expression(r"[a-z]+")  # of a script or a target
_INTERPRETERS = words_of("python ruby perl node php deno bun")
_RUNS = words_of("run exec x dlx tool compose")  # subcommands that need the following word
_TWO_WORDS = words_of("gh glab aws gcloud az")  # their subcommands have two words
_SAME_SCRIPT = {"t": ["test"], "tst": ["test"], "run-script": ["run"]}
_ALONE = frozenset(CHECKERS) | FORMATTERS | words_of("curl wget gcc g++ cc clang javac")  # whatever their arguments


def is_look(command: ShellCommand) -> bool:
    """Whether a command certainly changes nothing."""
    name, rest = name_of(command), command.words[1:]
    if rest in (("--version",), ("--help",)):
        return True
    if name == "sed" and (_SED_WRITES.search(" ; ".join(word or "" for word in rest)) or sed_call(rest).in_place):
        return False
    if name == "awk" and not all(word and _AWK_LOOKS.fullmatch(word) for word in rest):
        return False
    if name in _LOOKS:
        options = _CHANGES.get(name, ())
        changing = [index for index, word in enumerate(rest) if word and word.startswith(options)]
        return all(rest[index] == "-exec" and (*rest, "")[index + 1] in _EXECUTED for index in changing)
    plain = [word for word in rest if word and not word.startswith("-")]
    if name == "git":
        plain = plain[1:] if rest[:1] == ("-C",) else plain
        return bool(plain) and (plain[0] in _GIT_LOOKS or (len(plain) == 1 and plain[0] in _GIT_LISTS))
    if name == "gh":
        sends = any(word and word.startswith(_GH_SENDS) for word in rest)
        return not sends if plain[:1] == ["api"] else len(plain) > 1 and plain[1] in _GH_LOOKS
    return False


def is_check(command: ShellCommand) -> bool:
    """Whether a command checks, and fixes nothing."""
    run = unwrapped(command)
    if name_of(run) in FORMATTERS:
        return "--check" in run.words
    if is_dry(run):
        return False
    return bool(check_kind(subject_of(run))) and not any(word in ("--fix", "--write") for word in run.words)


def is_dry(command: ShellCommand) -> bool:
    """Whether a check only lists or prints what it would run."""
    if not check_kind(subject_of(command)):
        return False
    dry_by_n = name_of(command) in _DRY_BY_N and "-n" in command.words
    return dry_by_n or any(word and (word in _DRY or word.startswith("--list")) for word in command.words)


def answers_by_one(command: ShellCommand) -> bool:
    """Whether the command's status 1 is an answer rather than a failure: nothing found, differs."""
    name, *rest = unwrapped_words(command.words)
    of_git = name == "git" and rest[:1] != [] and rest[0] in _GIT_ANSWERS
    return of_git or name in _ANSWERS or (name == "command" and "-v" in command.words)


def check_kind(subject: str) -> CheckKind:
    """Which kind of check this subject (`subject_of`) runs; "" for none. The words of an unknown program are
    ignored: `createdb test` tests nothing.
    """
    name, *words = subject.split(" ")
    if words[:1] and words[0] in _FORMATS:
        return ""
    if name in CHECKERS:
        return CHECKERS[name]
    is_script = name.rstrip(VERSION) in _INTERPRETERS and len(words) == 2
    if words and name not in _RUNNERS and not is_script:
        return ""
    targets = _BUILD_TARGETS.get(_SAME_PROGRAM.get(name, name), ())
    others = [word for word in words or [name.removesuffix(".sh")] if word not in targets]
    kinds = {_kind_of_word(word) for word in others}
    builds = any(word.rpartition(":")[2] in targets for word in words or [""])
    if "test" in kinds or not builds:
        return next((kind for kind in dict.fromkeys(_KIND_WORDS.values()) if kind in kinds), "")
    return "build"


def runs_project_check(subject: str) -> bool:
    """Whether it runs the script that a project calls its check (`npm run check`)."""
    name, *words = subject.split(" ")
    return name in _SCRIPT_RUNNERS and words[-1:] == ["check"]


def is_formatter(subject: str) -> bool:
    """Whether this subject formats, and checks nothing (`gofmt`, `cargo fmt`)."""
    name, *words = subject.split(" ")
    return name in FORMATTERS or any(word in _FORMATS for word in words)


def subject_of(command: ShellCommand) -> str:
    """The program of an unwrapped command and its subcommand, or its first argument: `git merge`, `npm run lint`,
    `python load.py`. For a program that always checks, its name; for `mvn clean test` what follows `clean`, and all
    of `make lint test`.
    """
    name, *words = unwrapped_words(command.words)
    name = "python" if name.startswith("python") else name
    if name in ("npm", "pnpm", "yarn") and words:
        words[:1] = _SAME_SCRIPT.get(words[0], words[:1])
        if words[0] == "run" and words[1:] and (name != "npm" or words[1] == "test"):
            del words[0]
    if name in _OF_TARGETS:
        words = [word for word in words if word != "clean"] or words
    if not words or (name in _ALONE and words[0] not in _FORMATS):
        return name
    return " ".join((name, *(word.rstrip("/").rpartition("/")[2] for word in words[: _naming(name, words)])))


def _naming(name: str, words: Sequence[str]) -> int:
    """How many words behind a program name what it does."""
    if name in _MANY_TARGETS:
        return MOST_TARGETS
    is_script = (
        name.rstrip(VERSION) in _INTERPRETERS and words[1:2] and _kind_of_word(words[1])
    )  # `python manage.py test`
    return 2 if is_script or words[0] in _RUNS or (name in _TWO_WORDS and words[0] != "api") else 1


def _kind_of_word(word: str) -> CheckKind:
    if not _NAME.fullmatch(word):
        return ""
    parts = set(_PART.findall(word.replace("type-check", "typecheck").replace("type_check", "typecheck").lower()))
    return next((kind for part, kind in _KIND_WORDS.items() if part in parts), "")


@lru_cache(maxsize=1024)
def subjects_of(line: str) -> tuple[str, ...]:
    """Everything that a line runs, including looks, by program and subcommand, in order."""
    return tuple(subject_of(command) for command in commands_run(line) if command.words and command.words[0])


class GitCall(msgspec.Struct, frozen=True, gc=False):
    """`verb`: "commit"; `words`: what follows it, None for an unknown word."""

    verb: str
    words: tuple[Word, ...]


def git_calls(line: str) -> Iterator[GitCall]:
    """The calls of git in a line, in order."""
    for command in commands_run(line):
        words = command.words[1:]
        while words and (words[0] or "-").startswith("-"):
            words = words[2:] if words[0] in _GIT_VALUED else words[1:]
        if name_of(command) == "git" and words and words[0]:
            yield GitCall(words[0], words[1:])
