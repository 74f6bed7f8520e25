"""Turns a history into probes of files: files.modified, files.read, file.state.

A file's state is that of its last change; one that git took back has none. It is used where it is touched or named
again; its content where the next touch is a change, which is then made from memory.
"""

from collections.abc import Iterator, Mapping

from ctxmgr.study.probes.evidence import FactState, PathMention, PathState, Probe, ProbePart, Wording
from ctxmgr.study.probes.reading import FileUse, SessionHistory, mentioned_again, programs, wording

STATES = 25  # newest changed files that the content is asked of


def probes(of: SessionHistory, end: int) -> Iterator[Probe]:
    changed: dict[str, FileUse] = {}
    looked: dict[str, FileUse] = {}
    later: dict[str, FileUse] = {}
    for touch in of.touches:
        if touch.message_index >= end:
            later.setdefault(touch.path, touch)
        elif touch.action == "read":
            looked[touch.path] = touch
        else:
            changed.pop(touch.path, None)  # the newest change is the last
            changed[touch.path] = touch
    for path in brought_back(of, end, changed):
        del changed[path]
    for path, touch in changed.items():
        used = path in later or mentioned_again(of, _name(path), end)
        yield Probe("files.modified", f"What was done to {path}?", touch.action, _told(touch), used)
    for path in looked:
        if path not in changed:
            used = path in later or mentioned_again(of, _name(path), end)
            yield Probe(
                "files.read", "Which files were looked at?", path, (ProbePart(1.0, (PathMention(path),)),), used
            )
    for path, touch in list(changed.items())[-STATES:]:
        next_touch = later.get(path)
        yield Probe(
            "file.state",
            f"What did the last change of {path} put there?",
            "\n".join(touch.lines) or touch.action,
            _content(touch),
            next_touch is not None and next_touch.action != "read",
            path,
        )


def brought_back(of: SessionHistory, end: int, changed: Mapping[str, FileUse]) -> tuple[str, ...]:
    """Files that git took back after their newest change, where nothing was committed before."""
    first = min((one.message_index for one in of.commits), default=end)
    runs = [run for run in of.runs if run.message_index < min(end, first) and not run.ended.failed]
    found = {name: run.message_index for run in runs for name in programs.brought_back(run.command)}
    return tuple(
        path
        for path, touch in changed.items()
        if any(f"/{path}".endswith(f"/{name}") and touch.message_index < at for name, at in found.items())
    )


def _told(touch: FileUse) -> tuple[ProbePart, ...]:
    state: FactState = "deleted" if touch.action == "deleted" else "changed"
    return (ProbePart(0.5, (PathMention(touch.path),)), ProbePart(0.5, (PathState(touch.path, state),)))


def _content(touch: FileUse) -> tuple[ProbePart, ...]:
    lines = wording.line_pieces(touch.lines)
    if not lines:
        return _told(touch)
    halves = (_half(one) for one in _told(touch))
    return (*halves, ProbePart(0.5, (Wording(lines),)))


def _half(one: ProbePart) -> ProbePart:
    return ProbePart(one.weight / 2, one.evidence, one.best)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
