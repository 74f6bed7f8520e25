"""Turns statements into those that still hold: said again in other words, or taken back later, one holds no more.

1. Of two of which the newer says nearly all words of the older, and names all that it names, numbers too, the newer
   holds. So a choice the other way round ("B instead of A") takes the place of the first, and none stands twice.
2. One that takes something back ("back to A, B is too slow") closes what it names all of, whatever else that said.
3. Of two that speak of the same in a contrary way (`contrary`), the newer closes the older, or leaves it as an
   earlier one where it may speak of something else.
4. A change that names nothing of what was before ("so I've switched to B"; "that diagnosis was wrong") closes
   nothing: of the NEAR statements before it the newest choice, or cause, is told as an earlier one. So it is with
   what a user would have instead ("no, use B").
5. What is said beside decisions and findings (an aside) counts by what it takes back of them: else it is idle.
6. What the user said is taken back by the user alone.

Words are compared as they are, whatever the language; which wording takes back is known of English.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from ctxmgr.engine.findings.contrary import Speech, contrary, shared_names, speech
from ctxmgr.engine.findings.wordings import turns_to

SAME_SHARE = 0.75  # of the older statement's words
LEAST_WORDS = 3  # of two statements that say the same, in both
COMPARED = 400  # newest statements: with each of them more is compared
NEAR = 12  # statements: a choice longer ago is hardly what "switched to B" speaks of; a judgement

Holds = Literal["now", "earlier", "no more", "idle"]
NO_PLACES: Collection[int] = frozenset()


def standing(
    statements: Sequence[str], users: Collection[int] = NO_PLACES, asides: Collection[int] = NO_PLACES
) -> list[Holds]:
    """Of statements from old to new, does each hold? Those before the newest COMPARED are not looked at. `users`:
    places of those that a user said; `asides`: of what is said beside them."""
    return _Standing(statements, users, asides).holds()


class _Standing:
    """What is known of statements, read from new to old."""

    def __init__(self, statements: Sequence[str], users: Collection[int], asides: Collection[int]) -> None:
        self._statements, self._users, self._asides = statements, users, asides
        self._holds: list[Holds] = ["now"] * len(statements)
        self._read_ones: dict[int, Speech] = {}  # from new to old
        self._by_word: dict[str, list[int]] = {}
        self._by_stem: dict[str, list[int]] = {}
        self._taken_back: list[tuple[int, frozenset[str]]] = []
        self._turning: list[int] = []  # those that take something back
        self._sure: set[int] = set()  # those of which it is known what they take back
        self._did: set[int] = set()  # those that took something back, or may have
        self._capitals = frozenset(name for text in statements[-COMPARED:] for name in speech(text).capitals)

    def holds(self) -> list[Holds]:
        for number in range(len(self._statements) - 1, max(-1, len(self._statements) - 1 - COMPARED), -1):
            self._read(number, speech(self._statements[number]))
        for number, newer in self._doubtful():
            if self._holds[number] == "now" and self._may(newer, number):
                self._holds[number] = "earlier"
                self._did.add(newer)
        for number in self._asides:
            if number not in self._did and self._holds[number] != "no more":
                self._holds[number] = "idle"
        return self._holds

    def _read(self, number: int, one: Speech) -> None:
        """Take one in, after all that are newer."""
        for newer in self._speaking_of(one):
            if not self._may(newer, number):
                continue
            held = contrary(self._read_ones[newer], one, self._capitals, by_user=newer in self._users)
            if held != "now":
                self._did.add(newer)
                self._sure.add(newer)
                self._holds[number] = held if self._holds[number] != "no more" else "no more"
        if number not in self._asides and self._holds[number] != "no more" and self._is_said_again(number, one):
            self._holds[number] = "no more"
        if self._holds[number] == "no more":
            return
        self._read_ones[number] = one
        for stem in one.stems:
            self._by_stem.setdefault(stem, []).append(number)
        if one.turns:
            self._turning.append(number)
        if number in self._asides:
            return
        for word in one.words:
            self._by_word.setdefault(word, []).append(number)
        if one.named and one.back:
            self._taken_back.append((number, one.named))

    def _may(self, newer: int, older: int) -> bool:
        """Rule 6."""
        return older not in self._users or newer in self._users

    def _speaking_of(self, one: Speech) -> Iterable[int]:
        """The newer ones that may be contrary to it."""
        near = {newer for stem in one.subjects for newer in self._by_stem.get(stem, ())}
        return sorted(near.union(self._turning), reverse=True)

    def _is_said_again(self, number: int, one: Speech) -> bool:
        """Rules 1 and 2. `_by_word`: the newer ones, kept, that have a word."""
        back = any(one.named <= named for newer, named in self._taken_back if self._may(newer, number))
        least = max(LEAST_WORDS, SAME_SHARE * len(one.words))
        shared = Counter(newer for word in one.words for newer in self._by_word.get(word, ()))
        return bool(one.named and back) or any(
            count >= least
            and one.named <= self._read_ones[newer].named
            and one.purpose <= self._read_ones[newer].stems
            and self._may(newer, number)
            for newer, count in shared.items()
        )

    def _doubtful(self) -> Iterable[tuple[int, int]]:
        """Rule 4: those that may be over, and the newer one that says so."""
        every = list(self._read_ones.items())
        for place, (number, newer) in enumerate(every):
            near = every[place + 1 : place + 1 + NEAR] if number not in self._sure else []
            near = [(at, one) for at, one in near if at not in self._asides or number in self._users]
            others: list[int] = []
            if newer.says.of_choice or (number in self._users and turns_to(newer.text)):
                others = [at for at, one in near if one.says.chooses - newer.says.chooses][:1]
            elif newer.says.of_cause or newer.another_cause:
                others = [at for at, one in near if one.causes and not one.says.of_cause][:1]
            elif newer.no_help:
                causes = [at for at, one in near if one.causes]
                named = [at for at in causes if shared_names(newer, self._read_ones[at], self._capitals)]
                others = (named or causes)[:1]
            same = {self._read_ones[at].text for at in others}  # announced and decided in the same words
            yield from ((at, number) for at, one in near if one.text in same)
