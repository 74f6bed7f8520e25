"""What the output of a run says: how it ended, what was counted, and the lines that say most."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

End = Literal["passed", "failed", "unknown"]
Count = tuple[int, str]

TOLD_LINES = 3

_COUNT = re.compile(
    r"(?<![\w.:/-])(\d{1,7})(?:(?: ?/ ?| (?:out )?of (?:the )?)\d{1,7})? "
    r"(?:tests? |examples? |specs? |scenarios? )?"
    r"(passed|passing|failed|failures?|failing|errors?|warnings?|skipped|pending|ignored|xfailed|xpassed"
    r"|deselected|issues?|problems?|offenses?(?! autocorrect))\b",
    re.IGNORECASE,
)
_THING = re.compile(r"(?:failure|error|warning|issue|problem|offense)s?$", re.IGNORECASE)
_BEFORE = re.compile(r"([^\W\d_]+) $")
_COUNTING = re.compile(
    r".*s$|[A-Z]+$|(?i:and|with|but|or|of|plus|had|found|got|only|total|summary|still|were|are|result|now|to)$"
)
_WORDS = {
    "fail": "failed",
    "passing": "passed",
    "failing": "failed",
    "failure": "failed",
    "failures": "failed",
    "pending": "skipped",
}
_RANKS = ("failed", "error", "issue", "problem", "offense", "passed", "warning")
_PLURALS = ("error", "warning", "issue", "problem", "offense")


NEVER = re.compile("(?!)")


def counted(lines: Iterable[str]) -> Iterator[Count]:
    """`3 failed, 41 passed`, in whatever order, of each line; not the number of one thing (`port 5432 failed`)."""
    for line in lines:
        for found in _COUNT.finditer(line):
            number, word = found.groups()
            if not _is_a_name(line[: found.start()], int(number), word):
                yield int(number), word_of(word)


def word_of(word: str) -> str:
    """The word that is told of what is counted by this one."""
    return _WORDS.get(word.lower(), word.lower())


def _is_a_name(before: str, number: int, word: str) -> bool:
    """Is a number that stands behind this no count but says which one it is (`step 3 failed`, `line 12 error`)?
    It stands behind a word in the singular, and what follows is no thing in its number."""
    named = _BEFORE.search(before)
    counts = _THING.match(word) and (number == 1 or word.lower().endswith("s"))
    return bool(named and not _COUNTING.match(named[1]) and not counts)


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


def counts_text(counts: Iterable[Count]) -> str:
    """`3 failed, 41 passed`."""
    return ", ".join(f"{number} {word}" for number, word in counts)
