"""Turns what holds now into the packet's parts: headings and lines, with what has the better right to stay.

Knows nothing of weights. Every text from a fact passes `one_line`. The shares of the budget are a
judgement, made by reading packets of recorded sessions: no part may starve the ones after it.
"""

from collections.abc import Callable, Container, Iterable, Sequence

import msgspec

from ctxmgr.engine.ledger import GOAL_CHARACTERS, now_and_past
from ctxmgr.engine.packet.commands import blocker_lines, end_lines
from ctxmgr.engine.packet.files import file_lines
from ctxmgr.engine.packet.users import name_of, rule_line
from ctxmgr.engine.packet.values import value_lines
from ctxmgr.engine.text import (
    BULLET_CHARACTERS,
    SCRATCHPAD_HEADING,
    one_line,
    rules_left,
    scratchpad_lines,
    sentence,
    shorten,
    words_of,
)
from ctxmgr.model.saved import ALLOWED, Fact, Ledger

SMALL_GOAL_CHARACTERS = 240
CONTEXT_CHARACTERS = 2_000  # of one item in a resume packet: it stands for a summary nobody else holds
MOST_LINES = 200  # candidates a part: more would not fit the largest packet, and weighing them costs
MOST_PAST = 10  # of each kind of history
PAST_CHARACTERS = 160
FIRST_CHARACTERS = 240  # of the first request
TITLE_CHARACTERS = 60
NOTHING_SHOWN: Container[str] = frozenset()
FILE_LINE_CHARACTERS = 400  # a directory and the names in it, which are counted: none may be cut off


class PacketPart(msgspec.Struct, frozen=True):
    """One part. `lines` in the order of reading, `ranked` their places, the best right to stay first.

    `share` is the part of the budget that it gets before the others are filled.
    `counts` says how many statements each line holds, `total` how many there are, shown or not. `groups`: of which
    heading of a summary each line is, "" for none.
    """

    heading: str
    lines: tuple[str, ...]
    ranked: tuple[int, ...]
    counts: tuple[int, ...]
    total: int
    share: float
    groups: tuple[str, ...] = ()


def parts_of(
    ledger: Ledger, *, resume: bool, scratchpad: str, roomy: bool, shown: Container[str] = NOTHING_SHOWN
) -> tuple[PacketPart, ...]:
    """Return the parts in their order of right to stay; those with nothing to say are left out."""
    held: dict[str, list[Fact]] = {}
    now, past = ([fact for fact in facts if not _stands(fact, shown)] for facts in now_and_past(ledger))
    for fact in now:
        held.setdefault(fact.slot, []).append(fact)
    goal_part = _goal(held.get("goal", []), GOAL_CHARACTERS if roomy else SMALL_GOAL_CHARACTERS)
    wording = f" {words_of(goal_part.lines[0])} " if goal_part and goal_part.lines else ""
    held = {
        slot: [fact for fact in facts if slot == "goal" or not repeats(fact, wording)]
        for slot, facts in held.items()
    }
    commands = held.get("command", [])
    changed = {fact.text: (fact.time_ms, fact.seq) for fact in held.get("file", []) if fact.status != "read"}
    blockers, failed = blocker_lines(commands, changed)
    parts = [
        goal_part,
        _constraints(held.get("constraint", [])),
        _decisions([fact for fact in held.get("decision", []) if fact.source != "assistant"]),
        _tasks(held.get("current", []), held.get("task", []), past),
        _scratchpad(scratchpad),
        _part("## Blockers (failed when last tried)", blockers, 0.12, total=failed),
        _files(held.get("file", [])),
        _part("## Commands, as each ended last", end_lines(commands, changed), 0.1),
        _part("## Exact values, newest first", value_lines(held.get("value", [])), 0.1),
    ]
    context = _context(held.get("context", []), resume)
    told = {fact.text for fact in (*held.get("goal", []), *held.get("current", []))}
    over = _history(past, _past_requests(past, held.get("goal", []), told, shown))
    left = _left_branch(past, resume)
    parts += [left, context, over] if resume else [left, over, context]
    if resume:  # what nothing else tells first: the user's rules, then what is open, what failed, what was decided
        goal, rules, decisions, tasks, notes, failed_last, *rest = parts
        parts = [rules, goal, tasks, failed_last, decisions, notes, *rest]
    return tuple(part for part in parts if part is not None and part.lines)


def _part(
    heading: str,
    lines: Sequence[str],
    share: float,
    *,
    ranked: Iterable[int] | None = None,
    counts: Sequence[int] | None = None,
    total: int | None = None,
) -> PacketPart:
    counts = tuple(counts) if counts is not None else (1,) * len(lines)
    places = tuple(ranked) if ranked is not None else tuple(range(len(lines)))
    return PacketPart(heading, tuple(lines), places, counts, total or sum(counts), share)


def _grouped(part: PacketPart, groups: Iterable[str]) -> PacketPart:
    return msgspec.structs.replace(part, groups=tuple(groups))


