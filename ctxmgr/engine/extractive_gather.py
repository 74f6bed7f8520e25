"""Turns messages and what a previous summary says into the lines that a summary may hold.

Rules:
1. The user's own words stand verbatim: goal, constraints and corrections, requests. What stands as a constraint is
   not told again with the request it came in.
2. What holds is told by the ledger's fold: taken back is gone, done is no longer open, the newest wording wins.
3. Lines of one kind run from old to new: what is carried comes first, and is the first to give way.
4. A line has a brief form where it has one: what is old is told in short before it is left out.
"""

from collections.abc import Container, Sequence

import msgspec

from ctxmgr.engine import extractive_carry, extractive_turns
from ctxmgr.engine.extractive_carry import LABELS, LATEST, Carried, flat
from ctxmgr.engine.extractive_failed import add_failures
from ctxmgr.engine.extractive_heard import hear
from ctxmgr.engine.extractive_lines import Kind, Lines
from ctxmgr.engine.extractive_named import add_files, add_names
from ctxmgr.engine.extractive_turns import Stretch, Work, closing, last_words
from ctxmgr.engine.fold import fold, now_and_past
from ctxmgr.engine.prose import without_marks
from ctxmgr.engine.salient import best, central, finds, spoken
from ctxmgr.engine.wording import key_of, sentences, shorten
from ctxmgr.model.branch import BranchMessage
from ctxmgr.model.facts import Fact, Ledger

GOAL_CHARACTERS = 600
BRIEF_CHARACTERS = 200
REQUEST_CHARACTERS = 400  # of a request beside what came of it
BRIEF_REQUEST_CHARACTERS = 120
LAST_CHARACTERS = 240
NOTE_CHARACTERS = 110  # of one finding, on average
MOST_NOTE_CHARACTERS = 8_000  # of findings; and at most a character for each token of budget
LEAST_FINDINGS = 3
STEPS_A_FINDING = 3  # texts said for one finding that is told
LEAST_LEFT_WORDS = 5
REFERENCE_CHARACTERS = 56  # of a request that is told in full elsewhere
NOT_ANSWERED = "not answered yet"
LEFT = "On a branch that was left: "

_TASKS: tuple[Kind, ...] = ("done", "next", "active", "blocked")
_OPEN: dict[str, Kind] = {"open": "next", "active": "active", "blocked": "blocked"}


def gather(messages: Sequence[BranchMessage], previous: str | None, budget: int) -> Lines:
    """Read messages (oldest first) and the summary of what was before them; `budget`, in tokens, bounds how many
    names, files and findings are looked for."""
    carried = extractive_carry.read(previous)
    heard = hear(messages, opened=any(fact.slot == "goal" for fact in carried.facts))
    work = extractive_turns.of(messages, heard.touched)
    if work.stretches:
        _taken_up(carried, work)
    now, past = now_and_past(fold(Ledger(), [*carried.facts, *heard.facts]))
    weights = central(text for stretch in work.stretches for _, text in stretch.said)
    lines = Lines(weights=weights, work=work)
    _standing(lines, now, past)
    _requests(lines, carried)
    add_failures(lines, carried, heard.facts, now)
    _findings(lines, heard.left, budget)
    add_files(lines, carried, budget)
    add_names(lines, carried, budget)
    return lines


def _taken_up(carried: Carried, work: Work) -> None:
    """New messages go on from what was current: its request is the first stretch's, or is over now."""
    first, facts, over = work.stretches[0], list[Fact](), list[Fact]()
    for fact in carried.facts:
        current = fact.slot == "task" and fact.status == "active"
        ours = current and (fact.text == carried.split or fact.text.startswith(('"', LATEST)))
        if not ours:
            facts.append(fact)
            continue
        request = carried.latest if fact.text.startswith(LATEST) else _quoted(fact.text) or carried.split
        if not first.request:
            first.request = request
        elif request:
            over.append(_over(fact, f'"{shorten(request, REQUEST_CHARACTERS)}"'))
    carried.facts = [_superseded(fact, carried.latest) for fact in facts] + over
    if carried.latest == first.request and any(stretch.request for stretch in work.stretches[1:]):
        carried.latest = ""


def _over(fact: Fact, text: str) -> Fact:
    return msgspec.structs.replace(fact, status="done", text=text, key=key_of(text))


def _superseded(fact: Fact, latest: str) -> Fact:
    """What the newest request came to, once a newer one came: told with its request from now on."""
    if fact.slot == "task" and fact.text.startswith(LATEST) and latest:
        return _over(fact, f'"{shorten(latest, REQUEST_CHARACTERS)}" → {fact.text.removeprefix(LATEST)}')
    return fact


def _quoted(text: str) -> str:
    return text[1 : text.find('"', 1)] if text.startswith('"') and '"' in text[1:] else ""


