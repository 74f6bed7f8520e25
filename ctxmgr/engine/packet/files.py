"""Turns file facts into few lines: paths grouped by directory, under the directory that nearly all share.

A path costs 10 to 25 tokens written out; grouped, a file costs little more than its name.
"""

from collections.abc import Sequence

from ctxmgr.engine.tools import paths
from ctxmgr.model.saved import Fact

MOST_CHANGED = 60
MOST_READ = 40
LINE_CHARACTERS = 200
_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/dev/")


def file_lines(facts: Sequence[Fact]) -> tuple[list[str], list[int], str, int]:
    """Return the lines, how many files each names, the directory they are under ("" for none), and all files.

    `facts` are the current file facts, oldest first. Changed files come before read ones, newest first; a
    file that was changed is not told again as read; one that a shell named from where it was, and a tool by its
    whole path, is one file. Temporary files are left out where there are others.
    """
    facts = [fact for fact in facts if not fact.text.startswith(_TEMPORARY)] or facts
    whole = paths.same(fact.text for fact in facts)
    changed: dict[str, str] = {}
    read: dict[str, str] = {}
    for fact in reversed(facts):
        if fact.status != "read":
            changed.setdefault(whole.get(fact.text, fact.text), fact.status)
    for fact in reversed(facts):
        if (path := whole.get(fact.text, fact.text)) not in changed:
            read.setdefault(path, fact.status)
    total = len(changed) + len(read)
    shown = [*list(changed.items())[:MOST_CHANGED], *list(read.items())[:MOST_READ]]
    root = paths.root_of([path for path, _ in shown]) or paths.root_of(list(changed)[:MOST_CHANGED])
    groups: dict[tuple[str, str], list[str]] = {}
    for path, status in shown:
        directory, _, name = path.removeprefix(root).rpartition("/")
        verb = status if status in ("read", "deleted") else "changed"
        groups.setdefault((verb, directory), []).append(name or path)
    lines: list[str] = []
    counts: list[int] = []
    for (verb, directory), names in sorted(groups.items(), key=lambda group: group[0][0] == "read"):
        for chunk in _chunks(names):
            place = f"{directory}/" if directory else ""
            several = f"{place}: {', '.join(chunk)}" if place else f"{', '.join(chunk)}"
            lines.append(f"{verb} {several if len(chunk) > 1 else place + chunk[0]}")
            counts.append(len(chunk))
    return lines, counts, root, total


def _chunks(names: Sequence[str]) -> list[list[str]]:
    """Split names so that each line stays short enough to be kept or dropped by itself."""
    chunks: list[list[str]] = [[]]
    length = 0
    for name in names:
        if chunks[-1] and length + len(name) > LINE_CHARACTERS:
            chunks.append([])
            length = 0
        chunks[-1].append(name)
        length += len(name) + 2
    return chunks
