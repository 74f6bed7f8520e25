"""Turns what holds now into the packet's parts: headings and lines, with what has the better right to stay.

Knows nothing of weights. Every text from a fact passes `one_line`. The shares of the budget are a
judgement, made by reading packets of recorded sessions: no part may starve the ones after it.
"""

from collections.abc import Container, Mapping, Sequence

from ctxmgr.engine.judging import settled, uncontradicted
from ctxmgr.engine.ledger import task_ids
from ctxmgr.engine.packet.commands import CommandStates, command_states, nothing
from ctxmgr.engine.packet.files import file_lines
from ctxmgr.engine.packet.findings import (
    announced_before,
    chosen_in_answer,
    facts_elsewhere,
    failures_over,
    findings_parts,
    question_line,
)
from ctxmgr.engine.packet.in_view import InView
from ctxmgr.engine.packet.part import MOST_LINES, PacketPart, grouped, newest_first, part_of, repeats, summarised
from ctxmgr.engine.packet.past import context_part, history, left_branch, past_requests
from ctxmgr.engine.packet.state_of_work import newest_commit, state_of_work
from ctxmgr.engine.packet.users import name_of, rule_line
from ctxmgr.engine.packet.values import value_lines
from ctxmgr.engine.stating import draft_lines, states_it
from ctxmgr.engine.text import (
    BULLET_CHARACTERS,
    SCRATCHPAD_HEADING,
    content_words,
    one_line,
    rules_left,
    scratchpad_lines,
    sentence,
    words_of,
)
from ctxmgr.model.saved import ALLOWED, EARLIER, Fact, Ledger

SMALL_GOAL_CHARACTERS = 240
LEAST_TELLING = 2  # words of a statement that is known again: "we worked on it" is said by any that worked
LEAST_SAME = 3  # words of a goal that is known again by them
_TELLS_MORE = frozenset(("not", "no", "never", "without", "avoid", "instead", "all", "every", "each", "only"))
NOTHING_SHOWN: Container[str] = frozenset()
FILE_LINE_CHARACTERS = 400  # a directory and the names in it, which are counted: none may be cut off


def parts_of(
    ledger: Ledger,
    *,
    resume: bool,
    scratchpad: str,
    goal_characters: int,
    shown: Container[str] | InView = NOTHING_SHOWN,
) -> tuple[PacketPart, ...]:
    """Return the parts in their order of right to stay; those with nothing to say are left out."""
    every = uncontradicted(ledger)
    now, past = ([fact for fact in facts if not _stands(fact, shown)] for facts in every)
    commands = [fact for fact in now if fact.slot == "command"]
    changed = {fact.text: (fact.time_ms, fact.seq) for fact in now if fact.slot == "file" and fact.status != "read"}
    told = shown.states if isinstance(shown, InView) else nothing
    commit = newest_commit(now)
    states = command_states(commands, changed, told)  # of all: one that is told may have closed another
    elsewhere, answered = facts_elsewhere(every[0]) | announced_before(*every), chosen_in_answer(now)
    elsewhere |= failures_over(every[0]) if resume else frozenset()
    now = _said_once([fact for fact in now if fact not in elsewhere], states) if resume else now
    now, past = ([fact for fact in facts if fact.slot != "command" and not told(fact)] for facts in (now, past))
    held: dict[str, list[Fact]] = {}
    for fact in now:
        held.setdefault(fact.slot, []).append(fact)
    held["commit"] = [commit] if commit is not None and not told(commit) else []
    asked = {fact.origin: fact.text for fact in past if fact.slot == "request"} if resume else {}
    goal = _goal(held.get("goal", []), goal_characters, asked)
    wording = f" {words_of(goal.lines[0])} " if goal and goal.lines else ""
    held = {
        slot: [fact for fact in facts if slot == "goal" or not repeats(fact, wording)]
        for slot, facts in held.items()
    }
    rules = _constraints(held.get("constraint", []))
    decisions = _decisions([fact for fact in held.get("decision", []) if fact.source != "assistant"], answered)
    closed = _closed_since(ledger, past, shown)
    past = [fact for fact in past if fact not in closed]
    tasks = _tasks(held.get("current", []), [*closed, *held.get("task", [])], past)
    notes = _scratchpad(scratchpad)
    failed = states.blocker_lines()
    blockers = part_of("## Blockers (failed when last tried)", failed, 0.12, total=len(states.blockers))
    files = _files(held.get("file", []))
    known = {fact.text for fact in (*held.get("goal", []), *held.get("current", []))}
    asked_of = past_requests(past, held.get("goal", []), known, shown)
    last = _newest_request(asked_of, every[1])
    state = state_of_work(held, states, commands, last, resume, told)
    ends = [line for line in states.ends if line not in state.ends]
    ended = part_of("## Commands, as each ended last", ends, 0.1)
    exact = value_lines(held.get("value", []), state.values)
    values = part_of("## Exact values, newest first", exact.lines, 0.1, ranked=exact.ranked)
    context = context_part(held.get("context", []), resume)
    over = history(past, [fact for fact in asked_of if fact is not last], resume)
    branch = left_branch(past, resume)
    if resume:  # what nothing else tells first: the user's rules, then what is open, what failed, what was decided
        first = [rules, goal, state.packet_part, tasks, blockers, decisions, notes]
        parts = [*first, *findings_parts(now, settled(every[0])), ended, files, over, branch, context, values]
    else:
        first = [goal, rules, state.packet_part, decisions, tasks, notes, blockers]
        parts = [*first, files, ended, values, branch, over, context]
    return tuple(part for part in parts if part is not None and part.lines)