def _standing(lines: Lines, now: Sequence[Fact], past: Sequence[Fact]) -> None:
    """Lines from facts that hold, and from what a summary said was done or asked."""
    for fact in now:
        if fact.slot == "constraint":
            lines.add("constraint", _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
        elif fact.slot == "decision":
            lines.add("decision", _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
        elif fact.slot == "task" and fact.status in _OPEN:
            lines.add(_OPEN[fact.status], _said(fact), shorten(fact.text, BRIEF_CHARACTERS))
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
    goals = [fact for fact in now if fact.slot == "goal"]
    if goals:
        text = flat(goals[-1].text)
        lines.add("goal", text, shorten(text, BRIEF_CHARACTERS))


def _said(fact: Fact) -> str:
    """A fact's text on one line; a user's sentence in quotes, as it is theirs."""
    if fact.source == "summary" and "\n" in fact.text:  # a carried code fence
        return fact.text
    text = flat(fact.text)
    return f'"{text}"' if fact.source == "user" and fact.slot == "constraint" else text


def _brief(text: str) -> str:
    """A note told shorter: without its code."""
    return shorten(flat(text.partition("\n")[0]).rstrip(":"), BRIEF_CHARACTERS)


def _without(text: str, told: Container[str]) -> str:
    """The sentences of a request that are not told as constraints; its start where none or little is left."""
    said = sentences(text)
    left = [one for one in said if key_of(without_marks(one)) not in told]
    if len(left) == len(said):
        return text
    short = " ".join(left)
    return short if len(short.split()) >= LEAST_LEFT_WORDS else shorten(text, REFERENCE_CHARACTERS)


def _requests(lines: Lines, carried: Carried) -> None:
    """A line for each request and what it came to; the newest request stands beside the goal."""
    stretches = lines.work.stretches
    told = [line.text for kind in ("constraint", "decision") for line in lines.kinds.get(kind, [])]
    keys = {key_of(text) for text in told}
    goal = "".join(line.text for line in lines.kinds.get("goal", []))
    newest = next((one for one in reversed(stretches) if one.request), None)
    if carried.latest and newest is None:
        lines.add("latest", carried.latest, shorten(carried.latest, BRIEF_CHARACTERS))
    for stretch in stretches:
        request = _without(stretch.request, keys)
        is_goal = bool(goal) and key_of(shorten(stretch.request, GOAL_CHARACTERS)) == key_of(goal)
        if stretch.request:
            lines.add("request", f'"{stretch.request}"', f'"{shorten(stretch.request, BRIEF_CHARACTERS)}"')
        last = stretch is stretches[-1] or (stretch is newest and not is_goal)
        if stretch is newest and not is_goal:
            lines.add("latest", request, shorten(request, BRIEF_CHARACTERS))
            lead, brief = LATEST, LATEST
        elif request and not is_goal:
            lead = f'"{shorten(request, REQUEST_CHARACTERS)}" → '
            brief = f'"{shorten(request, BRIEF_REQUEST_CHARACTERS)}" → '
        else:
            lead = brief = ""
        _outcome(lines, stretch, lead, brief, told, last)


def _outcome(lines: Lines, stretch: Stretch, lead: str, brief: str, told: Sequence[str], last: bool) -> None:
    if last and not stretch.finished:
        words = last_words(stretch, LAST_CHARACTERS) or (NOT_ANSWERED if lead else "")
        text = f"{lead}{words}".removesuffix(" → ")
        tasks = (line.text for kind in _TASKS for line in lines.kinds.get(kind, []))
        if key_of(text) not in {key_of(line) for line in tasks}:
            lines.add("active", text, f"{brief}{words}".removesuffix(" → "))
        return
    whole, short = closing(stretch, lines.weights, told)
    if whole:
        lines.add("outcome", whole, short)
    if whole or (lead and lead != LATEST):
        lines.add("done", f"{lead}{whole}".removesuffix(" → "), f"{brief}{short}".removesuffix(" → "))


def _findings(lines: Lines, left: Sequence[str], budget: int) -> None:
    """The best sentences of what was said on the way, besides what the requests came to; left branches."""
    for text in left:
        lines.add("note", f"{LEFT}{text}", shorten(f"{LEFT}{text}", BRIEF_CHARACTERS))
    stretches = lines.work.stretches
    said = [one for stretch in stretches for at, text in stretch.said for one in spoken(text, at)]
    told = [
        line.text for kind in ("done", "active", "decision", "constraint") for line in lines.kinds.get(kind, [])
    ]
    shown = " ".join(told)
    steps = sum(len(stretch.said) for stretch in stretches)
    room = min(MOST_NOTE_CHARACTERS, budget, NOTE_CHARACTERS * max(steps // STEPS_A_FINDING, LEAST_FINDINGS))
    said = [one for one in said if finds(one) and one.text not in shown]
    said = [one for one in said if not one.text.startswith(LABELS)]  # nobody writes our lines but us
    for one in best(said, lines.weights, characters=room, without=told):
        lines.add("note", one.text, "")
