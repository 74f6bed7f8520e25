"""Turns messages and what a previous summary says into the lines that a summary may hold.

Rules:
1. The user's own words stand verbatim: goal, constraints and corrections, requests. The goal is the opening message
   as it was written, with what was pasted there, as far as the budget allows. What stands as a constraint is not
   told again with the request it came in.
2. What holds is told by the ledger's fold: taken back is gone, done is no longer open, the newest wording wins.
3. Lines of one kind run from old to new: what is carried comes first, and is the first to give way.
4. A line has a brief form where it has one: what is old is told in short before it is left out.
5. Done is what came to an outcome. A request without one is told as asked, an answer as found.
"""

from collections.abc import Container, Mapping, Sequence

from ctxmgr.engine.extractive.collecting import (
    ASKED_CHARACTERS,
    KNOWN_CHARACTERS,
    Stretch,
    carry,
    collect,
    flat,
    outcomes,
    own_words,
    settle,
    take_up,
)
from ctxmgr.engine.extractive.collecting import work as extractive_turns
from ctxmgr.engine.extractive.commands import add_failures
from ctxmgr.engine.extractive.lines import Kind, SummaryLines
from ctxmgr.engine.extractive.mentions import add_files, add_names
from ctxmgr.engine.findings import Sentence, done, sentences
from ctxmgr.engine.ledger import GOAL_CHARACTERS, fold, now_and_past, task_ids
from ctxmgr.engine.packet import made_lines
from ctxmgr.engine.text import (
    answered,
    as_written,
    count_words,
    key_of,
    one_line,
    sentences_of,
    shorten,
    without_marks,
)
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.model.saved import ASIDE, REJECTED, Fact, Ledger

BRIEF_CHARACTERS = 200
OPENING_CHARACTERS = 8_000  # of the opening message, as it was written
OPENING_PART = 2  # a character of it for so many tokens of budget: about an eighth
BRIEF_REQUEST_CHARACTERS = 120
LAST_CHARACTERS = 240
NOTE_CHARACTERS = 110  # of one finding, on average
MOST_NOTE_CHARACTERS = 8_000  # of findings; and at most a character for each token of budget
LEAST_FINDINGS = 3
STEPS_A_FINDING = 3  # texts said for one finding that is told
LEAST_LEFT_WORDS = 5
REFERENCE_CHARACTERS = 56  # of a request that is told in full elsewhere
MOST_ANSWERS = 6  # questions that the user answered, the newest
NOT_ANSWERED, UNDER_WAY = "not answered yet", "under way"
LEFT = "On a branch that was left: "

_TASKS: tuple[Kind, ...] = ("done", "next", "active", "blocked")
_OPEN: dict[str, Kind] = {"open": "next", "active": "active", "blocked": "blocked"}


def gather(
    messages: Sequence[BranchMessage],
    previous: str | None,
    budget: int,
    newest: str = "",
    gone: frozenset[str] = frozenset(),
) -> SummaryLines:
    """Read messages (oldest first) and the summary of what was before them; `budget`, in tokens, bounds how many
    names, files and findings are looked for. `newest` is a request that came after all of them, `gone` are files
    that were taken away after them."""
    carried = carry.read(previous)
    _open(carried, carried.latest or carried.split)
    heard = collect(messages, opened=any(fact.slot == "goal" for fact in carried.facts))
    if all(fact.slot != "goal" for fact in heard.facts):
        _open(carried, newest)
    work = extractive_turns.of(messages, heard.file_effects, heard.path_moves)
    if work.stretches:
        take_up(carried, work, newest)
        settle(carried, heard.facts, work)
    now, past = now_and_past(fold(Ledger(), [*carried.facts, *heard.facts]))
    weights = sentences.central(text for stretch in work.stretches for _, text in stretch.texts)
    lines, changes = SummaryLines(weights=weights, work=work), outcomes.Changes(work)
    _standing(lines, now, past)
    goal = _goal(lines, now, carried, heard.facts, messages, budget)
    _carried(lines, carried, changes)
    _requests(lines, carried, changes, newest, goal)
    add_failures(lines, carried, heard.facts, now)
    _findings(lines, heard.branch_statements, changes, budget, _states(heard.facts, now))
    _answers(lines, now)
    for text in made_lines([fact for fact in now if fact.slot == "value"]):
        lines.add("note", text)
    add_files(lines, carried, budget, gone)
    add_names(lines, carried, budget)
    return lines


def _open(carried: carry.PreviousFacts, request: str) -> None:
    """Where no goal is known, what was asked first is the goal."""
    if request and all(fact.slot != "goal" for fact in carried.facts):
        carried.facts.insert(0, Fact("goal", "", request, "summary", -1))


