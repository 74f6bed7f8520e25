"""Turns a failure of what is no check, and the runs after it, into the one that ended it: the same program with the
same subcommand did not fail.

What of a line failed is the part that its output names (`curl: (7)`, `Diff in a.rs`), else the last, but not where
another reads what it prints. Of a program that looks, that is known by all its words alone, or that runs another
(`ssh host ...`, `mise x ...`), nothing is said; of `npm run` and its like the task is the subcommand. A run whose
output complains in that program's name, or with the status of a server that refused, ended nothing; nor did one
that only lists.
"""

import re
from collections.abc import Sequence

from ctxmgr.study.probes.reading import CommandRun, programs, wording

_RUN_ANOTHER = wording.word_set("ssh sudo docker podman kubectl npx bunx uvx")
_SILENT = _RUN_ANOTHER | wording.word_set(
    "cd echo printf true sleep export set source wait exit test [ [[ ls rg grep find diff"
)
_BARE = wording.word_set("curl wget http psql mysql sqlite3 redis-cli cp mv rm mkdir ln chmod touch kill pkill")
_SCRIPTED = wording.word_set("python python3 node ruby perl php deno bun")
_OF_TWO = wording.word_set("gh glab aws gcloud az")
_RUNS_ANOTHER = wording.word_set("x exec dlx")
_STYLES = wording.word_set("fmt rustfmt black")
_WORD = re.compile(r"[a-z][a-z:_-]*")
_DIFF = re.compile(r"^(?:Diff in \S+\.rs\b|would reformat\b)", re.MULTILINE | re.IGNORECASE)
_REFUSED = re.compile(r"^HTTP/[\d.]+ [45]\d\d\b", re.MULTILINE)
_LISTS = re.compile(r"\s--(?:help|version|dry-run|list|json)\b")

Part = tuple[str, ...]  # a program, its subcommand


def ended_by_tool(failed: CommandRun, later: Sequence[CommandRun], printed: Sequence[str]) -> CommandRun | None:
    """`later`: all runs after it, in order; `printed`: of the failure and of each of these."""
    part = _failed_part(failed.command, printed[0])
    if not part:
        return None
    for run, text in zip(later, printed[1:], strict=True):
        fails = run.ended.failed or run.ended.running or _complains(part[0], text) or _REFUSED.search(text)
        if not fails and part in _parts(run.command) and not _LISTS.search(run.command):
            return run
    return None


def _failed_part(command: str, text: str) -> Part:
    """What of a line failed, of which something can be said; () for none."""
    parts = [(part, checks) for part, checks in zip(_parts(command), programs.checks(command), strict=True) if part]
    named = [part for part, _ in parts if _complains(part[0], text)]
    if _DIFF.search(text):
        named = [part for part, _ in parts if not _STYLES.isdisjoint(part)]
    elif not named and _REFUSED.search(text):
        named = [part for part, _ in parts if part[0] == "curl"]
    if named:
        return named[-1]
    return parts[-1][0] if parts and not parts[-1][1] and not programs.is_piped(command) else ()


def _complains(program: str, text: str) -> bool:
    return re.search(rf"^(?:\S*/)?{re.escape(program)}: \S", text, re.MULTILINE) is not None


def _parts(command: str) -> list[Part]:
    """Of each part that its end is of, as `programs.checks` has them; () for one of which nothing is said."""
    return [_part(words) for words in programs.parts(command)]


def _part(words: Sequence[str]) -> Part:
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name in _SILENT or name in programs.READERS:
        return ()
    if name in _BARE:
        return (name,)
    if name in _SCRIPTED:
        return (name, rest[0].rpartition("/")[2]) if rest and programs.is_path(rest[0]) else ()
    if rest and rest[0] in _RUNS_ANOTHER:
        return ()
    most = 2 if (name in _OF_TWO and rest[:1] != ("api",)) or rest[:1] == ("run",) else 1
    told = rest[:most]
    return (name, *told) if told and all(map(_WORD.fullmatch, told)) else ()
