"""Turns facts of what the user said into a text of its own: rules and requests word for word, where the messages
that said them left.

1. Rules come first, then corrections, then what was asked; of each the newest has the best right to stay, and of
   what was asked the first right after the newest.
2. A line is whole or not there. What is not stays for the packet's other parts, which tell it in short; the heading
   says how many there are.
3. Lines stand in the order in which they were said, so that what lifts a rule is read after it.
4. What was asked in a message in view is not told, nor a message that says nothing but one rule. The opening is
   told where the goal does not say all of it.
"""

from collections.abc import Container, Sequence

import msgspec

from ctxmgr.engine.ledger import now_and_past
from ctxmgr.engine.text import one_line, words_of
from ctxmgr.model import Weigh
from ctxmgr.model.saved import EARLIER, Fact, Ledger

RULES = "## Rules (the user's, word for word)"
ASKED = "## Asked before (the user's words; past, but what they demand holds)"
MOST = 400  # newest lines that are tried: more would not fit, and weighing them costs
COUNT_TOKENS = 12  # of a heading's note on how many more there are


class UsersText(msgspec.Struct, frozen=True):
    """`names`: of the facts in the text (`name_of`), so that nothing else tells them."""

    text: str = ""
    names: frozenset[str] = frozenset()


def name_of(fact: Fact) -> str:
    """What a user's fact is known by among what is told elsewhere: no digest is like it."""
    return f"{fact.slot}\n{fact.key}"


def users_text(ledger: Ledger, shown: Container[str], budget: int, weigh: Weigh) -> UsersText:
    """At most `budget` tokens, nothing where nothing is to be told or fits. `shown`: digests of what is in view."""
    now, past = now_and_past(ledger)
    rules = [fact for fact in now if fact.slot == "constraint" and fact.source == "user"]
    goal = next((fact.text for fact in now if fact.slot == "goal" and fact.source == "user"), "")
    wording = {words_of(goal), *(words_of(fact.text) for fact in rules)}
    unseen = _asked(past, shown)
    asked = [fact for fact in unseen if words_of(fact.text) not in wording]
    chosen: list[Fact] = []
    headed: set[str] = set()
    for fact in _ranked(rules, asked)[:MOST]:
        heading = 0 if fact.slot in headed else weigh(f"\n{_heading(fact.slot)}\n") + COUNT_TOKENS
        weight = weigh(f"{_line(fact)}\n") + heading
        if weight <= budget:
            chosen.append(fact)
            headed.add(fact.slot)
            budget -= weight
    told = frozenset(map(name_of, chosen))
    some = (_composed([one for one in facts if name_of(one) in told], len(facts)) for facts in (rules, asked))
    wording = {words_of(fact.text) for fact in chosen}
    again = frozenset(name_of(fact) for fact in unseen if words_of(fact.text) in wording)
    return UsersText("\n\n".join(filter(None, some)), told | again)


def rule_line(fact: Fact, limit: int) -> str:
    """A rule as a line; the user's words in quotes. One that a later one may take back is told as earlier."""
    text = one_line(fact.text, limit)
    if fact.source != "user":
        return f"- earlier: {text}" if fact.status == EARLIER else f"- {text}"
    said = "corrected" if fact.detail == "correction" else "said"
    earlier = " earlier" if fact.status == EARLIER else ""
    return f'- the user {said}{earlier}: "{text}"'


def _asked(past: Sequence[Fact], shown: Container[str]) -> list[Fact]:
    """What the user asked in messages that are not in view."""
    return [fact for fact in past if fact.slot == "request" and fact.source == "user" and fact.origin not in shown]


def _ranked(rules: Sequence[Fact], asked: Sequence[Fact]) -> list[Fact]:
    """Rule 1; facts come from old to new."""
    standing = [fact for fact in reversed(rules) if fact.detail != "correction"]
    corrections = [fact for fact in reversed(rules) if fact.detail == "correction"]
    newest = list(reversed(asked))
    return [*standing, *corrections, *newest[:1], *newest[-1:][: len(newest) - 1], *newest[1:-1]]


def _heading(slot: str) -> str:
    return RULES if slot == "constraint" else ASKED


def _composed(facts: Sequence[Fact], count: int) -> str:
    """Facts of one slot under their heading, "" for none; `count`: how many there are."""
    if not facts:
        return ""
    more = f" ({count - len(facts)} more not told whole)" if count > len(facts) else ""
    return "\n".join((f"{_heading(facts[0].slot)}{more}", *map(_line, facts)))


def _line(fact: Fact) -> str:
    if fact.slot == "constraint":
        return rule_line(fact, len(fact.text) + 1)
    text = one_line(fact.text, len(fact.text) + 1)
    return f"- {text}" if '"' in text else f'- "{text}"'