def _carried(lines: SummaryLines, carried: carry.PreviousFacts, changes: outcomes.Changes) -> None:
    """Our own labelled lines; a fault that was found in what was changed since is likely mended, but what was asked
    before it was found was asked all the same."""
    for text in carried.findings:
        asked, found = _parted(text)
        late = changes.after(text, -1)
        if changes.is_mended(text, -1, found):
            _asked(lines, asked)
        else:
            text = f"{text}{outcomes.LATER}" if late and not text.endswith(outcomes.LATER) else text
            lines.add("found", text, shorten(text, BRIEF_CHARACTERS))
    for text in carried.planned:
        lines.add("planned", text, shorten(text, BRIEF_CHARACTERS))
    for text in carried.likely:
        lines.add("likely", text, shorten(text, BRIEF_CHARACTERS))
    if carried.last_statement:
        lines.add("active", f"{carry.LAST}{carried.last_statement}")


def _parted(text: str) -> tuple[str, str]:
    """A finding's request, "" where it has none, and what was found."""
    asked, arrow, found = text.partition(carry.ARROW) if text.startswith('"') else ("", "", "")
    return (asked[1:], found) if arrow else ("", text)


def _asked(lines: SummaryLines, text: str) -> None:
    if text:
        told = shorten(text, ASKED_CHARACTERS)
        lines.add("asked", f'"{told}"', f'"{shorten(text, BRIEF_REQUEST_CHARACTERS)}"')


