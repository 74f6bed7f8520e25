"""Turns what holds of the assistant's own words into a part of the packet: what it was answered, decided, found.

1. Only what nothing shown says is told: a statement whose message is shown, or a question whose message is, is not.
2. What was announced last comes first, then answered questions within a share, then MOST_STATED decisions and
   findings: the newest, and of those that say a cause, a failure or a choice ones of more age as well. Last
   come those that name nothing, those that a later commit settled (`settled`), and those that may be over. Under
   each heading the newest stands first.
3. What is said to fail as things are ("the tests fail because ...") is not told once it worked: the command that is
   named, or a run of that kind, with no other of that kind that stands failed; or once it is said to work again.
4. What was announced before the newest that was decided, ruled or committed says so in its heading, and stands
   last. What was agreed to is told with its question, and not as a decision as well; a choice in the user's words
   as the packet's decision.
5. What may be over (`EARLIER`) says so on its line.
6. The text never weighs more than its budget. A line is told whole or not at all.
"""

from collections.abc import Container, Sequence, Set

from msgspec import structs

from ctxmgr.engine.findings import NOTHING, Failing, causes, failing_now, is_firm, working_again
from ctxmgr.engine.judging import settled
from ctxmgr.engine.ledger import COMMITTED, now_and_past
from ctxmgr.engine.packet.commands import blocking
from ctxmgr.engine.packet.part import PacketPart, part_of
from ctxmgr.engine.stating import bare_command
from ctxmgr.engine.text import answered, identifiers, one_line, words_of
from ctxmgr.engine.tools import is_of_kind
from ctxmgr.model import Weigh
from ctxmgr.model.saved import EARLIER, Fact, Ledger

QUESTIONS_SHARE = 0.3  # of the budget, for questions that the user answered
MOST = 200  # newest statements that are tried: more would not fit the largest part, and weighing them costs
MOST_QUESTIONS = 8  # where the work stood: what was answered longer ago is settled
CAUSE, FIRM = 4.0, 2.0  # so many times as old a cause, or a failure or a choice, may be
NAMELESS = 0.25  # and what names nothing, which nothing later can refer to
BRIEF = 0.1  # and of it what is of few words: it says nothing that one could act on
BRIEF_WORDS = 6
DOUBTFUL = 0.5  # and what may be over
SETTLED = 0.2  # and what a later commit settled
MOST_STATED = 30  # decisions and findings that are told: a page has no room for more
LINE_CHARACTERS = 420  # a statement is of 400 at most
RESUME_SHARES = {"next": 0.05, "finding": 0.2, "decision": 0.15, "question": 0.1}  # of the budget, best right first
HEADINGS = {
    "next": "## Announced last",
    "question": "## Asked and answered (newest first)",
    "decision": "## Decided by the assistant (newest first; the newer holds)",
    "finding": "## Found by the assistant (newest first; the newer holds)",
    EARLIER: "## Announced before the newest of this, perhaps done since",
}


def findings_text(ledger: Ledger, shown: Container[str], budget: int, weigh: Weigh) -> str:
    """At most `budget` tokens, "" where nothing is to be told or fits. `shown`: digests of the messages in view."""
    now, past = now_and_past(ledger)
    over = failures_over(now) | facts_elsewhere(now)
    facts = [fact for fact in reversed(now) if _is_own(fact) and not _is_shown(fact, shown) and fact not in over]
    outdated = announced_before(now, past)
    facts = [structs.replace(fact, status=EARLIER) if fact in outdated else fact for fact in facts]
    places = {id(fact): place for place, fact in enumerate(facts)}
    announced = {fact.text for fact in facts if fact.slot == "next"}
    stated = [fact for fact in facts if fact.slot in ("decision", "finding") and fact.text not in announced]
    stated = _ranked(stated[:MOST], settled(now))[:MOST_STATED]
    chosen: list[Fact] = []
    headed: set[str] = set()
    left = budget
    for some, limit in (
        ([fact for fact in facts if fact.slot == "next"], budget),
        ([fact for fact in facts if fact.slot == "question"], int(QUESTIONS_SHARE * budget)),
        (stated, budget),
    ):
        room = min(limit, left)
        for fact in some:
            heading = _heading(fact)
            weight = weigh(f"{_line(fact)}\n") + (0 if heading in headed else weigh(f"\n{heading}\n"))
            if weight > room:
                break
            chosen.append(fact)
            headed.add(heading)
            room -= weight
            left -= weight
    while chosen:  # lines are weighed one by one, so the whole may be a little more
        text = _composed(sorted(chosen, key=lambda fact: places[id(fact)]))
        if weigh(text) <= budget:
            return text
        chosen.pop()
    return ""


def facts_elsewhere(now: Sequence[Fact]) -> frozenset[Fact]:
    """Rule 4, of what holds now and what is over, from old to new: what another line tells."""
    asked = {fact.origin: fact for fact in now if fact.slot == "question"}
    answers = chosen_in_answer(now)
    return frozenset(
        fact
        for fact in now
        if (fact.slot == "decision" and fact.source == "assistant" and fact.origin in asked)
        or (fact.slot == "question" and fact.origin in answers)
    )


def announced_before(now: Sequence[Fact], past: Sequence[Fact]) -> frozenset[Fact]:
    """What was announced before the newest of what holds now and what is over (rule 4)."""
    newest = max(map(_when, (fact for fact in (*now, *past) if _moves_on(fact))), default=(-1, -1))
    return frozenset(fact for fact in now if fact.slot == "next" and _when(fact) < newest)


