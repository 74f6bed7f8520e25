"""Turns a record into the parts of a packet, in their order of right to stay. Nothing is classified by its wording.

1. *Now*: what the user asked last and the assistant said last, and the open items of the host's own task list.
2. *The user said*: every message of the user's that is not shown, word for word. The first and the newest have the
   best right to stay, those of a few tokens the least. Where many are to be told, long ones but the first are told
   by how they begin and how they end.
3. *State*: how each kind of check ended last, commits that are there, files that were changed.
4. *Asked and answered*, by a host's tool that asks.
5. *From the summary*: what it says, under its own headings, and a summary in prose paragraph by paragraph.
6. *Said at the end of earlier turns*: the last paragraph of the newest few. Older ones are overtaken.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from ctxmgr.engine.memory import task_ids
from ctxmgr.engine.memory.command_lines import coded_command
from ctxmgr.engine.memory.one_line import code, one_line, said
from ctxmgr.engine.memory.part import PacketPart, newest_first, part_of
from ctxmgr.engine.memory.record import Record
from ctxmgr.engine.memory.runs import kind_of_run
from ctxmgr.engine.memory.scratchpad import SCRATCHPAD_HEADING, scratchpad_lines
from ctxmgr.engine.memory.wording import plain
from ctxmgr.engine.tools import paths
from ctxmgr.model import Weigh
from ctxmgr.model.saved import APPROVED, REJECTED, Fact

MOST_IN_LINE = 8  # files
NOW_CHARACTERS, END_CHARACTERS, PATH_CHARACTERS = 400, 200, 240
USER_CHARACTERS, LEAST_CHARACTERS = 4_000, 120  # of one message: as many as all fit with
FIRST_CHARACTERS = 600  # of the first message at least
PART_TOKENS = 12  # of a part beside its lines: what parts it, and how many lines are not shown
USERS_HEADING = "## The user said (word for word, by number)"
USER_SHARE = 0.5  # of the budget, and what the other parts leave of it
SHORT_TOKENS = 4  # of a message ("ok, go on"), which says nothing without what it answers
NEWEST_ENDS, NEWEST_COMMITS = 3, 5
KNOWN_CHARACTERS = 60  # of a message, by which it is known again
ITEM_CHARACTERS = 600  # of one of a summary's statements
BOXES = {"active": "[~]", "open": "[ ]", "blocked": "[!]", "done": "[x]"}
ENDED = {"ok": "passed", "failed": "failed", "unknown": "ran"}
_SECTIONS = {
    "goal": "Goal",
    "current": "Current Work",
    "constraint": "Constraints & Preferences",
    "decision": "Key Decisions",
    "task": "Tasks",
    "context": "Critical Context",
    "request": "Asked Before",
}  # of a summary, in their right to stay


def parts_of(record: Record, scratchpad: str, where: PacketPart, budget: int, weigh: Weigh) -> list[PacketPart]:
    """Those that have something to say. `where` the rest is, told last; `budget`: tokens of all of them."""
    newest = record.earlier + len(record.requests)
    asked, replies = record.unseen.get(newest), answers(record)
    now = part_of("## Now", [*_last(record, newest, asked), *open_tasks(record)], 0.3)
    others = [
        _scratchpad(scratchpad),
        _state(record),
        part_of("## Asked and answered", replies, 0.2, newest_first(len(replies))),
        *_summaries(record),
        _ends(record),
        where,
    ]
    beside = [part for part in (now, *others) if part.lines]
    left = budget - sum(weigh(part.whole) + PART_TOKENS for part in beside)
    left -= PART_TOKENS + weigh(USERS_HEADING)
    users = _users(record, newest if asked is not None else 0, max(int(USER_SHARE * budget), left), weigh)
    return [part for part in (now, users, *others) if part.lines]


def user_line(number: int, fact: Fact, characters: int) -> str:
    """What the user said, with its number."""
    return f"- #{number}: {said(fact.text, characters)}"


def user_lines(
    asked: Iterable[tuple[int, Fact]], most: int, least: int, room: int, weigh: Weigh, *, first: int = 0
) -> list[str]:
    """Each message by number, in the most characters with which all fit into `room` tokens, from `most` down to
    `least`; the first of them in no fewer than `first`."""
    numbered, lines = list(asked), list[str]()
    for characters in _cut_lengths(most, least):
        shorter = [
            user_line(number, fact, characters if at else max(characters, first))
            for at, (number, fact) in enumerate(numbered)
        ]
        if shorter != lines:
            lines = shorter
            if weigh("\n".join(lines)) <= room:
                break
    return lines


def _cut_lengths(most: int, least: int) -> Iterator[int]:
    """In characters, from the most down, each three quarters of the one before."""
    while most > least:
        yield most
        most = most * 3 // 4
    yield least


def open_tasks(record: Record) -> list[str]:
    """Of the host's own list."""
    tasks = [fact for fact in record.of("task", "assistant") if fact.status in ("open", "active", "blocked")]
    tasks = sorted(tasks, key=lambda fact: fact.status != "active")
    return [f"- {BOXES[one.status]} {task_ids.with_id(one_line(one.text), one.key)}" for one in tasks]


