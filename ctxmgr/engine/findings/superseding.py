"""Turns statements into those that still hold: said again in other words, or taken back later, one holds no more.

1. Of two of which the newer says nearly all words of the older, and names all that it names, numbers too, the newer
   holds. So a choice the other way round ("B instead of A") takes the place of the first, and none stands twice.
2. One that takes something back ("back to A, B is too slow") closes what it names all of, whatever else that said.
3. One that leaves a thing ("moved from A to B", "A is out") closes the choice of that thing, and one that chooses
   what was left before ("B after all") closes the choice against it. A correction closes what was said of the names
   it corrects.
4. A change that names nothing of what was before ("so I've switched to B"; "that diagnosis was wrong") closes
   nothing: of the NEAR statements before it the newest choice, or cause, is told as an earlier one.
5. Of two that say why the same is so ("the tests fail because A", "... because B") the older is an earlier one.

Words are compared as they are, whatever the language; which wording takes back is known of English.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.engine.findings.reversing import Reversal, named_in, reversal
from ctxmgr.engine.findings.wordings import causes, reverses, wrong
from ctxmgr.engine.text import words_of

SAME_SHARE = 0.75  # of the older statement's words
LEAST_WORDS = 3  # of two statements that say the same, in both
COMPARED_CHARACTERS = 3  # a shorter one is in every sentence
COMPARED = 400  # newest statements: with each of them more is compared
NEAR = 12  # statements: a choice longer ago is hardly what "switched to B" speaks of; a judgement

LEAST_EFFECT_WORDS = 2  # "it fails because ..." may be of anything
_ARTICLES = frozenset(("the", "a", "an", "this", "that", "it", "is", "are", "was", "were", "still"))
_REASON = re.compile(r"^(?P<effect>[^,;:.]{3,80}?) (?:because|due to|caused by)\b", re.IGNORECASE)

Holds = Literal["now", "earlier", "no more"]


class _Read(msgspec.Struct, frozen=True):
    """One statement. `words` of COMPARED_CHARACTERS and more; `named`: names of code in it; `back`: does it take
    back all it names? `causes`, `faults`: does it say a cause, a fault? `effect`: words of what it says
    the reason of."""

    text: str
    words: frozenset[str]
    named: frozenset[str]
    says: Reversal
    back: bool
    causes: bool
    faults: bool
    effect: frozenset[str]


def standing(statements: Sequence[str]) -> list[Holds]:
    """Of statements from old to new, does each hold? Those before the newest COMPARED are not looked at."""
    holds: list[Holds] = ["now"] * len(statements)
    by_word: dict[str, list[int]] = {}
    taken_back: list[frozenset[str]] = []
    kept: dict[int, _Read] = {}  # from new to old
    turns: list[int] = []  # those that take something back
    sure: set[int] = set()  # those of which it is known what they take back
    for number in range(len(statements) - 1, max(-1, len(statements) - 1 - COMPARED), -1):
        one = _read(statements[number])
        by = [newer for newer in turns if _overturns(kept[newer], one)]
        sure.update(by)
        again = _is_said_again(one, by_word, kept) or (one.named and any(map(one.named.issubset, taken_back)))
        if by or again:
            holds[number] = "no more"
            continue
        kept[number] = one
        for word in one.words:
            by_word.setdefault(word, []).append(number)
        if one.says.turns:
            turns.append(number)
        if one.named and one.back:
            taken_back.append(one.named)
    for number in _doubtful(kept, sure):
        holds[number] = "earlier"
    return holds


@lru_cache(maxsize=1 << 12)  # a session's statements are read again with each that it adds
def _read(text: str) -> _Read:
    words = frozenset(word for word in words_of(text).split() if len(word) >= COMPARED_CHARACTERS)
    back, effect = reverses(text), _effect(text)
    return _Read(text, words, named_in(text), reversal(text), back, causes(text), wrong(text), effect)


def _effect(text: str) -> frozenset[str]:
    """Those of what is so, where the reason is told right behind it and they tell it from others."""
    found = _REASON.match(text)
    words = frozenset(words_of(found["effect"]).split()) - _ARTICLES if found else frozenset[str]()
    return words if len(words) >= LEAST_EFFECT_WORDS else frozenset()


def _is_said_again(one: _Read, by_word: dict[str, list[int]], kept: Mapping[int, _Read]) -> bool:
    """Rule 1. `by_word`: the newer ones, `kept`, that have a word."""
    least = max(LEAST_WORDS, SAME_SHARE * len(one.words))
    shared = Counter(newer for word in one.words for newer in by_word.get(word, ()))
    return any(count >= least and one.named <= kept[newer].named for newer, count in shared.items())


def _overturns(turn: _Read, one: _Read) -> bool:
    """Rule 3."""
    newer, older = turn.says, one.says
    if newer.corrects & one.named and one.faults:
        return True
    if not older.chooses or older.chooses <= newer.chooses:
        return False
    if any(older.chooses <= left for left in newer.leaves):
        return True
    if older.name and older.chooses <= newer.words - newer.chooses and _has(turn.text, older.name):
        return True
    return bool(newer.chooses and newer.words) and any(newer.chooses <= left for left in older.leaves)


def _has(text: str, name: str) -> bool:
    """Does it stand there as it is written? "text" is no `Text`."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _doubtful(kept: Mapping[int, _Read], sure: set[int]) -> set[int]:
    """Rule 4: the numbers of those that may be over. `kept` from new to old."""
    found: set[int] = set()
    every = list(kept.items())
    for place, (number, newer) in enumerate(every):
        near = every[place + 1 : place + 1 + NEAR] if number not in sure else []
        if newer.says.of_choice:
            found.update([at for at, one in near if one.says.chooses - newer.says.chooses][:1])
        if newer.says.of_cause:
            found.update([at for at, one in near if one.causes and not one.says.of_cause][:1])
        if newer.effect:
            found.update([at for at, one in near if one.effect == newer.effect])
    return found
