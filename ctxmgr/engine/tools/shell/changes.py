"""Turns the commands of one pipe into the files they write or edit, where the call itself holds what is written.

Rules:

1. A write is a heredoc or a printed text sent to a file by `>` or `tee`; with `>>` or `tee -a` it is an edit.
2. `sed -i` and `perl -i` edit; by how much lines move is not known. So does a patch handed to `apply_patch`.
3. A file whose name is not known makes the whole a run.
"""

from collections.abc import Sequence

from ctxmgr.engine.tools import patches
from ctxmgr.engine.tools.paths import UNKNOWN, joined
from ctxmgr.engine.tools.shell.words import Command, Word
from ctxmgr.engine.tools.touch import Kind, Touch

RUN = Touch("", "run")


def changes(commands: Sequence[Command], directory: str) -> tuple[Touch, ...] | None:
    """What a pipe changes; None where it changes nothing by rules 1 and 2."""
    first = commands[0]
    name = first.words[0] if first.words else None
    if len(commands) == 1 and name in ("sed", "perl"):
        return _in_place(name, first.words[1:], directory)
    if len(commands) == 1 and name in ("apply_patch", "applypatch"):
        given = first.stdin if first.stdin is not None else first.words[1] if len(first.words) == 2 else None
        return of_patch(given, directory) if given is not None else (RUN,)
    if not _prints(first):
        return None
    if len(commands) == 1:
        return _sent(first.writes, directory)
    if len(commands) == 2 and not first.writes and commands[1].words[:1] == ("tee",):
        added = "-a" in commands[1].words
        files = [word for word in commands[1].words[1:] if word != "-a"]
        return _sent([(">>" if added else ">", file) for file in files], directory)
    return None


def of_patch(text: str, directory: str) -> tuple[Touch, ...]:
    """What a patch touches; a run where it is none, or of a file that leaves."""
    found = [_patched(section, directory) for section in patches.sections(text)]
    return tuple(found) if found else (RUN,)


def _patched(section: patches.Section, directory: str) -> Touch:
    if section.verb == "Delete":
        return RUN
    path = joined(directory, section.moved or section.path)
    return Touch(path, "write") if section.verb == "Add" else Touch(path, "edit", grown=section.grown)


def _prints(command: Command) -> bool:
    """Does it print what stands in the call: a heredoc, or known words?"""
    if command.words == ("cat",):
        return command.stdin is not None
    if command.words[:1] == ("tee",):
        return False
    return command.words[:1] in (("echo",), ("printf",)) and None not in command.words


def _sent(writes: Sequence[tuple[str, Word]], directory: str) -> tuple[Touch, ...] | None:
    """None where it is sent to no file; in a list of files each gets it."""
    told = [(kind, file) for kind, file in writes if file != "/dev/null"]
    if not told:
        return None
    return tuple(_named(file, "write" if kind == ">" else "edit", directory) for kind, file in told)


def _named(file: Word, kind: Kind, directory: str, grown: int | None = 0) -> Touch:
    path = joined(directory, file) if file else ""
    return Touch(path, kind, grown=grown) if path and not path.startswith(UNKNOWN) else RUN


def _in_place(name: str, words: Sequence[Word], directory: str) -> tuple[Touch, ...] | None:
    """The files of `sed -i` (with or without a suffix, one's own word where it is empty) and `perl -pi -e`."""
    options = [word for word in words if word and word.startswith("-")]
    inside = ("-i", "--in-place") if name == "sed" else ("-pi", "-i", "-p0i", "-0pi", "-ni")
    if not any(option.startswith(inside) for option in options):
        return None
    scripted = any(option.startswith("-") and not option.startswith("--") and "e" in option for option in options)
    rest: list[Word] = []
    skipped = False
    for word in words:
        if skipped:
            skipped = False
        elif word is not None and word.startswith("-"):
            skipped = word in ("-e", "-pe", "-pie", "-f") or (name == "perl" and word.endswith("e"))
        elif word != "":
            rest.append(word)
    files = rest if scripted else rest[1:]
    return tuple(_named(file, "edit", directory, None) for file in files) or (RUN,)
