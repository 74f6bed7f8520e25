"""Turns a history into probes of what was run: errors, tests, commits, env.

An error stands as long as the same command, or an edit of the same file, has not succeeded since. What git refused
is over when it did the same for other arguments, or when a merge was committed: nobody merges what is merged. Lines
of an output are asked for in pieces of six words, as sentences are: by the line is code alone.
"""

from collections.abc import Iterable, Iterator

from ctxmgr.study.probes.evidence import (
    Evidence,
    Exact,
    FactState,
    PathMention,
    Probe,
    ProbePart,
    TextState,
    Wording,
)
from ctxmgr.study.probes.reading import CommandRun, SessionHistory, mentioned_again, programs, wording

ERRORS = 6
TESTS = 3
COMMAND_CHARACTERS = 240
NO_BRANCH = frozenset({"main", "master", "HEAD", "trunk"})  # who works on it needs no memory for that


def probes(of: SessionHistory, end: int) -> Iterator[Probe]:
    newest: dict[str, CommandRun] = {}
    for run in of.runs:
        if run.message_index >= end:
            break
        newest.pop(run.key, None)
        newest[run.key] = run
    again = {run.key for run in of.runs if run.message_index >= end}
    changed = {
        touch.path: touch.message_index
        for touch in of.touches
        if touch.message_index < end and touch.action != "read"
    }
    failed = [
        run
        for run in newest.values()
        if run.ended.failed
        and run.ended.errors
        and not (run.path and changed.get(run.path, -1) > run.message_index)
        and not _git_went_on(run, newest.values())
    ]
    for run in failed[-ERRORS:]:
        yield _error(of, run, run.key in again, end)
    for run in [run for run in newest.values() if run.check][-TESTS:]:
        yield _test(run, run.key in again)
    for commit in of.commits:
        if commit.message_index < end:
            parts = (
                ProbePart(0.5, (Exact(commit.hash),)),
                ProbePart(0.5, (Wording(wording.pieces(commit.message)),)),
            )
            used = _in_later(of, commit.hash, end)
            yield Probe("commits", f"Which commit is: {commit.message}?", commit.hash, parts, used)
    for what, places in (("branch", of.branches), ("directory", of.directories)):
        name = next((one.name for one in reversed(places) if one.message_index < end), "")
        if name and name not in NO_BRANCH:
            used = _in_later(of, name, end)
            yield Probe(
                "env", f"Which {what} is worked in?", name, (ProbePart(1.0, (Exact(_ending(name)),)),), used
            )


def command_pieces(command: str) -> tuple[str, ...]:
    """Of the first lines of a command, as far as it is asked for."""
    return wording.pieces(wording.shortened(command, COMMAND_CHARACTERS))


def _git_went_on(failed: CommandRun, newest: Iterable[CommandRun]) -> bool:
    """Did git do later what a run of it failed in last?"""
    aims = programs.in_git(failed.command)[-1:]
    over = {*aims, *(("commit",) if aims == ("merge",) else ())}
    later = (one for one in newest if one.message_index > failed.message_index and not one.ended.failed)
    return bool(aims) and any(not over.isdisjoint(programs.in_git(one.command)) for one in later)


def _error(of: SessionHistory, run: CommandRun, again: bool, end: int) -> Probe:
    command: Evidence = PathMention(run.path) if run.path else Wording(command_pieces(run.command))
    lines = [Wording(wording.pieces(line)) for line in run.ended.errors]
    used = again or any(mentioned_again(of, name, end) for name in wording.references("\n".join(run.ended.errors)))
    subject = wording.shortened(run.command, COMMAND_CHARACTERS)
    parts = (ProbePart(0.5, (command,)), ProbePart(0.5, tuple(lines), best=True))
    return Probe("errors", f"What did this fail with: {subject}", "\n".join(run.ended.errors), parts, used, subject)


def _test(run: CommandRun, again: bool) -> Probe:
    names = command_pieces(run.command)
    command = Wording(names)
    lines = tuple(piece for line in run.ended.telling or run.ended.errors for piece in wording.pieces(line))
    state: FactState = "failed" if run.ended.failed else "working"
    outcome = (Wording(lines), TextState(names, state))
    parts = (
        (ProbePart(0.5, (command,)), ProbePart(0.5, outcome, best=True)) if lines else (ProbePart(1.0, (command,)),)
    )
    question = f"How did this end: {wording.shortened(run.command, COMMAND_CHARACTERS)}"
    return Probe("tests", question, "\n".join(run.ended.telling) or state, parts, again)


def _in_later(of: SessionHistory, text: str, end: int) -> bool:
    """Said by user or assistant from `end` on, letter by letter."""
    return any(text in spoken for spoken in of.spoken[end:])


def _ending(name: str) -> str:
    """Of a directory the last two components; a branch whole."""
    return "/".join(name.rstrip("/").split("/")[-2:]) if name.startswith(("/", "~")) else name
