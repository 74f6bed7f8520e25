"""Adds to a summary that a model wrote what it lacks of the facts that hold.

Rules:
1. The summary itself does not change. These are added under one heading if the summary lacks them, in this order,
   as far as the budget allows: the user's messages, the plan that the user approved last, open tasks, failed checks
   and changed files. Of the messages and files the newest come first; a plan is cut at its end.
2. The summary states a user's message if it contains its words, in any case and punctuation. It states a failed
   check if it contains the command and the counts, so that no failure passes for a success. It states a file if it
   contains its path, or its name if no other file has that name.
3. Equal summary and facts give equal bytes.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.memory.fill import Part, fill, newest_first, part_of
from ctxmgr.engine.memory.ledger import LedgerView, record_of
from ctxmgr.engine.memory.markdown import ADDED_HEADING
from ctxmgr.engine.memory.packet import approved_plan_text, runs
from ctxmgr.engine.memory.packet import open_tasks as task_lines
from ctxmgr.engine.memory.user_words import user_line
from ctxmgr.engine.memory.wording import code, one_line, shorten, words_of
from ctxmgr.model import Weigh, expression
from ctxmgr.model.saved import Fact, Ledger

USER_CHARACTERS = 600  # of one message
LONGEST_RULE = 600  # a longer message is a document, which the summary describes
PATH_CHARACTERS, TOLD_CHARACTERS, MOST_FILES, MOST_REPAIRS = 240, 160, 30, 60
_MORE = expression(r" \(\d+ more not shown\)")
_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/")


class Repair(msgspec.Struct, frozen=True):
    """One line that was added. `kind`: "user", "plan", "task", "failure" or "file"."""

    kind: str
    text: str


class RepairedSummary(msgspec.Struct, frozen=True):
    """The summary, and the lines that were added."""

    text: str
    repairs: tuple[Repair, ...] = ()


def repaired(
    text: str,
    known: Ledger,
    shown: frozenset[str],
    *,
    budget: int,
    weigh: Weigh,
    lists: str = "",
    end: int | None = None,
    earlier: int = 0,
) -> RepairedSummary:
    """The summary `text` with what it lacked. `shown`: digests of messages that are shown beside it, from which
    nothing is added. `budget`: tokens for the additions. `lists`: lists of files that follow the summary. `end`:
    the offset, at the end of a line, where additions go; None for the end of the text. `earlier`: how many of the
    user's messages came before the known ones.
    """
    record = record_of(known, shown, earlier=earlier)
    lacking = _lacking(text + lists, record)
    section = fill([part for _, part in lacking], budget - weigh(f"\n\n{ADDED_HEADING}\n\n"), weigh)
    if not section:
        return RepairedSummary(text)
    end = len(text) if end is None else end
    text = f"{_with(section, text[:end].rstrip())}{text[end:]}"
    repairs = [
        Repair(kind, shorten(line.removeprefix("- "), TOLD_CHARACTERS))
        for kind, part in lacking
        for line in part.lines
        if line in section
    ]
    return RepairedSummary(text, tuple(repairs[:MOST_REPAIRS]))


def _with(section: str, text: str) -> str:
    """The text with the section, merged into the additions of an earlier repair if it has any."""
    before, heading, added = text.partition(ADDED_HEADING)
    if not heading:
        return f"{text}\n\n{ADDED_HEADING}\n\n{section}"
    for block in section.split("\n\n"):
        title, _, lines = block.partition("\n")
        match = re.search(
            rf"^{re.escape(_MORE.sub('', title))}(?:{_MORE.pattern})?$\n(?:-.*\n?)*", added, re.MULTILINE
        )
        end = match.end() if match else len(added)
        more = lines if match else f"\n{block}"
        added = f"{added[:end].rstrip()}\n{more}\n{added[end:]}".rstrip()
    return f"{before}{heading}{added}"


def _lacking(text: str, record: LedgerView) -> list[tuple[str, Part]]:
    """(kind of repair, its part) for what the text lacks, in the order of rule 1. Parts may be empty."""
    words = f" {words_of(text)} "
    known = [(fact.seq, fact) for fact in record.of("request", "summary") if fact.seq]
    users = [
        user_line(number, fact, USER_CHARACTERS)
        for number, fact in (*known, *record.unseen.items())
        if len(fact.text) <= LONGEST_RULE and not _states(text, words, fact.text)
    ]
    plan = [f"- {line}" for line in approved_plan_text(record).splitlines() if line.strip()]
    plan = plan if any(f" {words_of(line)} " not in words for line in plan) else []
    tasks = [line for line in task_lines(record) if f" {words_of(line)} " not in words]
    checks = zip(record.of("command", "tool"), runs(record), strict=True)
    failed = [
        line
        for fact, line in checks
        if fact.status == "failed"
        and not all(f" {words_of(text)} " in words for text in (fact.text, fact.detail) if text)
    ]
    files = _files(text, [fact for fact in record.of("file", "tool") if fact.status != "read"])
    return [
        ("user", part_of("### The user said (word for word)", users, 0.6, newest_first(len(users)))),
        ("plan", part_of("### The plan that the user approved (word for word)", plan, 0.5)),
        ("task", part_of("### Open Tasks", tasks, 0.2)),
        ("failure", part_of("### Blocked", failed, 0.2)),
        ("file", part_of("### Changed Files", files, 0.2, newest_first(len(files)))),
    ]


def _states(text: str, words: str, rule: str) -> bool:
    """Whether the text states this by itself: at the start of a line, or after punctuation. "Do not use tabs" does
    not state "use tabs". `words`: the words of the text.
    """
    rule_words = words_of(rule)
    if f" {rule_words} " not in words:
        return False
    pieces = r"[\W_]+".join(map(re.escape, rule_words.split(" ")))
    return re.search(rf"(?:\A|\n|[^\w\s])[\s_]*{pieces}(?!\w)", text, re.IGNORECASE) is not None


def _files(text: str, changed: Sequence[Fact]) -> list[str]:
    """The changed files that the summary and its list of changed files do not name (rule 2)."""
    paths = list(dict.fromkeys(fact.text for fact in changed if not fact.text.startswith(_TEMPORARY)))
    names = Counter(path.rpartition("/")[2] for path in paths)
    head, tag, rest = text.rpartition("<read-files>\n")
    # a file in the list of read files does not count as changed
    stated = head + rest.partition("</read-files>")[2] if tag else text
    lacking = [
        path
        for path in paths
        if path not in stated and not (names[path.rpartition("/")[2]] == 1 and path.rpartition("/")[2] in stated)
    ]
    return [f"- {code(one_line(path, PATH_CHARACTERS), PATH_CHARACTERS)}" for path in lacking[-MOST_FILES:]]
