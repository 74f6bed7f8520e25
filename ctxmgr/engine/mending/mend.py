"""Turns a summary that a model wrote, and the facts that hold, into the summary as it may be kept.

Rules:
1. Nothing of the summary is changed but the lines that evidence contradicts: a note at their end, and the box of a
   task that is done.
2. What it lacks of the user's rules and corrections, of open tasks, of what failed last and of changed files is
   added under one heading, in that order, as far as the budget goes; of each the newest first.
3. Rules come from the user alone, or from an earlier summary; tasks from what the assistant set itself. A tool's
   text enters as one quoted line.
4. Behind `end` a line that is not so, and stands before it too, is left out: it is told once.
5. Same summary, same facts, same bytes.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from ctxmgr.engine.judging import Contradiction, contradictions
from ctxmgr.engine.packet import MOST_BLOCKERS, command_states
from ctxmgr.engine.stating import DraftLines, draft_lines, names_file, says, says_failure
from ctxmgr.engine.text import ADDED_HEADING, NOTE, code, one_line, rules_in_short, rules_left, shorten
from ctxmgr.engine.tools import paths
from ctxmgr.model import Weigh
from ctxmgr.model.saved import Fact

ADDED_RULE_CHARACTERS = 600  # as many as a rule may have
ADDED_PATH_CHARACTERS = 240
TOLD_CHARACTERS = 160  # of what a mend says that it is of
MOST_ADDED_TASKS = 20
MOST_ADDED_FILES = 30
MOST_MENDS = 60  # that are listed
MORE_LINE_TOKENS = 16  # of the line that says how many rules are left out
_BOXES = {"active": "[~]", "open": "[ ]", "blocked": "[!] blocked:"}
_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/")
_BOX = ("[ ]", "[~]", "[>]", "[/]", "[]")


class SummaryDraft(msgspec.Struct, frozen=True):
    """What a model wrote. `lists`: of files, that go behind it. `end`: the character, at a line's end, that what is
    added goes before; None where it goes to the end."""

    text: str
    lists: str = ""
    end: int | None = None


class Evidence(msgspec.Struct, frozen=True):
    """The facts that hold, and history, oldest first. What was stated at `recent_since_ms` and later stands beside
    the summary: it is not added. `was_read`: are these small letters of what the model read? None: that is not
    known. `all_read`: it read nothing else, as a host's own instructions."""

    now: Sequence[Fact]
    past: Sequence[Fact] = ()
    recent_since_ms: int | None = None
    was_read: Callable[[str], bool] | None = None
    all_read: bool = True


class Mend(msgspec.Struct, frozen=True):
    """What was done. `kind`: "constraint", "correction", "task", "failure" or "file" were added; "outcome", "task"
    or "git" corrected, where `corrected`."""

    kind: str
    text: str
    corrected: bool = False


class Mended(msgspec.Struct, frozen=True):
    """The summary, and what was done to it."""

    text: str
    mends: tuple[Mend, ...] = ()


class _Line(msgspec.Struct, frozen=True):
    """A line that may be added, and the mend it is."""

    text: str
    mend: Mend


class _Part(msgspec.Struct, frozen=True):
    """Lines under one heading, in the order of reading; `ranked`: their places, the best right to stay first."""

    heading: str
    lines: tuple[_Line, ...]
    ranked: tuple[int, ...]


def mended(draft: SummaryDraft, by: Evidence, *, budget: int, weigh: Weigh) -> Mended:
    """`budget`: tokens of what may be added."""
    read = draft_lines(draft.text)
    lines: list[str | None] = list(read.lines)
    mends: list[Mend] = []
    told: dict[str, int] = {}  # where each line that is not so stands first
    last = len(lines) if draft.end is None else draft.text[: draft.end].count("\n") + 1
    for found in contradictions(read, by.now, by.past, (by.was_read, by.all_read)):
        at, line = found.line_index, lines[found.line_index]
        if told.setdefault(read.lines[at], at) < last <= at:  # rule 4
            lines[at] = None
        if line is None or lines[at] is None:
            continue
        lines[at] = _corrected(line, found)
        mends.append(Mend(found.kind, shorten(found.text, TOLD_CHARACTERS), corrected=True))
    section, added = _chosen(_lacking(read, draft.text + draft.lists, by), budget, weigh)
    if section:
        lines[last:last] = ["", *section]
    text = "\n".join(line for line in lines if line is not None)
    return Mended(text, (*mends, *added)[:MOST_MENDS]) if mends or added else Mended(draft.text)


def _corrected(line: str, found: Contradiction) -> str:
    box = next((one for one in _BOX if one in line), "") if found.is_done else ""
    line = (line.replace(box, "[x]", 1) if box else line).rstrip()
    row = line.lstrip().startswith("|") and line.endswith(" |")  # a table's: what stands behind it is not shown
    return f"{line[:-2].rstrip()} {NOTE}{found.note}] |" if row else f"{line} {NOTE}{found.note}]"


