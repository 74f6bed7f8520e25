"""Turns facts of exact values into lines: what each command printed that is said again letter by letter.

1. The newest first; a value is as new as it was printed or said last. What the session made (commits, and requests
   and issues that it opened) and what was merely seen (ids of runs, ports, versions) have as many places each: what
   was made outlasts what was seen since. Of one command so many are told, and of commits as many on a line.
2. Values that one command printed stand on one line with it, those that a sentence said with that, and those that
   nothing is known to have printed on one.
   What was committed tells its subject, and so needs no command.
3. What git said of a commit stands in quotes. A value by itself has no blank in it, and can say nothing else.
4. Where there is no room for all lines, one of what was made and one of what was seen stay in turn.
"""

import re
from collections.abc import Container, Sequence
from itertools import chain, zip_longest

import msgspec

from ctxmgr.engine.ledger import COMMITTED, PRINTED, SAID
from ctxmgr.engine.text import BULLET_CHARACTERS, code, one_line, quoted
from ctxmgr.model.saved import RESET_AWAY, REVERTED, Fact

MOST_VALUES = 24  # of each kind
MOST_OF_ONE = 6  # values on a line
COMMIT_CHARACTERS = 80  # of a commit's hash and subject

_HEADS = {
    "": "committed",
    RESET_AWAY: "committed, then reset away",
    REVERTED: "committed, then reverted",
}
_REQUEST = re.compile(r"/(?:pulls?|issues|merge_requests|pull-requests)/\d+$|^[#!]\d+$")
_OPENS = re.compile(r"(?<![^\W_])(?:create|open|new|submit)(?![^\W_])", re.IGNORECASE)


class ValueLines(msgspec.Struct, frozen=True):
    """`ranked`: places of the lines, the best right to stay first (rule 4)."""

    lines: tuple[str, ...] = ()
    ranked: tuple[int, ...] = ()


def value_lines(facts: Sequence[Fact], told: Container[str] = frozenset()) -> ValueLines:
    """Lines of the newest values; `facts` oldest first, `told`: values that are told elsewhere."""
    made, seen = _lines_of([fact for fact in facts if fact.key.partition("\n")[2] not in told])
    both = zip_longest(range(len(made)), range(len(made), len(made) + len(seen)))
    return ValueLines((*made, *seen), tuple(place for place in chain.from_iterable(both) if place is not None))


def made_lines(facts: Sequence[Fact]) -> list[str]:
    """Those of what the session made, without their bullets."""
    return [line.removeprefix("- ") for line in _lines_of(facts)[0]]


def _lines_of(facts: Sequence[Fact]) -> tuple[list[str], list[str]]:
    """Lines of what was made, and of what was seen."""
    values: dict[str, dict[str, Fact]] = {}
    for fact in reversed(facts):
        how, _, value = fact.key.partition("\n")
        values.setdefault(value, {})[how] = fact
    every = list(values.values())
    commits = [by[COMMITTED] for by in every if COMMITTED in by][:MOST_VALUES]
    others = [by.get(PRINTED) or next(iter(by.values())) for by in every if COMMITTED not in by]
    opened = [fact for fact in others if is_opened(fact)][:MOST_VALUES]
    seen = [fact for fact in others if not is_opened(fact)][:MOST_VALUES]
    return [*_committed(commits), *_printed(opened)], _printed(seen)


def is_opened(fact: Fact) -> bool:
    """Is it a request or an issue that the session opened?"""
    return bool(_REQUEST.search(fact.text) and _OPENS.search(fact.detail))


def _committed(facts: Sequence[Fact]) -> list[str]:
    told = {
        status: [quoted(one.text, COMMIT_CHARACTERS) for one in facts if one.status == status] for status in _HEADS
    }
    return [f"- {_HEADS[status]}: {', '.join(some)}" for status, every in told.items() for some in _lines(every)]


def _lines(told: Sequence[str]) -> list[Sequence[str]]:
    return [told[at : at + MOST_OF_ONE] for at in range(0, len(told), MOST_OF_ONE)]


def _printed(facts: Sequence[Fact]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for fact in facts:
        told = groups.setdefault(f"{SAID}\n{fact.detail}" if _is_said(fact) else fact.detail, [])
        if len(told) < MOST_OF_ONE:
            text = one_line(fact.text)
            told.append(quoted(fact.text) if " " in text else text)
    return [f"- {_from(command)}: {', '.join(told)}" for command, told in _read(groups)]


def _is_said(fact: Fact) -> bool:
    return bool(fact.detail) and fact.key.startswith(f"{SAID}\n")


def _read(groups: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """With sentences in place of the values in them."""
    return [
        ("", [quoted(key.partition("\n")[2])]) if key.startswith(f"{SAID}\n") else (key, told)
        for key, told in groups.items()
    ]


def _from(command: str) -> str:
    return f"{code(command, BULLET_CHARACTERS)} printed" if command else "said"
