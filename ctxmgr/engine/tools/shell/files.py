"""Finds the files that the commands of one pipe read, write, edit, delete or move.

Rules:

1. A read is `cat`, `bat`, `nl`, `sed -n`, `head` or `tail` of named files, or several of them in sequence. Only the
   first three show a whole file. With a file of unknown name it is no read.
2. A write is a heredoc or a printed text sent to a file by `>` or `tee`; with `>>` or `tee -a` it is an edit.
   Another command's output is written too, but its text is not in the call.
3. `sed -i` edits. So does a patch passed to `apply_patch`, `patch` or `git apply`, and what `git checkout` and `git
   restore` bring back.
4. `rm`, `unlink` and `git rm` delete, `mv` and `git mv` move, `cp` and `touch` write.
5. A file with an unknown name makes the whole a run, and so does anything else that may write: a formatter, a
   script.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.engine.tools import patches
from ctxmgr.engine.tools.effects import RUN, FileEffect
from ctxmgr.engine.tools.names import EffectKind
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of

WHOLE_FILES = frozenset(("cat", "bat", "nl"))  # programs that print all lines of their files
_COUNTS = ("-n", "--lines", "-c", "--bytes")  # options of `head` and `tail` with a value


def reads(commands: Sequence[ShellCommand], directory: str) -> list[FileEffect]:
    """The files whose lines a pipe of looks prints; none if it prints anything else."""
    first = commands[0]
    files = _shown(first)
    if files == [] and first.source:
        files = [first.source]
    if (
        not files
        or (len(files) > 1 and len(commands) > 1)
        or any(_shown(command) != [] for command in commands[1:])
    ):
        return []
    paths = [joined(directory, file) if file else "" for file in files]
    if any(not path or path.startswith(UNKNOWN) for path in paths):
        return []
    whole = len(commands) == 1 and name_of(first) in WHOLE_FILES
    return [FileEffect(path, "read", whole) for path in paths]


def _shown(command: ShellCommand) -> list[Word] | None:
    """The files whose lines a command prints; None if it prints anything else."""
    name, words = name_of(command), command.words[1:]
    pairs = zip(words, ("", *words), strict=False)
    if name in WHOLE_FILES:  # `nl -b a` also numbers empty lines
        return [word for word, last in pairs if not (word or "").startswith("-") and (name != "nl" or last != "-b")]
    if name in ("head", "tail"):
        unvalued = (word for word, last in pairs if last not in _COUNTS)
        return [word for word in unvalued if word == "-" or not (word or "").startswith("-")]
    call = sed_call(words)
    prints = name == "sed" and call.quiet and not call.is_strange and not call.in_place
    return list(call.files) if prints and call.scripts and None not in call.scripts else None


class SedCall(msgspec.Struct, frozen=True, gc=False):
    """`sed` by its options. `in_place`: it edits its files. `is_strange`: it has unknown options."""

    files: tuple[Word, ...]
    scripts: tuple[Word, ...]
    in_place: bool
    quiet: bool
    is_strange: bool


_LONG = {"--in-place": "i", "--quiet": "n", "--silent": "n", "--regexp-extended": "E"}


def sed_call(words: Sequence[Word]) -> SedCall:
    """The words behind `sed`. Letters may be combined behind one dash (`-nri.bak`); what follows `i` is a suffix,
    and an empty word is the suffix of another `sed`'s `-i`.
    """
    letters: set[str] = set()
    scripts: list[Word] = []
    files: list[Word] = []
    is_script = False  # the next word
    for word in words:
        if is_script:
            scripts.append(word)
            is_script = False
        elif word is None or not word.startswith("-") or word == "-":
            files += [] if word == "" else [word]
        elif word.startswith("--"):
            name, _, value = word.partition("=")
            is_script = name == "--expression" and not value
            scripts += [value] if name == "--expression" and value else []
            letters.add("e" if name == "--expression" else _LONG.get(name, "?"))
        else:
            end = next((index for index, letter in enumerate(word) if letter in "ie"), len(word) - 1)
            letters |= set(word[1 : end + 1])
            if word[end] == "e":
                scripts += [word[end + 1 :]] if word[end + 1 :] else []
                is_script = not word[end + 1 :]
    if not scripts and letters.isdisjoint("ef"):
        scripts, files = files[:1], files[1:]
    if not letters.isdisjoint("f?"):  # which of the words are files is unknown
        files = []
    return SedCall(tuple(files), tuple(scripts), "i" in letters, "n" in letters, bool(letters - set("inEre")))


MOST_FILES = 64  # of one command
_DROPPED = ("/dev/",)  # output sent there is in no file
_PATCHERS = (("apply_patch",), ("applypatch",), ("patch",))
_INTO = ("-t", "--target-directory")
_VALUED = frozenset(("--suffix", "-S", "--source", "-s"))

FileEffects = tuple[FileEffect, ...]


def changes(commands: Sequence[ShellCommand], directory: str) -> FileEffects | None:
    """What a pipe changes; None if nothing by these rules."""
    first, *behind = commands
    effects = None if behind else _alone(first, directory)
    if effects is not None:
        return effects
    if _prints(first) and not behind:
        return _sent(first.writes, directory)
    if _prints(first) and len(behind) == 1 and not first.writes and behind[0].words[:1] == ("tee",):
        return _sent(_teed(behind[0].words), directory)
    return _redirected(commands, directory)


def texts(commands: Sequence[ShellCommand]) -> Iterator[tuple[str, str, str]]:
    """(">", ">>" or "patch"; file, "" for a patch; text) of what the commands of a pipe put into files, if the line
    has it as a heredoc or as a patch.
    """
    first, *behind = commands
    if not behind and (patch := _patch(first)):
        yield "patch", "", patch
    if first.stdin is None:
        return
    writes: Sequence[tuple[str, Word]] = ()
    if first.words == ("cat",):
        teed = len(behind) == 1 and not first.writes and behind[0].words[:1] == ("tee",)
        writes = _teed(behind[0].words) if teed else () if behind else first.writes
    elif first.words[:1] == ("tee",) and not behind:
        writes = _teed(first.words)
    yield from ((kind, file, first.stdin) for kind, file in writes if file)


def _patch(command: ShellCommand) -> str:
    """The patch that a command applies, "" for none that the line contains."""
    words = command.words
    if words[:1] not in _PATCHERS and words[:2] != ("git", "apply"):
        return ""
    given = command.stdin if command.stdin is not None else words[1] if len(words) == 2 else None
    return given if given is not None and patches.is_patch(given) else ""


def _teed(words: Sequence[Word]) -> list[tuple[str, Word]]:
    """(">" or ">>", file) of the files that `tee` writes."""
    kind = ">>" if "-a" in words or "--append" in words else ">"
    return [(kind, word) for word in words[1:] if word is None or not word.startswith("-")]


def of_patch(text: str, directory: str) -> FileEffects:
    """What a patch does; a run if it is no patch."""
    effects = [effect for section in patches.sections(text) for effect in _patched(section, directory)]
    return tuple(effects) if effects else (RUN,)


def _patched(section: patches.Section, directory: str) -> FileEffects:
    path = joined(directory, section.path)
    if section.verb == "Delete":
        return (FileEffect(path, "delete"),)
    if section.verb == "Add":
        return (FileEffect(path, "write"),)
    if section.moved:
        new = joined(directory, section.moved)
        return (FileEffect(path, "move", to=new), FileEffect(new, "edit"))
    return (FileEffect(path, "edit"),)


def _alone(command: ShellCommand, directory: str) -> FileEffects | None:
    """What a command outside a pipe changes, by its name."""
    words = command.words
    name = words[0] if words else None
    if name == "sed":
        call = sed_call(words[1:])
        return _each("edit", call.files, directory) if call.in_place else None
    if words[:1] in _PATCHERS or words[:2] == ("git", "apply"):
        patch = _patch(command)
        return of_patch(patch, directory) if patch else (RUN,)
    if name == "git":
        return _git(words[1:], directory)
    if name == "tee" and command.stdin is not None:
        return _sent([*_teed(words), *command.writes], directory)
    if name in ("rm", "unlink") and not command.writes:
        return _each("delete", _named(words[1:]), directory)
    if name == "mv":
        return _moved(words[1:], directory)
    if name == "cp":
        pairs = _pairs(words[1:], directory)
        return tuple(FileEffect(new, "write", whole=False) for _, new in pairs) or (RUN,)
    if name == "touch":
        return _each("write", _named(words[1:]), directory)
    return None


def _git(words: Sequence[Word], directory: str) -> FileEffects | None:
    """`git -C dir mv a b`; None if it changes no file that it names."""
    if words[:1] == ("-C",) and len(words) > 2:
        directory = joined(directory, words[1]) if words[1] else UNKNOWN
        words = words[2:]
    verb, rest = (words[0], list(words[1:])) if words else (None, [])
    if verb == "mv":
        return _moved(rest, directory)
    if verb == "rm":
        return (RUN,) if "--cached" in rest else _each("delete", _named(rest), directory)
    if verb == "restore":
        return (RUN,) if "--staged" in rest and "--worktree" not in rest else _each("edit", _named(rest), directory)
    if verb == "checkout" and ("--" in rest or (len(rest) == 1 and _is_file(rest[0]))):
        return _each("edit", rest[rest.index("--") + 1 :] if "--" in rest else rest, directory)
    return None


def _is_file(word: Word) -> bool:
    """Whether it has a file's ending, and is certainly no branch name."""
    extension = (word or "").rpartition("/")[2].rpartition(".")[2]
    return "." in (word or "") and extension.isalpha() and len(extension) < 6 and word != "HEAD"


