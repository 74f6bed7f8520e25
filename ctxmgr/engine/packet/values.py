"""Turns facts of exact values into lines: what each command printed that is said again letter by letter.

1. The newest first; a value is as new as it was printed or said last. So many are told at most, of commits as many
   again, and of one command so many: what is older or more is in no line.
2. Values that one command printed stand on one line with it; those that nothing is known to have printed on one.
3. What git said of a commit stands in quotes. A value by itself has no blank in it, and can say nothing else.
"""

from collections.abc import Mapping, Sequence

from ctxmgr.engine.ledger import COMMITTED, PRINTED
from ctxmgr.engine.text import BULLET_CHARACTERS, code, one_line, quoted
from ctxmgr.model.saved import Fact

MOST_VALUES = 24
MOST_OF_ONE = 6  # values on a line


def value_lines(facts: Sequence[Fact]) -> list[str]:
    """Lines of the newest values; `facts` oldest first."""
    values: dict[str, dict[str, Fact]] = {}
    for fact in reversed(facts):
        how, _, value = fact.key.partition("\n")
        values.setdefault(value, {})[how] = fact
    groups: dict[str, list[str]] = {}
    for by in _newest(list(values.values())):
        fact = by.get(COMMITTED) or by.get(PRINTED) or next(iter(by.values()))
        told = groups.setdefault(fact.detail, [])
        if len(told) < MOST_OF_ONE:
            text = one_line(fact.text)
            told.append(quoted(fact.text) if " " in text else text)
    return [f"- {_from(command)}: {', '.join(told)}" for command, told in groups.items()]


def _newest(values: Sequence[Mapping[str, Fact]]) -> list[Mapping[str, Fact]]:
    """The newest of commits, and of all else (rule 1)."""
    left = {True: MOST_VALUES, False: MOST_VALUES}
    found = []
    for by in values:
        if left[COMMITTED in by]:
            left[COMMITTED in by] -= 1
            found.append(by)
    return found


def _from(command: str) -> str:
    return f"{code(command, BULLET_CHARACTERS)} printed" if command else "said"