def _standing(lines: SummaryLines, now: Sequence[Fact], past: Sequence[Fact]) -> None:
    """Lines from facts that hold, and from what a summary said was done or asked."""
    for fact in now:
        if fact.slot == "constraint":
            lines.add("constraint", _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
        elif fact.slot == "decision":
            lines.add("decision", _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
        elif fact.slot == "task" and fact.status in _OPEN:
            brief = task_ids.with_id(shorten(fact.text, BRIEF_CHARACTERS), fact.key)
            lines.add(_OPEN[fact.status], task_ids.with_id(_said(fact), fact.key), brief)
        elif fact.slot == "context":
            lines.add("note", fact.text, _brief(fact.text))
    for fact in past:
        if fact.source == "branch":
            continue
        if fact.slot == "task":
            lines.add("done", _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
            lines.add("outcome", _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
        elif fact.slot == "request" and fact.source == "summary":
            lines.add("asked", f'"{fact.text}"', f'"{shorten(fact.text, BRIEF_CHARACTERS)}"')
            lines.add("request", f'"{fact.text}"', f'"{shorten(fact.text, BRIEF_CHARACTERS)}"')


def _goal(
    lines: SummaryLines,
    now: Sequence[Fact],
    carried: carry.PreviousFacts,
    heard: Sequence[Fact],
    messages: Sequence[BranchMessage],
    budget: int,
) -> str:
    """Adds the goal (rule 1), and returns it as the ledger has it."""
    goal = next((fact for fact in reversed(now) if fact.slot == "goal"), None)
    if goal is None:
        return ""
    text = whole = flat(goal.text)
    opening = next((fact for fact in (*carried.facts, *heard) if fact.slot == "goal"), None)
    if goal is opening and goal.source == "user":
        blocks = messages[goal.time_ms].view.blocks
        written = as_written("\n".join(block.text for block in blocks if block.kind == "text"))
        whole = one_line(written, max(GOAL_CHARACTERS, min(OPENING_CHARACTERS, budget // OPENING_PART)))
    lines.add("goal", whole, shorten(text, BRIEF_CHARACTERS))
    return text


def _said(fact: Fact) -> str:
    """A fact's text on one line; a user's sentence in quotes, as it is theirs."""
    if "\n" in fact.text:  # a carried code fence
        return fact.text
    text = flat(fact.text)
    return f'"{text}"' if fact.source == "user" and fact.slot == "constraint" else text


def _brief(text: str) -> str:
    """A note told shorter: without its code."""
    return shorten(flat(text.partition("\n")[0]).rstrip(":"), BRIEF_CHARACTERS)


def _without(text: str, told: Container[str]) -> str:
    """The sentences of a request that are not told as constraints; its start where none or little is left."""
    said = sentences_of(text)
    left = [one for one in said if key_of(without_marks(one)) not in told]
    if len(left) == len(said):
        return text
    short = " ".join(left)
    return short if count_words(short) >= LEAST_LEFT_WORDS else shorten(text, REFERENCE_CHARACTERS)


def _requests(
    lines: SummaryLines, carried: carry.PreviousFacts, changes: outcomes.Changes, later: str, goal: str
) -> None:
    """A line for each request and what it came to; the newest request stands beside the goal."""
    stretches = lines.work.stretches
    told = [line.text for kind in ("constraint", "decision") for line in lines.kinds.get(kind, [])]
    keys = {key_of(text) for text in told}
    newest = None if later else next((one for one in reversed(stretches) if one.request), None)
    latest = later or ("" if newest else carried.latest)
    if latest and key_of(latest) != key_of(goal):
        lines.add("latest", latest, shorten(latest, BRIEF_CHARACTERS))
    for stretch in stretches:
        request = _without(stretch.request, keys)
        is_goal = bool(goal) and key_of(shorten(own_words(stretch.request), GOAL_CHARACTERS)) == key_of(goal)
        if stretch.request:
            lines.add("request", f'"{stretch.request}"', f'"{shorten(stretch.request, BRIEF_CHARACTERS)}"')
        if stretch is newest and not is_goal:
            lines.add("latest", request, shorten(request, BRIEF_CHARACTERS))
        last = not later and (stretch is stretches[-1] or (stretch is newest and not is_goal))
        asked = "" if is_goal else request
        if last and not stretch.finished:
            _cut_off(lines, stretch, carry.LATEST if asked else "")
        else:
            told_last = stretch is newest or bool(later and stretch.request == later)
            _outcome(lines, stretch, asked, told_last, changes, told)


def _cut_off(lines: SummaryLines, stretch: Stretch, lead: str) -> None:
    """Where the work stood when it was cut."""
    words = outcomes.last_words(stretch, LAST_CHARACTERS)
    if not words and lead:
        words = outcomes.changed_files(stretch) or (UNDER_WAY if stretch.texts else NOT_ANSWERED)
    tasks = (line.text for kind in _TASKS for line in lines.kinds.get(kind, []))
    if words and key_of(f"{lead}{words}") not in {key_of(line) for line in tasks}:
        lines.add("active", f"{lead}{words}")
    lines.state = words


def _outcome(
    lines: SummaryLines, stretch: Stretch, asked: str, newest: bool, changes: outcomes.Changes, told: Sequence[str]
) -> None:
    """What a stretch came to (rule 5)."""
    end = outcomes.closing(stretch, changes, lines.weights, told)
    lines.state = end.text or lines.state
    lead = f'"{shorten(asked, ASKED_CHARACTERS)}{carry.ARROW}' if asked else ""
    brief = f'"{shorten(asked, BRIEF_REQUEST_CHARACTERS)}{carry.ARROW}' if asked else ""
    if end.what == "done":
        lines.add("outcome", end.text, end.brief)
        lead, brief = (carry.LATEST, carry.LATEST) if newest and asked else (lead, brief)
        lines.add("done", f"{lead}{end.text}", f"{brief}{end.brief}")
    elif end.what == "found":
        lead = brief if newest else lead
        lines.add("found", f"{lead}{end.text}", f"{brief}{end.brief}")
    elif asked and not newest and not _is_answered(lines, asked):
        _asked(lines, asked)


def _is_answered(lines: SummaryLines, asked: str) -> bool:
    """Whether a line says already what was found for this request."""
    return any(line.text.startswith(f'"{asked[:KNOWN_CHARACTERS]}') for line in lines.kinds.get("found", []))


def _states(heard: Sequence[Fact], now: Sequence[Fact]) -> dict[str, bool]:
    """By the key of what the assistant decided and found: does it hold?"""
    said = [fact for fact in heard if fact.slot in ("decision", "finding") and fact.source == "assistant"]
    stated = [fact for fact in said if fact.detail != ASIDE]
    holds = {fact.key for fact in now if fact.slot in ("decision", "finding")}
    return {fact.key: fact.key in holds for fact in stated}


def _answers(lines: SummaryLines, now: Sequence[Fact]) -> None:
    """Questions that the user answered and that decided nothing else."""
    told = " ".join(line.text for line in lines.kinds.get("decision", []))
    for fact in [fact for fact in now if fact.slot == "question" and fact.text not in told][-MOST_ANSWERS:]:
        asked = f'Asked "{flat(fact.text)}" → the user: {flat(fact.detail)}'
        lines.add("note", f"Rejected: {answered(fact)}" if fact.status == REJECTED else asked)


def _findings(
    lines: SummaryLines, left: Sequence[str], changes: outcomes.Changes, budget: int, states: Mapping[str, bool]
) -> None:
    """The best sentences of what was said on the way, besides what the requests came to; left branches. What was
    found counts wherever it stands, what holds no more does not: `states`."""
    for text in left:
        lines.add("note", f"{LEFT}{text}", shorten(f"{LEFT}{text}", BRIEF_CHARACTERS))
    stretches = lines.work.stretches
    said = [one for stretch in stretches for at, text in stretch.texts for one in sentences.standalone(text, at)]
    told = [
        line.text
        for kind in ("done", "found", "active", "decision", "constraint")
        for line in lines.kinds.get(kind, [])
    ]
    shown = " ".join(told)
    steps = sum(len(stretch.texts) for stretch in stretches)
    room = min(MOST_NOTE_CHARACTERS, budget, NOTE_CHARACTERS * max(steps // STEPS_A_FINDING, LEAST_FINDINGS))
    said = [one for one in changes.standing(said) if _counts(one, states) and one.text not in shown]
    said = [one for one in said if not one.text.startswith(carry.LABELS)]  # nobody writes our lines but us
    for one in sentences.best(said, lines.weights, characters=room, without=told):
        if done(one.text):
            lines.add("note", one.text)
        else:
            lines.add(
                "found", f"{one.text}{outcomes.LATER}" if changes.after(one.text, one.text_index) else one.text
            )


def _counts(one: Sentence, states: Mapping[str, bool]) -> bool:
    """Is it worth telling far from where it was said?"""
    holds = states.get(key_of(one.text))
    return sentences.finds(one) if holds is None else holds