def _named(words: Sequence[Word]) -> list[Word]:
    """Words that are neither options nor their values; everything behind `--`."""
    named: list[Word] = []
    skipped = plain = False
    for word in words:
        if skipped:
            skipped = False
        elif word == "--" and not plain:
            plain = True
        elif plain or word is None or not word.startswith("-") or word == "-":
            named.append(word)
        else:
            skipped = word in _VALUED
    return named


def _each(kind: EffectKind, files: Sequence[Word], directory: str) -> FileEffects:
    return tuple(FileEffect(path, kind, whole=kind != "write") for path in _known(files, directory)) or (RUN,)


def _known(files: Sequence[Word], directory: str) -> list[str]:
    """The paths of these; none if one is unknown, or is a directory by its spelling."""
    paths = [joined(directory, file) if file else "" for file in files[:MOST_FILES]]
    return [] if any(not path or path.startswith(UNKNOWN) for path in paths) else paths


def _moved(words: Sequence[Word], directory: str) -> FileEffects:
    return tuple(FileEffect(old, "move", to=new) for old, new in _pairs(words, directory)) or (RUN,)


def _pairs(words: Sequence[Word], directory: str) -> list[tuple[str, str]]:
    """(from, to) of each file behind `mv` or `cp`, the target last; into a directory if there are several, or it is
    spelled so. None if an option names the target.
    """
    options = words[: words.index("--")] if "--" in words else words
    files = [] if any(word and word.startswith(_INTO) for word in options) else _named(words)
    target = files[-1] if len(files) > 1 else None
    old = _known(files[:-1], directory)
    new = joined(directory, target or "")
    if target is None or not old or new.startswith(UNKNOWN):
        return []
    into = len(old) > 1 or target.endswith("/") or target in (".", "..")
    parent = f"{new}/" if new else ""
    return [(path, f"{parent}{path.rpartition('/')[2]}" if into else new) for path in old]


