"""Turns what holds now into the packet's parts: headings and lines, with what has the better right to stay.

Knows nothing of weights. Every text from a fact passes `one_line`. The shares of the budget are a
judgement, made by reading packets of recorded sessions: no part may starve the ones after it.
"""

from collections.abc import Container, Sequence

from ctxmgr.engine.ledger import GOAL_CHARACTERS, now_and_past
from ctxmgr.engine.packet.commands import command_states
from ctxmgr.engine.packet.files import file_lines
from ctxmgr.engine.packet.part import MOST_LINES, PacketPart, grouped, newest_first, part_of, repeats, summarised
from ctxmgr.engine.packet.past import context_part, history, left_branch, past_requests
from ctxmgr.engine.packet.users import name_of, rule_line
from ctxmgr.engine.packet.values import value_lines
from ctxmgr.engine.text import (
    BULLET_CHARACTERS,
    SCRATCHPAD_HEADING,
    one_line,
    rules_left,
    scratchpad_lines,
    sentence,
    words_of,
)
from ctxmgr.model.saved import ALLOWED, Fact, Ledger

SMALL_GOAL_CHARACTERS = 240
NOTHING_SHOWN: Container[str] = frozenset()
FILE_LINE_CHARACTERS = 400  # a directory and the names in it, which are counted: none may be cut off


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
    states = command_states(commands, changed)
    parts = [
        goal_part,
        _constraints(held.get("constraint", [])),
        _decisions([fact for fact in held.get("decision", []) if fact.source != "assistant"]),
        _tasks(held.get("current", []), held.get("task", []), past),
        _scratchpad(scratchpad),
        part_of("## Blockers (failed when last tried)", states.blocker_lines(), 0.12, total=len(states.blockers)),
        _files(held.get("file", [])),
        part_of("## Commands, as each ended last", states.ends, 0.1),
        part_of("## Exact values, newest first", value_lines(held.get("value", [])), 0.1),
    ]
    context = context_part(held.get("context", []), resume)
    told = {fact.text for fact in (*held.get("goal", []), *held.get("current", []))}
    over = history(past, past_requests(past, held.get("goal", []), told, shown))
    left = left_branch(past, resume)
    parts += [left, context, over] if resume else [left, over, context]
    if resume:  # what nothing else tells first: the user's rules, then what is open, what failed, what was decided
        goal, rules, decisions, tasks, notes, failed_last, *rest = parts
        parts = [rules, goal, tasks, failed_last, decisions, notes, *rest]
    return tuple(part for part in parts if part is not None and part.lines)


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
    return part_of(heading, lines, 1.0)


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
    ranked = [*newest_first(len(rules)), *(len(rules) + place for place in newest_first(len(corrections)))]
    part = part_of("## Constraints", lines, 0.3, ranked=ranked, total=len(facts))
    return grouped(part, (summarised(fact, "rules") for fact in (*rules, *corrections)))


def _decisions(facts: list[Fact]) -> PacketPart:
    said = [(fact, text) for fact in facts[-MOST_LINES:] if (text := sentence(fact))]
    lines = [f"- {text}" for _, text in said]
    part = part_of("## Decisions", lines, 0.2, ranked=newest_first(len(lines)), total=len(facts))
    return grouped(part, (summarised(fact, "decisions") for fact, _ in said))


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
    part = part_of(heading, lines, 0.25, total=len(now) + len(tasks))
    return grouped(part, (summarised(fact, f"{fact.slot} {fact.status} {fact.detail}") for _, fact in marked))


def _scratchpad(text: str) -> PacketPart:
    """The notes as they were written. Where they are too many, the newest stay."""
    lines = scratchpad_lines(text)
    return part_of(SCRATCHPAD_HEADING, lines, 0.15, ranked=newest_first(len(lines)))


def _files(facts: list[Fact]) -> PacketPart:
    lines, counts, root, total = file_lines(facts)
    heading = f"## Files (under {one_line(root)})" if root else "## Files"
    return part_of(
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
