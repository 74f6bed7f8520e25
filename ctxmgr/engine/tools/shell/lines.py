"""Turns a shell's command line into its effects: the files it reads, writes, edits, deletes, moves or looks at.

Rules:

1. Reads are told by `reads`, what is changed by `changes`.
2. A look changes nothing (`ls`, `rg`, `git status`); a check runs tests, a build or a linter. The same one again
   shows the newer state. Looks and checks are known by name; all else is a run.
3. `cd` counts for what follows it in the line. Of what is not understood nothing is said but that it ran.
"""

import re
from collections.abc import Sequence

from msgspec import structs

from ctxmgr.engine.tools.effects import RUN, CallEffects, EffectKind, FileEffect
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell import reads, swe_agent
from ctxmgr.engine.tools.shell.changes import MOST_FILES, changes
from ctxmgr.engine.tools.shell.scripts import sed_call
from ctxmgr.engine.tools.shell.words import Pipeline, ShellCommand, Word, name_of, parse


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SILENT = _words("cd echo printf true : pwd export set date sleep")
_LOOKS = _words(
    "ls find fd tree rg grep egrep fgrep ag wc stat file du df diff cmp jq yq sort uniq cut awk column tr which"
    " less more od xxd hexdump strings cat head tail nl sed find_file search_dir search_file"
)
_SEARCHES = _words("find fd rg grep egrep fgrep ag find_file search_dir search_file")
_EXECUTED = tuple((name,) for name in ("grep", "cat", "ls", "echo", "head", "wc"))  # by a `find` that only looks
_GIT_LOOKS = _words(
    "status diff log show blame ls-files rev-parse grep describe ls-tree cat-file shortlog merge-base"
)
_GIT_LISTS = _words("branch tag remote worktree")  # with nothing but options
_GH_SENDS = ("-X", "-f", "-F", "--method", "--field", "--raw-field", "--input")
_GH_LOOKS = _words("view checks diff list status")
_GREPS = _words("rg grep egrep fgrep ag")
_GREP_VALUED = _words("-A -B -C -m -e -f -g -t -T --glob --type --include --exclude --context --max-count --regexp")
_GOES = tuple((name,) for name in ("cd", "pushd", "popd"))
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
MOST_DEPTH = 3  # of shells within shells
_CHANGES = {
    "find": re.compile(r"-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls)$"),
    "fd": re.compile(r"-[xX]|--exec"),
    "yq": re.compile(r"-i|--inplace"),
    "sort": re.compile(r"-o|--output"),
    "tree": re.compile(r"-o$"),
}
_CHECKERS = _words(
    "pytest py.test tsc tsgo eslint mypy pyright jest vitest ctest rspec phpunit tox nox biome flake8 shellcheck"
    " golangci-lint"
)
_RUNNERS = _words(
    "npm pnpm yarn bun cargo go make mise gradle gradlew mvn dotnet swift deno just task npx uv poetry hk"
)
_CHECK_NAME = re.compile(
    r"^(?:run[:-])?(?:\w+[:-])*(?:tests?|checks?|lint|build|typecheck|type-check|vet|clippy|nextest|pytest|tsc"
    r"|eslint|vitest|jest|mypy|ruff|verify)(?:[:-]\w+)*$"
)


def of_shell(line: str, directory: str = "", depth: int = 0) -> CallEffects:
    """What a command line does, run in this directory ("" where it is not known). `depth`: in so many others."""
    edited = swe_agent.of_edit(line)
    if edited is not None:
        return CallEffects((edited,))
    pipelines = parse(line)
    if pipelines is None:
        return CallEffects((RUN,))
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
    return CallEffects(tuple(found), repeats and bool(found), directory if moved else "")


def _within(pipeline: Pipeline, directory: str, depth: int) -> tuple[list[FileEffect], bool] | None:
    """What `bash -c` is handed as one word does, in a shell of its own; None for anything else."""
    command = _plain(pipeline.commands[0])
    options = command.words[1:2]
    if len(pipeline.commands) > 1 or command.writes or len(command.words) != 3 or depth >= MOST_DEPTH:
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
    if len(commands) == 1 and commands[0].words and (window := swe_agent.of_words(commands[0].words)) is not None:
        return [structs.replace(window, path=joined(directory, window.path) if window.path else "")], False
    changed = changes(commands, directory)
    if changed is not None:
        return list(changed), False
    sent = any(command.writes for command in commands)
    name = name_of(commands[0])
    if name in _SILENT and len(commands) == 1:
        return [], True
    if not all(_is_look(command) for command in commands[1:]):
        return [RUN], False
    if _is_check(commands[0]):
        return [RUN], True
    if not _is_look(commands[0]):
        return [RUN], False
    found = [] if sent or not pipeline.sure else reads.reads(commands, directory)
    looked, kind = _looked_at(commands[0], directory), _look(commands[0])
    return found or [FileEffect(path, kind) for path in looked], True


def _plain(command: ShellCommand) -> ShellCommand:
    """The command without variables set before it, or a time limit."""
    words = command.words
    while words and words[0] and ("=" in words[0] or words[0] in ("command", "sudo", "env")):
        words = words[1:]
    if len(words) > 2 and words[0] == "timeout":
        words = words[2:]
    return command if words is command.words else structs.replace(command, words=words)


def _look(command: ShellCommand) -> EffectKind:
    """What a look is for: a search, or a list of what there is."""
    words = command.words
    return "search" if name_of(command) in _SEARCHES or words[:2] == ("git", "grep") else "list"


def _is_look(command: ShellCommand) -> bool:
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


def _is_check(command: ShellCommand) -> bool:
    name, rest = name_of(command), [word for word in command.words[1:] if word and not word.startswith("-")]
    if name in ("python", "python3"):
        return command.words[1:3] in (("-m", "pytest"), ("-m", "unittest"), ("-m", "mypy"))
    if name in _CHECKERS or (name == "ruff" and rest[:1] == ["check"]):
        return not any(word in ("--fix", "--write") for word in command.words)
    return name in _RUNNERS and any(_CHECK_NAME.match(word) or word in _CHECKERS for word in rest[:3])


def _looked_at(command: ShellCommand, directory: str) -> list[str]:
    """The files or directories that a look is at, "" where that is where the shell is; of a list the first."""
    name = name_of(command)
    named: Sequence[Word] = [word for word in command.words[1:] if word and not word.startswith("-")]
    if name in ("git", "gh"):
        return [""]
    if name in _GREPS:
        named = _searched(command.words[1:])[:MOST_FILES]
    elif name == "sed":
        named = [word for word in sed_call(command.words[1:]).files if word][:1]
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
