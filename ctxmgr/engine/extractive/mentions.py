"""Turns counts into two lines: the files worked on most, and the names that came up most and latest."""

import re
from collections.abc import Sequence

from ctxmgr.engine.extractive.collecting import carry
from ctxmgr.engine.extractive.lines import SummaryLines
from ctxmgr.engine.text import identifiers

MOST_FILES = 32
FILE_BUDGET = 400  # tokens of budget for each file that is listed
PATH_PARTS = 4
MOST_NAMES = 120
NAME_BUDGET = 100  # tokens of budget for each name that is listed: it costs about 5
LEAST_CHANGES = 2  # of a file that was worked on, and not only touched
LEAST_MENTIONS = 3  # of a name that is worth naming

_NO_NAME = re.compile(
    r"`|^\.{1,2}/|^[^.]*/[^.]*$|^(?:console|Math|JSON|Object|Array|String|process|os|sys|re|assert|fs|path)\."
    r"|\.(?:length|push|join|map|filter|split|slice|includes|append|get|forEach|replace|trim|substring|repeat)$"
)  # what every program names, import specifiers, and halves of a sed script


def add_files(
    lines: SummaryLines, carried: carry.PreviousFacts, budget: int, gone: frozenset[str] = frozenset()
) -> None:
    """The files that were worked on most, with how often; without those that were moved or deleted since."""
    work = lines.work
    lost = {end for path in (*work.removed_paths, *gone) for end in _parts(ending(path))}
    ends = {path for path in (*work.removed_paths, *gone) if "/" in path.strip("/") and not path.startswith("/")}
    counts = {
        path: seen
        for path, seen in carried.files.items()
        if lost.isdisjoint(_parts(path)[:1]) and ends.isdisjoint(_parts(path))
    }
    for path in dict.fromkeys((*work.changed, *work.read)):
        if path in gone:
            continue
        changed, read = counts.get(ending(path), (0, 0))
        counts[ending(path)] = (changed + work.changed[path], read + work.read[path])
    order = {path: place for place, path in enumerate(counts)}
    most = sorted(
        (
            path
            for path in counts
            if (sum(counts[path]) >= LEAST_CHANGES or path in carried.files) and "`" not in path
        ),
        key=lambda path: (-2 * counts[path][0] - counts[path][1], order[path]),
    )[: min(MOST_FILES, budget // FILE_BUDGET)]
    if most:
        lines.add("file", ", ".join(_file(path, *counts[path]) for path in most))


def _parts(path: str) -> list[str]:
    """A path and what it ends in: two parts at the least, where it has them."""
    parts = path.strip("/").split("/")
    return ["/".join(parts[start:]) for start in range(max(len(parts) - 1, 1))]


def ending(path: str) -> str:
    """The end of a long absolute path: the file lists beside a summary hold the whole."""
    parts = path.split("/")
    return "/".join(parts[-PATH_PARTS:]) if path.startswith("/") and len(parts) > PATH_PARTS + 1 else path


def add_names(lines: SummaryLines, carried: carry.PreviousFacts, budget: int) -> None:
    """What came up most and latest, unless a line names it already."""
    work, most = lines.work, min(MOST_NAMES, budget // NAME_BUDGET)
    shown = (line.text for kind in lines.kinds for line in lines.kinds[kind] if kind not in ("outcome", "request"))
    said = {name for text in shown for name in identifiers(text)}
    places = {name: place for place, name in enumerate(work.named)}
    named = [name for name, seen in work.named.items() if seen >= LEAST_MENTIONS and not _NO_NAME.search(name)]
    named.sort(key=lambda name: (-work.named[name] * (0.5 + work.last_named[name] / work.size), places[name]))
    listed = "".join(line.text for line in lines.kinds.get("file", []))
    fresh = dict.fromkeys([*named, *carried.names])
    chosen = [name for name in fresh if name not in said and f"{ending(name)}`" not in listed][:most]
    if chosen:
        lines.add("name", coded(chosen), coded(chosen[: max(len(chosen) // 4, 1)]))


def coded(some: Sequence[str]) -> str:
    return ", ".join(f"`{one}`" for one in some)


def _file(path: str, changed: int, read: int) -> str:
    done = ", ".join(f"{word} {count}" for word, count in (("changed", changed), ("read", read)) if count)
    return f"`{path}` ({done})"
