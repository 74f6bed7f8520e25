"""Turns a history into probes of files: files.modified, files.read, file.state.

A file's state is that of its last change. It is used where it is touched or named again; its content where the next
touch is a change, which is then made from memory.
"""

from collections.abc import Iterator

from ctxmgr.study.probes.evidence import Part, Path, PathState, Probe, State, Wording
from ctxmgr.study.probes.reading.history import History, Touch, said_again
from ctxmgr.study.probes.reading.wording import line_pieces

STATES = 25  # newest changed files that the content is asked of


def probes(of: History, end: int) -> Iterator[Probe]:
    changed: dict[str, Touch] = {}
    looked: dict[str, Touch] = {}
    later: dict[str, Touch] = {}
    for touch in of.touches:
        if touch.at >= end:
            later.setdefault(touch.path, touch)
        elif touch.action == "read":
            looked[touch.path] = touch
        else:
            changed.pop(touch.path, None)  # the newest change is the last
            changed[touch.path] = touch
    for path, touch in changed.items():
        used = path in later or said_again(of, _name(path), end)
        yield Probe("files.modified", f"What was done to {path}?", touch.action, _told(touch), used)
    for path in looked:
        if path not in changed:
            used = path in later or said_again(of, _name(path), end)
            yield Probe("files.read", "Which files were looked at?", path, (Part(1.0, (Path(path),)),), used)
    for path, touch in list(changed.items())[-STATES:]:
        next_touch = later.get(path)
        yield Probe(
            "file.state",
            f"What did the last change of {path} put there?",
            "\n".join(touch.lines) or touch.action,
            _content(touch),
            next_touch is not None and next_touch.action != "read",
        )


def _told(touch: Touch) -> tuple[Part, ...]:
    state: State = "deleted" if touch.action == "deleted" else "changed"
    return (Part(0.5, (Path(touch.path),)), Part(0.5, (PathState(touch.path, state),)))


def _content(touch: Touch) -> tuple[Part, ...]:
    lines = line_pieces(touch.lines)
    if not lines:
        return _told(touch)
    halves = (_half(one) for one in _told(touch))
    return (*halves, Part(0.5, (Wording(lines),)))


def _half(one: Part) -> Part:
    return Part(one.weight / 2, one.evidence, one.best)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