def _within(facts: Sequence[Fact], most: int, heading: Callable[[Fact], str]) -> list[Fact]:
    """The newest facts, so many, and the first under each heading that would have none."""
    first: dict[str, int] = {}
    for at, fact in enumerate(facts):
        first.setdefault(heading(fact), at)
    cut = max(0, len(facts) - most)
    newest = {heading(fact) for fact in facts[cut:]}
    early = sorted(at for name, at in first.items() if name not in newest)
    return [*(facts[at] for at in early), *facts[cut:]]


def _summarised(fact: Fact, heading: str) -> str:
    """The group of a fact that stood under this heading of a summary; "" for one that somebody else stated."""
    return heading if fact.source in ("summary", "branch") else ""


def _newest_first(count: int) -> range:
    return range(count - 1, -1, -1)


def _goal(facts: list[Fact], limit: int) -> PacketPart | None:
    """In the user's words where they are known; beside them what a later summary says it is by now."""
    if not facts:
        return None
    said = next((fact for fact in reversed(facts) if fact.source == "user"), None)
    newest = facts[-1]
    heading = "## Goal" if said is None else "## Goal (in the user's words)"
    text = one_line((said or newest).text, limit)
    lines = [text] if text else []
    if said is not None and newest is not said and not repeats(newest, f" {words_of(text)} "):
        lines.append(f"- as the last summary has it: {one_line(newest.text, SMALL_GOAL_CHARACTERS)}")
    return _part(heading, lines, 1.0)


def _constraints(facts: list[Fact]) -> PacketPart:
    """The user's words in quotes; corrections of a moment after the rules, and first to go."""
    facts = [fact for fact in facts if rules_left(fact.text) < 0]
    told = [fact for fact in facts if fact.detail != "correction"][-MOST_LINES:]
    allowed = [
        fact for fact in reversed(told) if fact.detail == ALLOWED
    ]  # it may lift a rule: that is read after it
    rules = [*allowed, *(fact for fact in told if fact.detail != ALLOWED)]
    corrections = [fact for fact in facts if fact.detail == "correction"][-MOST_LINES:]
    lines = [rule_line(fact, BULLET_CHARACTERS) for fact in (*rules, *corrections)]
    ranked = [*_newest_first(len(rules)), *(len(rules) + place for place in _newest_first(len(corrections)))]
    part = _part("## Constraints", lines, 0.3, ranked=ranked, total=len(facts))
    return _grouped(part, (_summarised(fact, "rules") for fact in (*rules, *corrections)))


def _decisions(facts: list[Fact]) -> PacketPart:
    said = [(fact, text) for fact in facts[-MOST_LINES:] if (text := sentence(fact))]
    lines = [f"- {text}" for _, text in said]
    part = _part("## Decisions", lines, 0.2, ranked=_newest_first(len(lines)), total=len(facts))
    return _grouped(part, (_summarised(fact, "decisions") for fact, _ in said))


def _tasks(now: list[Fact], tasks: list[Fact], past: Sequence[Fact]) -> PacketPart:
    """What is current first, then started, blocked and open ones; the order within a list is its own.

    A summary's tasks get old: how many requests have come since says how old, without a clock.
    """
    marked = [("now:", fact) for fact in now]
    for status, mark in (("active", "[~]"), ("blocked", "[!] blocked:"), ("open", "[ ]")):
        marked += [(mark, fact) for fact in tasks if fact.status == status][:MOST_LINES]
    lines = [f"- {mark} {sentence(fact)}" for mark, fact in marked]
    heading = "## Tasks"
    stated = [*now, *tasks]
    if stated and all(fact.source == "summary" for fact in stated):
        newest = max((fact.time_ms, fact.seq) for fact in stated)
        later = sum(fact.slot == "request" and (fact.time_ms, fact.seq) > newest for fact in past)
        requests = "request" if later == 1 else "requests"
        age = f"a summary {later} {requests} ago" if later else "the last summary"
        heading = f"## Tasks (as of {age})"
    part = _part(heading, lines, 0.25, total=len(now) + len(tasks))
    return _grouped(part, (_summarised(fact, f"{fact.slot} {fact.status} {fact.detail}") for _, fact in marked))


def _scratchpad(text: str) -> PacketPart:
    """The notes as they were written. Where they are too many, the newest stay."""
    lines = scratchpad_lines(text)
    return _part(SCRATCHPAD_HEADING, lines, 0.15, ranked=_newest_first(len(lines)))


def _files(facts: list[Fact]) -> PacketPart:
    lines, counts, root, total = file_lines(facts)
    heading = f"## Files (under {one_line(root)})" if root else "## Files"
    return _part(
        heading,
        [f"- {one_line(line, FILE_LINE_CHARACTERS)}" for line in lines],
        0.15,
        counts=counts,
        total=total,
    )


def _stands(fact: Fact, shown: Container[str]) -> bool:
    """Is it a statement of a summary that is shown itself, or told word for word elsewhere?"""
    if fact.source == "user":
        return name_of(fact) in shown
    return fact.source in ("summary", "branch") and fact.origin in shown