def _newest_request(told: Sequence[Fact], past: Sequence[Fact]) -> Fact | None:
    """Of the requests that are told the one that the user said last, where no later one is shown."""
    newest = next((fact for fact in reversed(past) if fact.slot == "request"), None)
    return newest if newest is not None and newest.source == "user" and told and told[-1] is newest else None


def _said_once(facts: Sequence[Fact], states: CommandStates) -> list[Fact]:
    """Those that no better one says: of what a summary says only what neither the assistant said itself, nor how
    commands ended does, and nothing that was announced last."""
    own = [fact for fact in facts if fact.source == "assistant" and fact.slot in ("finding", "decision")]
    lines = (*(f"- {one_line(one.text)}" for one in own), *states.blocker_lines(), *states.ends)
    said, announced = draft_lines("\n".join(lines)), {words_of(fact.text) for fact in facts if fact.slot == "next"}

    def again(fact: Fact) -> bool:
        if fact.source == "assistant":
            return fact.slot in ("finding", "decision") and words_of(fact.text) in announced
        told = fact.source == "summary" and fact.slot in ("decision", "context")
        return told and all(_tells(line) and states_it(said, line) for line in fact.text.splitlines())

    return [fact for fact in facts if not again(fact)]


def _tells(line: str) -> bool:
    """Has it words by which it is known that another line says the same?"""
    return not line.strip() or len(content_words(line)) >= LEAST_TELLING


def _goal(facts: list[Fact], limit: int, asked: Mapping[str, str]) -> PacketPart | None:
    """In the user's words where they are known; beside them what a later summary says it is by now. `asked`: what
    messages asked, whole, by their digests."""
    if not facts:
        return None
    said = next((fact for fact in reversed(facts) if fact.source == "user"), None)
    newest = facts[-1]
    heading = "## Goal" if said is None else "## Goal (in the user's words)"
    told = said or newest
    text = one_line((told.text.endswith("…") and asked.get(told.origin)) or told.text, limit)
    lines = [text] if text else []
    summed = content_words(newest.text)
    more = not _TELLS_MORE.isdisjoint(words_of(newest.text).split())
    same = len(summed) >= LEAST_SAME and summed <= content_words(text) and not more
    again = same or repeats(newest, f" {words_of(text)} ")
    if said is not None and newest is not said and not again:
        lines.append(f"- as the last summary has it: {one_line(newest.text, SMALL_GOAL_CHARACTERS)}")
    return part_of(heading, lines, 1.0)