def answers(record: Record) -> list[str]:
    """Questions that a tool asked and the user answered, plans, and calls that the user would not have."""
    return [_answer(fact) for fact in record.of("question", "user", "tool")]


def _answer(fact: Fact) -> str:
    told = said(fact.detail, ITEM_CHARACTERS) if fact.detail else "nothing more"
    if fact.status == APPROVED:
        return f'- approved: "{one_line(fact.text, ITEM_CHARACTERS)}"'
    if fact.status == REJECTED:
        by = "" if fact.source == "user" else "its result said "  # a tool may have printed it
        return f'- rejected: "{one_line(fact.text, ITEM_CHARACTERS)}" → {by}{told}'
    return f"- {said(fact.text, ITEM_CHARACTERS)} → {told}"


def runs(record: Record) -> list[str]:
    """How each kind of check ended last."""
    return [run_line(fact, record.after(fact), record.is_overtaken(fact)) for fact in record.of("command", "tool")]


def run_line(fact: Fact, after: int, overtaken: bool = False) -> str:
    """`- test: `pytest -q` failed after #3: "1 failed"`. `overtaken`: files were changed since."""
    since = ", files changed since" if overtaken and fact.status != "unknown" else ""
    behind = ", outcome not shown" if fact.status == "unknown" else f": {said(fact.detail, END_CHARACTERS)}"
    behind = behind if fact.detail or fact.status == "unknown" else ""
    return f"- {kind_of_run(fact)}: {coded_command(fact.text)} {ENDED[fact.status]}{_after(after)}{since}{behind}"


def commits(record: Record) -> list[str]:
    """Those that are there, newest last."""
    return [commit_line(fact) for fact in record.of("value", "tool")]


def commit_line(fact: Fact) -> str:
    """`- commit abc1234: "subject"`."""
    made, _, subject = fact.text.partition(" ")
    return f"- commit {made}: {said(subject, PATH_CHARACTERS)}"


def changed_files(record: Record) -> tuple[str, list[str]]:
    """The directory that nearly all are under, "" for none, and a line for those that one tool changed in one turn,
    newest last."""
    files = [fact for fact in record.of("file", "tool", "summary", "branch") if fact.status != "read"]
    whole = paths.same(fact.text for fact in files)
    newest = {whole.get(fact.text, fact.text): fact for fact in files}
    root = common_root(newest)
    groups: dict[str, list[str]] = {}
    for path, fact in newest.items():
        told = _change(fact, record.after(fact))
        groups.setdefault(told, []).append(code(path.removeprefix(root) or path, PATH_CHARACTERS))
    return root, [
        f"- {told}: {', '.join(some)}" for told, every in groups.items() for some in batched(every, MOST_IN_LINE)
    ]


def common_root(files: Collection[str]) -> str:
    """The directory that nearly all of these are under, "" for none. Of relative ones nobody knows."""
    return paths.root_of(files) if all(map(paths.is_absolute, files)) else ""


