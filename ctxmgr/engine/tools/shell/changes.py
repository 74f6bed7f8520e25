"""Finds the files that the commands of one pipe write, edit, delete or move.

Rules:

1. A write is a heredoc or a printed text sent to a file by `>` or `tee`; with `>>` or `tee -a` it is an edit.
   Another command's output is written too, but its text is not in the call.
2. `sed -i` edits. So does a patch passed to `apply_patch`, `patch` or `git apply`, and what `git checkout` and `git
   restore` bring back.
3. `rm`, `unlink` and `git rm` delete, `mv` and `git mv` move, `cp` and `touch` write.
4. A file with an unknown name makes the whole a run, and so does anything else that may write: a formatter, a
   script.
"""

from collections.abc import Sequence

from ctxmgr.engine.tools import patches
from ctxmgr.engine.tools.effects import RUN, FileEffect
from ctxmgr.engine.tools.names import EffectKind
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.reads import sed_call
from ctxmgr.engine.tools.shell.words import ShellCommand, Word

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
        given = command.stdin if command.stdin is not None else words[1] if len(words) == 2 else None
        return of_patch(given, directory) if given is not None and patches.is_patch(given) else (RUN,)
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