def _constraints(facts: list[Fact]) -> PacketPart:
    """The user's words in quotes; corrections of a moment after the rules, and first to go. What a later statement
    may take back stands behind that."""
    facts = [fact for fact in facts if rules_left(fact.text) < 0]
    told = [fact for fact in facts if fact.detail != "correction"][-MOST_LINES:]
    allowed = [
        fact for fact in reversed(told) if fact.detail == ALLOWED
    ]  # it may lift a rule: that is read after it
    others = [fact for fact in told if fact.detail != ALLOWED]
    rules = [*allowed, *(fact for fact in others if fact.status != EARLIER)]
    corrections = [fact for fact in facts if fact.detail == "correction"][-MOST_LINES:]
    earlier = [fact for fact in others if fact.status == EARLIER]
    corrections.sort(key=lambda fact: fact.status == EARLIER)
    lines = [rule_line(fact, BULLET_CHARACTERS) for fact in (*rules, *corrections, *earlier)]
    place = len(rules) + len(corrections)
    ranked = [
        *newest_first(len(rules)),
        *(place + at for at in newest_first(len(earlier))),
        *(len(rules) + at for at in newest_first(len(corrections))),
    ]
    part = part_of("## Constraints", lines, 0.3, ranked=ranked, total=len(facts))
    return grouped(part, (summarised(fact, "rules") for fact in (*rules, *corrections, *earlier)))


def _decisions(facts: list[Fact], answered: Mapping[str, Fact]) -> PacketPart:
    """`answered`: questions that a decision is the whole answer to, by the digest of its message. What a later one
    may take back stands behind the others, as an earlier one."""
    said = [(fact, text) for fact in facts[-MOST_LINES:] if (text := sentence(fact))]
    said.sort(key=lambda one: one[0].status != EARLIER)  # the newest have the best right to stay
    asked = [answered.get(fact.origin) if fact.source == "user" else None for fact, _ in said]
    lines = [
        f"- {'earlier: ' if fact.status == EARLIER else ''}{question_line(one)[2:] if one else text}"
        for one, (fact, text) in zip(asked, said, strict=True)
    ]
    part = part_of("## Decisions", lines, 0.2, ranked=newest_first(len(lines)), total=len(facts))
    return grouped(part, (summarised(fact, "decisions") for fact, _ in said))


def _closed_since(ledger: Ledger, past: Sequence[Fact], shown: Container[str]) -> list[Fact]:
    """Tasks that are done, and open in a summary that is shown."""
    summed = (fact for fact in ledger.facts.values() if fact.slot == "task" and fact.source == "summary")
    told = {fact.key for fact in summed if fact.status != "done" and fact.origin in shown}
    return [fact for fact in past if fact.slot == "task" and fact.source != "branch" and fact.key in told]


def _tasks(now: list[Fact], tasks: list[Fact], past: Sequence[Fact]) -> PacketPart:
    """What is current first, then what is done and open in a summary that is shown, then started, blocked and open
    ones; the order within a list is its own.

    A summary's tasks get old: how many requests have come since says how old, without a clock.
    """
    marked = [("now:", fact) for fact in now]
    for status, mark in (
        ("done", "[x] done since the summary:"),
        ("active", "[~]"),
        ("blocked", "[!] blocked:"),
        ("open", "[ ]"),
    ):
        marked += [(mark, fact) for fact in tasks if fact.status == status][:MOST_LINES]
    lines = [f"- {mark} {_named(fact)}" for mark, fact in marked]
    heading = "## Tasks"
    stated = [*now, *(fact for fact in tasks if fact.status != "done")]
    if stated and all(fact.source == "summary" for fact in stated):
        newest = max((fact.time_ms, fact.seq) for fact in stated)
        later = sum(fact.slot == "request" and (fact.time_ms, fact.seq) > newest for fact in past)
        requests = "request" if later == 1 else "requests"
        age = f"a summary {later} {requests} ago" if later else "the last summary"
        heading = f"## Tasks (as of {age})"
    part = part_of(heading, lines, 0.25, total=len(now) + len(tasks))
    return grouped(part, (summarised(fact, f"{fact.slot} {fact.status} {fact.detail}") for _, fact in marked))


def _named(fact: Fact) -> str:
    """A task, with the id that its tool wants to be told."""
    text = sentence(fact)
    return task_ids.with_id(text, fact.key) if fact.slot == "task" else text


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