def _lacking(draft: DraftLines, text: str, by: Evidence) -> Iterator[_Part]:
    """Rule 2."""
    now, since = by.now, by.recent_since_ms
    left = [fact for fact in now if since is None or fact.time_ms < since]
    rules = [fact for fact in left if fact.slot == "constraint" and fact.source in ("user", "summary")]
    rules = [fact for fact in rules if rules_left(fact.text) < 0 and not says(draft, fact.text, forbidding=True)]
    yield _newest("### Constraints & Preferences", [_rule(fact) for fact in rules])
    tasks = [fact for fact in left if fact.slot == "task" and fact.source == "assistant" and fact.status in _BOXES]
    tasks = [fact for fact in tasks if not says(draft, fact.text)][-MOST_ADDED_TASKS:]
    tasks.sort(key=lambda fact: fact.status != "active")
    told = [_Line(f"- {_BOXES[one.status]} {one_line(one.text)}", _mend("task", one.text)) for one in tasks]
    yield _Part("### Open Tasks", tuple(told), tuple(range(len(told))))
    files = [fact for fact in now if fact.slot == "file" and fact.status != "read"]
    changed = {fact.text: (fact.time_ms, fact.seq) for fact in files}
    commands = [fact for fact in now if fact.slot == "command"]
    blockers = command_states(commands, changed).blockers[:MOST_BLOCKERS]
    failed = [(same, line) for same, line in blockers if same[0].runs and same[0] in left]
    told = [_Line(line, _mend("failure", same[0].text)) for same, line in failed if not says_failure(draft, same)]
    yield _Part("### Blocked", tuple(told), tuple(range(len(told))))
    yield _newest(
        "### Changed Files",
        _files(text, [one for one in files if one in left], [one.text for one in now if one.slot == "file"]),
    )


def _rule(fact: Fact) -> _Line:
    text = one_line(fact.text, ADDED_RULE_CHARACTERS)
    kind = "correction" if fact.detail == "correction" else "constraint"
    told = f'"{text}"' if fact.source == "user" else text
    return _Line(f"- the user corrected: {told}" if kind == "correction" else f"- {told}", _mend(kind, text))


def _files(text: str, changed: Sequence[Fact], known: Sequence[str]) -> list[_Line]:
    """Those that the summary, with what it lists as changed, does not name."""
    whole = paths.same(known)
    every = list(dict.fromkeys(whole.get(path, path) for path in known))
    said = _without_read(text)
    newest = dict.fromkeys(whole.get(one.text, one.text) for one in changed if not one.text.startswith(_TEMPORARY))
    spelled = {path: [one for one in known if whole.get(one, one) == path] for path in newest}
    lacking = [
        path
        for path in newest
        if not any(names_file(said, one, every) for one in dict.fromkeys((path, *spelled[path])))
    ]
    told = lacking[-MOST_ADDED_FILES:]
    return [_Line(f"- {code(path, ADDED_PATH_CHARACTERS)}", _mend("file", path)) for path in told]


def _without_read(text: str) -> str:
    """Without the list of files that were only read."""
    head, tag, rest = text.rpartition("<read-files>\n")
    return head + rest.partition("</read-files>")[2] if tag else text


def _mend(kind: str, text: str) -> Mend:
    return Mend(kind, shorten(one_line(text, TOLD_CHARACTERS), TOLD_CHARACTERS))


def _newest(heading: str, lines: Sequence[_Line]) -> _Part:
    return _Part(heading, tuple(lines), tuple(range(len(lines) - 1, -1, -1)))


def _chosen(parts: Iterator[_Part], budget: int, weigh: Weigh) -> tuple[list[str], list[Mend]]:
    """The section's lines within the budget, and what they mend."""
    room = budget - weigh(f"\n\n{ADDED_HEADING}\n")
    section: list[str] = []
    mends: list[Mend] = []
    for part in parts:
        reserved = MORE_LINE_TOKENS if len(part.lines) > 1 else 0
        left = room - weigh(f"\n{part.heading}\n") - reserved
        chosen: list[int] = []
        for place in part.ranked:
            weight = weigh(f"{part.lines[place].text}\n")
            if weight > left:
                break
            left -= weight
            chosen.append(place)
        if not chosen:
            continue
        room = left + reserved
        told = [part.lines[place] for place in sorted(chosen)]
        more = rules_in_short(0, len(part.lines) - len(told))
        room -= weigh(f"- {more}\n") if more else 0
        section += ["", part.heading, *([f"- {more}"] if more else []), *(one.text for one in told)]
        mends += [one.mend for one in told]
    return ([ADDED_HEADING, *section] if section else []), mends