def _last(record: Record, newest: int, asked: Fact | None) -> Iterator[str]:
    if asked is not None:
        yield f"- the user asked last (#{newest}): {said(asked.text, NOW_CHARACTERS)}"
    if record.said is not None:
        yield f"- the assistant said before what follows: {said(record.said.text, NOW_CHARACTERS)}"


def _users(record: Record, told: int, room: int, weigh: Weigh) -> PacketPart:
    """Rule 2; the message `told` is told elsewhere."""
    unseen = {number: fact for number, fact in record.unseen.items() if number != told}
    lines = user_lines(unseen.items(), USER_CHARACTERS, LEAST_CHARACTERS, room, weigh, first=FIRST_CHARACTERS)
    weighty = [at for at, fact in enumerate(unseen.values()) if weigh(fact.text) > SHORT_TOKENS]
    ranked = dict.fromkeys([*range(len(lines))[:1], *reversed(weighty), *newest_first(len(lines))])
    return part_of(USERS_HEADING, lines, USER_SHARE, ranked)


def _scratchpad(notes: str) -> PacketPart:
    lines = scratchpad_lines(notes)
    return part_of(SCRATCHPAD_HEADING, lines, 0.3, newest_first(len(lines)))


def _state(record: Record) -> PacketPart:
    root, files = changed_files(record)
    heading = f"## State (files under {code(root, PATH_CHARACTERS)})" if root else "## State"
    ran, made = runs(record), commits(record)[::-1]
    first, commit_count = len(ran) + min(NEWEST_COMMITS, len(made)), len(ran) + len(made)
    lines = [*ran, *made, *reversed(files)]
    ranked = (*range(first), *range(commit_count, len(lines)), *range(first, commit_count))
    return part_of(heading, lines, 0.35, ranked)


def _change(fact: Fact, after: int) -> str:
    """`edited (Edit, after #5)`."""
    by = ", ".join(filter(None, (fact.detail, _after(after).strip())))
    return f"{fact.status} ({by})" if by else fact.status


def batched(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """In runs of so many."""
    return (items[at : at + size] for at in range(0, len(items), size))


def _after(number: int) -> str:
    return f" after #{number}" if number else ""


def _summaries(record: Record) -> Iterator[PacketPart]:
    starts = frozenset(plain(one.text)[:KNOWN_CHARACTERS] for one in record.requests)
    for source, heading in (("summary", "## From the summary"), ("branch", "## From a branch that was left")):
        lines = [
            line
            for slot, title in _SECTIONS.items()
            for line in _section([one for one in record.of(slot, source) if not _repeats(one, starts)], title)
        ]
        yield part_of(heading, lines, 0.4 if source == "summary" else 0.15)


def _repeats(fact: Fact, starts: Collection[str]) -> bool:
    """Does a summary tell a message of the user's that the record knows? `starts`: how those begin."""
    told = plain(fact.text)
    return told in starts or any(
        (len(start) == KNOWN_CHARACTERS and start in told) or (told.startswith("#") and f': "{start}' in told)
        for start in starts
    )


def _section(facts: Sequence[Fact], title: str) -> Iterator[str]:
    """The statements under their own heading."""
    heading = ""
    for fact in facts:
        name = one_line(fact.detail or title, END_CHARACTERS)
        if name != heading:
            heading = name
            yield f"### {name}"
        box = f"{BOXES.get(fact.status, '')} " if fact.slot == "task" and fact.status in BOXES else ""
        yield f"- {box}{task_ids.with_id(one_line(fact.text, ITEM_CHARACTERS), fact.key)}"


def _ends(record: Record) -> PacketPart:
    """Rule 6."""
    lines = [
        f"-{_after(record.after(fact)) or ' at the start'}: {said(fact.text, END_CHARACTERS)}"
        for fact in record.ends[-NEWEST_ENDS:]
    ]
    return part_of("## Said at the end of earlier turns", lines, 0.12, newest_first(len(lines)))
