"""What the output of a run says: how it ended, what was counted, and the lines that say most."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

End = Literal["passed", "failed", "unknown"]
Count = tuple[int, str]

TOLD_LINES = 3
LONG_COUNT = 20  # characters, of a line that only counts, a count

_COUNT = re.compile(
    r"(?<![\w.:/-])(\d{1,7}) (?:tests? |examples? |specs? |scenarios? )?"
    r"(passed|passing|failed|failures?|failing|errors?|warnings?|skipped|pending|ignored|xfailed|xpassed"
    r"|deselected|issues?|problems?)\b",
    re.IGNORECASE,
)
_WORDS = {"passing": "passed", "failing": "failed", "failure": "failed", "failures": "failed", "pending": "skipped"}
_RANKS = ("failed", "error", "issue", "problem", "passed", "warning")
_PLURALS = ("error", "warning", "issue", "problem")


NEVER = re.compile("(?!)")


def counted(lines: Iterable[str]) -> Iterator[Count]:
    """`3 failed, 41 passed`, in whatever order, of each line."""
    for line in lines:
        for number, word in _COUNT.findall(line):
            yield int(number), _WORDS.get(word.lower(), word.lower())


class RunReport(msgspec.Struct, frozen=True, gc=False):
    """`counts`: (how many, of what) without zeros, failures first. `lines`: the first that name what came of it."""

    ended: End
    counts: tuple[Count, ...] = ()
    lines: tuple[str, ...] = ()


class OutputReader(msgspec.Struct, frozen=True, gc=False):
    """How one tool's output is read, by lines.

    `programs`: that print so. `hints`: one of them stands in what it prints. `failed`, `passed`: a line that says
    that it ended so. `telling`: a line that names what failed, best first; where none does, the lines of `failed`.
    `beside`: a line that only counts. `counts`: of the lines that say how it ended, and of those.
    """

    programs: frozenset[str]
    hints: tuple[str, ...]
    failed: re.Pattern[str]
    passed: re.Pattern[str]
    telling: tuple[re.Pattern[str], ...] = ()
    beside: re.Pattern[str] = NEVER
    counts: Callable[[Sequence[str]], Iterable[Count]] = counted


def added_up(found: Iterable[Count]) -> tuple[Count, ...]:
    """One count of each thing, in the order of what matters; nothing of which there is none."""
    sums: dict[str, int] = {}
    for number, word in found:
        word = next((one for one in _PLURALS if word == f"{one}s"), word)
        sums[word] = sums.get(word, 0) + number
    ranked = sorted(sums, key=lambda word: next((at for at, one in enumerate(_RANKS) if one in word), len(_RANKS)))
    return tuple((sums[word], _plural(word, sums[word])) for word in ranked if sums[word] > 0)


def _plural(word: str, number: int) -> str:
    if number == 1:
        return word
    return f"{word}s" if word in _PLURALS else word.replace("package ", "packages ").replace("suite ", "suites ")


def only_counts(line: str, report: RunReport) -> bool:
    """Does a line say nothing that the counts do not?"""
    return added_up(counted([line])) == report.counts and len(line) < LONG_COUNT * (len(report.counts) + 1)


def counts_text(counts: Iterable[Count]) -> str:
    """`3 failed, 41 passed`."""
    return ", ".join(f"{number} {word}" for number, word in counts)
