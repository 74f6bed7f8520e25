"""Turns a call of a formatter into the files that it writes anew: `prettier --write a.ts`, `gofmt -w a.go`.

A row is a program, its subcommand, and the options of which one makes it write; none: it writes. What has no file's
ending is a directory, or no path.
"""

from collections.abc import Sequence

from ctxmgr.engine.tools.shell.words import ShellCommand, Word, name_of

_WRITES = {
    name: (subcommand, tuple(options.split()))
    for names, subcommand, options in (
        ("prettier", "", "--write -w"),
        ("gofmt goimports gofumpt shfmt", "", "-w"),
        ("clang-format yapf autopep8", "", "-i --in-place"),
        ("eslint stylelint oxlint", "", "--fix"),
        ("biome", "", "--write --apply"),
        ("rubocop", "", "-a -A --autocorrect --auto-correct"),
        ("black isort rustfmt stylua", "", ""),
        ("ruff", "format", ""),
        ("ruff", "check", "--fix"),
    )
    for name in (f"{one} {subcommand}".strip() for one in names.split())
}
_READS_ONLY = frozenset(("--check", "--check-only", "--diff", "-c", "--dry-run", "--version", "--help"))
_ENDING_LETTERS = 8


def formatted(command: ShellCommand) -> list[str]:
    """The files that an unwrapped command formats in place, by their names."""
    words = command.words
    told = words[1] or "" if len(words) > 1 else ""
    row = _WRITES.get(f"{name_of(command)} {told}") or _WRITES.get(name_of(command))
    if row is None or not _READS_ONLY.isdisjoint(words):
        return []
    options = row[1]
    if options and not any((word or "").partition("=")[0] in options for word in words):
        return []
    return [word for word in _operands(words[1:]) if _is_file(word)]


def _operands(words: Sequence[Word]) -> list[str]:
    return [word for word in words if word and not word.startswith("-")]


def _is_file(word: str) -> bool:
    stem, dot, ending = word.rpartition("/")[2].rpartition(".")
    return bool(stem and dot) and ending.isalnum() and len(ending) <= _ENDING_LETTERS