def chosen_in_answer(facts: Sequence[Fact]) -> dict[str, Fact]:
    """The questions whose answer, all of it, is a decision in the user's words, by its message's digest."""
    asked = {fact.origin: fact for fact in facts if fact.slot == "question"}
    decided = (fact for fact in facts if fact.slot == "decision" and fact.source == "user" and fact.origin in asked)
    answers = {one.origin: words_of(asked[one.origin].detail.rpartition('"')[0]) for one in decided}
    return {
        fact.origin: asked[fact.origin]
        for fact in facts
        if fact.slot == "decision" and fact.origin and answers.get(fact.origin) == words_of(fact.text)
    }


def question_line(fact: Fact) -> str:
    """A question with its answer, or what was rejected."""
    return f"- {answered(fact)}"


def _moves_on(fact: Fact) -> bool:
    """Is what was announced before it no more what comes next?"""
    committed = fact.slot == "value" and fact.key.startswith(COMMITTED)
    return committed or fact.slot in ("decision", "constraint", "goal")


def _when(fact: Fact) -> tuple[int, int]:
    return fact.time_ms, fact.seq


def findings_parts(facts: Sequence[Fact], over: Set[Fact] = frozenset()) -> list[PacketPart]:
    """A part under each heading, of facts from old to new: for a packet that says where the work stood. `over`:
    what a commit settled."""
    newest: dict[str, list[Fact]] = {slot: [] for slot in RESUME_SHARES}
    for fact in reversed(facts):
        if _is_own(fact) and len(newest[fact.slot]) < (MOST_QUESTIONS if fact.slot == "question" else MOST):
            newest[fact.slot].append(fact)
    stated = sorted((*newest["decision"], *newest["finding"]), key=_when, reverse=True)
    best = {id(fact) for fact in _ranked(stated, over)[:MOST_STATED]}
    for slot in ("decision", "finding"):
        newest[slot] = [fact for fact in newest[slot] if id(fact) in best]
    return [
        part_of(HEADINGS[slot], [_line(fact) for fact in own], share, ranked=map(own.index, _ranked(own, over)))
        for (slot, share), own in zip(RESUME_SHARES.items(), newest.values(), strict=True)
    ]


def _ranked(facts: list[Fact], over: Set[Fact]) -> list[Fact]:
    """Rule 2: of facts from new to old the best right to stay first."""
    ages = {id(fact): (age + 1) / _lasts(fact, fact in over) for age, fact in enumerate(facts)}
    return sorted(facts, key=lambda fact: ages[id(fact)])


def _lasts(fact: Fact, is_over: bool) -> float:
    """How old it may be, against what merely says that something is not so."""
    text = fact.text
    lasts = CAUSE if causes(text) else FIRM if is_firm(text) else 1.0
    if "`" not in text and not identifiers(text):
        lasts *= BRIEF if len(text.split()) <= BRIEF_WORDS else NAMELESS
    return lasts * (SETTLED if is_over else DOUBTFUL if fact.status == EARLIER else 1.0)


def failures_over(facts: Sequence[Fact]) -> frozenset[Fact]:
    """Rule 3. All facts that hold, from old to new, commands among them."""
    commands = [fact for fact in facts if fact.slot == "command"]
    own = [fact for fact in facts if fact.slot in ("decision", "finding", "next") and _is_own(fact)]
    failing = {fact: said for fact in own if (said := failing_now(fact.text)) != NOTHING}
    if not failing:
        return frozenset()
    worked = [fact for fact in commands if fact.status == "ok"]
    stands = blocking(commands, {})
    again = [(_when(fact), said) for fact in own if (said := working_again(fact.text)) != NOTHING]

    def is_over(fact: Fact, said: Failing) -> bool:
        since = [one for one in worked if _when(one) > _when(fact)]
        named = {name for name in said.names if any(_runs(one, name) for one in commands)}
        if named:
            done = all(any(_runs(one, name) for one in since) for name in named)
        else:
            done = any(_is_of(one, said.kinds) for one in since)
            done = done and not any(_is_of(one, said.kinds) for one in stands)
        return done or any(
            when > _when(fact) and (said.names & other.names or (not said.names and said.kinds & other.kinds))
            for when, other in again
        )

    return frozenset(fact for fact, said in failing.items() if is_over(fact, said))


def _runs(fact: Fact, command: str) -> bool:
    return f"{bare_command(fact.text)} ".startswith(f"{words_of(command)} ") if words_of(command) else False


def _is_of(fact: Fact, kinds: frozenset[str]) -> bool:
    """A look (`gh pr checks 5`) runs nothing, and is known by its line."""
    return any(is_of_kind(run, kind) for run in (fact.runs or fact.text).split("\n") for kind in kinds)


def _is_own(fact: Fact) -> bool:
    """Is it told here? A user's and a summary's decisions have a part of their own."""
    return fact.slot in ("next", "question", "finding") or (fact.slot == "decision" and fact.source == "assistant")


def _is_shown(fact: Fact, shown: Container[str]) -> bool:
    return (fact.key.partition("\n")[0] if fact.slot == "question" else fact.origin) in shown


def _line(fact: Fact) -> str:
    if fact.slot == "question":
        return question_line(fact)
    text = one_line(fact.text, LINE_CHARACTERS)
    return f"- earlier: {text}" if fact.status == EARLIER and fact.slot != "next" else f"- {text}"


def _heading(fact: Fact) -> str:
    return HEADINGS[EARLIER if fact.slot == "next" and fact.status == EARLIER else fact.slot]


def _composed(facts: Sequence[Fact]) -> str:
    lines = {heading: [_line(fact) for fact in facts if _heading(fact) == heading] for heading in HEADINGS.values()}
    return "\n\n".join("\n".join((heading, *some)) for heading, some in lines.items() if some)