def repeats(fact: Fact, wording: str) -> bool:
    """Does a summary only repeat words of the goal? `wording`: its words, between spaces."""
    repeated = fact.slot in ("goal", "constraint", "context") and fact.source in ("summary", "branch")
    return repeated and f" {words_of(fact.text)} " in wording


def _past_requests(
    past: Sequence[Fact], goals: list[Fact], told: Container[str], shown: Container[str]
) -> list[Fact]:
    """What was asked before and is not shown itself, nor told as the goal or as what is current."""
    opening = {fact.origin for fact in goals if fact.source == "user" and fact.origin}
    asked = [fact for fact in past if fact.slot == "request" and fact.source != "branch"]
    return [
        fact for fact in asked if fact.text not in told and fact.origin not in opening and fact.origin not in shown
    ]


def _history(facts: Sequence[Fact], asked: Sequence[Fact]) -> PacketPart:
    """What was asked before, the first and the newest, and done tasks. The first is what all of it is about."""
    asked = [*asked[:1], *asked[1:][-MOST_PAST:]]
    done = [fact for fact in facts if fact.slot == "task" and fact.source != "branch" and not _introduces(fact)]
    lines = [
        f"- asked: {_quoted(fact, PAST_CHARACTERS if at else FIRST_CHARACTERS)}" for at, fact in enumerate(asked)
    ]
    lines += [f"- done: {sentence(fact, PAST_CHARACTERS)}" for fact in done[-MOST_PAST:]]
    newest = [*_newest_first(len(asked)), *_newest_first(len(lines) - len(asked))]
    newest[:1] = [-1] if asked else newest[:1]
    ranked = sorted(range(len(lines)), key=lambda place: (newest[place], place))  # of each kind in turn
    part = _part("## History (over, not to be done again)", lines, 0.12, ranked=ranked)
    return _grouped(part, (_summarised(fact, fact.slot) for fact in (*asked, *done[-MOST_PAST:])))


def _quoted(fact: Fact, limit: int) -> str:
    text = one_line(fact.text, limit)
    return text if '"' in text else f'"{text}"'


def _introduces(fact: Fact) -> bool:
    """Whether a statement only introduces a list ("All of this works:")."""
    return fact.text.rstrip().endswith(":")


def _left_branch(facts: Sequence[Fact], resume: bool) -> PacketPart:
    """What was found on branches that were left; of several, the newest has the better right to stay."""
    told = [fact for fact in facts if fact.source == "branch" and not _introduces(fact)]
    found = _within(told, MOST_LINES, _heading)
    order: dict[str, int] = {fact.origin: -number for number, fact in enumerate(found)}
    lines = [_found(fact) for fact in found]
    ranked = sorted(range(len(lines)), key=lambda place: (order[found[place].origin], place))
    share = 0.3 if resume else 0.08
    part = _part("## Left branch (explored before, not the current work)", lines, share, ranked=ranked)
    return _grouped(part, map(_heading, found))


def _heading(fact: Fact) -> str:
    """What a statement of a left branch stood under there."""
    return f"{fact.origin} {fact.slot} {fact.status} {fact.detail}"


def _found(fact: Fact) -> str:
    word = {
        "goal": "goal",
        "current": "was at",
        "constraint": "constraint",
        "decision": "decided",
        "request": "asked",
    }
    what = word.get(fact.slot, one_line(fact.detail, TITLE_CHARACTERS))
    if fact.slot == "task":
        what = "done" if fact.status == "done" else "not done"
    return f"- {what}: {sentence(fact)}" if what else f"- {sentence(fact)}"


def _context(facts: list[Fact], resume: bool) -> PacketPart:
    """Critical context: items under one heading are put on one line while they fit; code goes first."""
    limit = CONTEXT_CHARACTERS if resume else BULLET_CHARACTERS
    lines: list[str] = []
    counts: list[int] = []
    plainness: list[tuple[bool, int]] = []
    title: str | None = None
    groups: list[str] = []
    for fact in _within(facts, MOST_LINES, lambda fact: fact.detail):
        heading, text = one_line(fact.detail, TITLE_CHARACTERS), one_line(fact.text, limit)
        joined = f"{lines[-1]}{' ' if lines[-1].endswith('.') else '; '}{text}" if lines else ""
        if lines and title == heading and heading and len(joined) <= limit + 2:
            lines[-1] = joined
            counts[-1] += 1
            continue
        whole = shorten(f"{heading}: {text}" if heading else text, limit)
        lines.append(f"- {whole}")
        counts.append(1)
        groups.append(_summarised(fact, f"under {fact.detail}"))
        plainness.append(("```" in fact.text, len(lines) - 1))
        title = heading
    ranked = [place for _, place in sorted(plainness)]
    share = 0.4 if resume else 0.05
    part = _part("## Critical context", lines, share, ranked=ranked, counts=counts, total=len(facts))
    return _grouped(part, groups)
