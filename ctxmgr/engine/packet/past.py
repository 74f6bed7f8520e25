"""Turns what is over, what was found on branches that were left, and critical context into parts of the packet."""

from collections.abc import Container, Sequence

from ctxmgr.engine.packet.part import MOST_LINES, PacketPart, grouped, newest_first, part_of, summarised, within
from ctxmgr.engine.text import BULLET_CHARACTERS, one_line, sentence, shorten
from ctxmgr.model.saved import Fact

CONTEXT_CHARACTERS = 2_000  # of one item in a resume packet: it stands for a summary nobody else holds
MOST_PAST = 10  # of each kind of history
PAST_CHARACTERS = 160
RESUME_ASKED = 20  # newest requests in a resume packet: the user's words are in no other place by then
RESUME_ASKED_CHARACTERS = 600  # of one of them
FIRST_CHARACTERS = 240  # of the first request
TITLE_CHARACTERS = 60


def past_requests(
    past: Sequence[Fact], goals: list[Fact], told: Container[str], shown: Container[str]
) -> list[Fact]:
    """What was asked before and is not shown itself, nor told as the goal or as what is current."""
    opening = {fact.origin for fact in goals if fact.source == "user" and fact.origin}
    asked = [fact for fact in past if fact.slot == "request" and fact.source != "branch"]
    return [
        fact for fact in asked if fact.text not in told and fact.origin not in opening and fact.origin not in shown
    ]


def history(facts: Sequence[Fact], asked: Sequence[Fact], resume: bool = False) -> PacketPart:
    """What was asked before, the first and the newest, and done tasks. The first is what all of it is about."""
    asked = [*asked[:1], *asked[1:][-(RESUME_ASKED if resume else MOST_PAST) :]]
    first, later = (RESUME_ASKED_CHARACTERS,) * 2 if resume else (FIRST_CHARACTERS, PAST_CHARACTERS)
    done = [fact for fact in facts if fact.slot == "task" and fact.source != "branch" and not _introduces(fact)]
    lines = [f"- asked: {quotation(fact, later if at else first)}" for at, fact in enumerate(asked)]
    lines += [f"- done: {sentence(fact, PAST_CHARACTERS)}" for fact in done[-MOST_PAST:]]
    newest = [*newest_first(len(asked)), *newest_first(len(lines) - len(asked))]
    newest[:1] = [-1] if asked else newest[:1]
    ranked = sorted(range(len(lines)), key=lambda place: (newest[place], place))  # of each kind in turn
    heading = "## History (maybe done; its rules hold)"
    part = part_of(heading, lines, 0.2 if resume else 0.12, ranked=ranked)
    return grouped(part, (summarised(fact, fact.slot) for fact in (*asked, *done[-MOST_PAST:])))


def quotation(fact: Fact, limit: int) -> str:
    """What was asked, in quotes where it has none of its own."""
    text = one_line(fact.text, limit)
    return text if '"' in text else f'"{text}"'


def _introduces(fact: Fact) -> bool:
    """Whether a statement only introduces a list ("All of this works:")."""
    return fact.text.rstrip().endswith(":")


def left_branch(facts: Sequence[Fact], resume: bool) -> PacketPart:
    """What was found on branches that were left; of several, the newest has the better right to stay."""
    told = [fact for fact in facts if fact.source == "branch" and not _introduces(fact)]
    found = within(told, MOST_LINES, _heading)
    order: dict[str, int] = {fact.origin: -number for number, fact in enumerate(found)}
    lines = [_found(fact) for fact in found]
    ranked = sorted(range(len(lines)), key=lambda place: (order[found[place].origin], place))
    share = 0.3 if resume else 0.08
    part = part_of("## Left branch (explored before, not the current work)", lines, share, ranked=ranked)
    return grouped(part, map(_heading, found))


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


def context_part(facts: list[Fact], resume: bool) -> PacketPart:
    """Critical context: items under one heading are put on one line while they fit; code goes first."""
    limit = CONTEXT_CHARACTERS if resume else BULLET_CHARACTERS
    lines: list[str] = []
    counts: list[int] = []
    plainness: list[tuple[bool, int]] = []
    title: str | None = None
    groups: list[str] = []
    for fact in within(facts, MOST_LINES, lambda fact: fact.detail):
        heading, text = one_line(fact.detail, TITLE_CHARACTERS), one_line(fact.text, limit)
        joined = f"{lines[-1]}{' ' if lines[-1].endswith('.') else '; '}{text}" if lines else ""
        if lines and title == heading and heading and len(joined) <= limit + 2:
            lines[-1] = joined
            counts[-1] += 1
            continue
        whole = shorten(f"{heading}: {text}" if heading else text, limit)
        lines.append(f"- {whole}")
        counts.append(1)
        groups.append(summarised(fact, f"under {fact.detail}"))
        plainness.append(("```" in fact.text, len(lines) - 1))
        title = heading
    ranked = [place for _, place in sorted(plainness)]
    share = 0.4 if resume else 0.05
    part = part_of("## Critical context", lines, share, ranked=ranked, counts=counts, total=len(facts))
    return grouped(part, groups)