def _prints(command: ShellCommand) -> bool:
    """Whether it prints what the call itself contains: a heredoc, known words, or nothing."""
    if command.words in ((), (":",)):
        return command.stdin is None and command.source == ""
    if command.words == ("cat",):
        return command.stdin is not None and command.source == ""
    return command.words[:1] in (("echo",), ("printf",)) and None not in command.words


def _redirected(commands: Sequence[ShellCommand], directory: str) -> FileEffects | None:
    """Files that output is sent to whose text is not in the call; None without any."""
    files = [write for command in commands for write in command.writes]
    teed = (command.words for command in commands[1:] if command.words[:1] == ("tee",))
    files += [write for words in teed for write in _teed(words)]
    effects = _sent(files, directory)
    unsure = (FileEffect(effect.path, effect.kind, whole=False) for effect in effects or () if effect.path)
    return None if effects is None else (RUN, *unsure)


def _sent(writes: Sequence[tuple[str, Word]], directory: str) -> FileEffects | None:
    """None if it is sent to no file; in a list of files each gets it."""
    return (
        tuple(_to(file, kind, directory) for kind, file in writes if not (file or "").startswith(_DROPPED)) or None
    )


def _to(file: Word, kind: str, directory: str) -> FileEffect:
    path = joined(directory, file) if file else ""
    if not path or path.startswith(UNKNOWN):
        return RUN
    return FileEffect(path, "write") if kind == ">" else FileEffect(path, "edit")
