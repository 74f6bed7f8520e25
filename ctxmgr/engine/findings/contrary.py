"""Turns two statements into whether the newer speaks of the same as the older in a contrary way, for English.

"no more": it is so. "earlier": it may be so. "now": it says nothing of the older.

1. A choice is over once a newer one leaves what it chose, or chooses what it left ("B after all"). A user who
   chooses what it left needs no such word. A correction closes what was said of the names it corrects.
2. The same said of the same things, once denied and once not ("`a` does not work", "`a` works with ..."): the newer
   holds. What it is not under a condition, or of other words, may be another matter.
3. A decision about what is taken out is over. Where the two name different things, it may be another.
4. What is cleared of a fault is not the cause. Where only a word of everyday language says what, it may be another.
5. Of two choices for the same purpose, and of two that say why the same thing is at fault, the older is an earlier
   one.
"""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Literal

from ctxmgr.engine.findings.clauses import Clause, capitals_in, clauses, names_in
from ctxmgr.engine.findings.endings import cleared, failed_switch, names_another_cause, removed, was_no_help
from ctxmgr.engine.findings.reversing import named_in, reversal
from ctxmgr.engine.findings.wordings import announces, causes, decides, reverses, wrong
from ctxmgr.engine.text import content_words, words_of

COMPARED_CHARACTERS = 3  # a shorter word is in every sentence
SAME_PURPOSE = 0.6  # of the words of two purposes that both have
MOST_SPEECHES = 4_096  # statements that are remembered
MOST_PAIRS = 60_000  # of them: each is compared with those that speak of the same, at each epoch
LEAST_EFFECT_WORDS = 2  # "it fails because ..." may be of anything

_ARTICLES = frozenset(("the", "a", "an", "this", "that", "it", "is", "are", "was", "were", "still"))
_REASON = re.compile(r"^(?P<effect>[^,;:.]{3,80}?),? (?:because|due to|caused by|since|thanks to)\b", re.IGNORECASE)
_OF_CHOOSING = content_words(
    "use used using keep kept go going went gone pick picked choose chose chosen settle stick stay decide decided"
    " decision opt prefer adopt switch switched move moved migrate migrated change changed replace replaced plan"
    " will"
    " let make best right simplest cleanest approach option fix way solution instead rather than back choice"
    " better now"
    " reflection second thought plain simply would want store put set"
)

Contrary = Literal["now", "earlier", "no more"]


class Speech:
    """One statement, each thing of it read when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.says, self.clauses, self.names = reversal(text), clauses(text), names_in(text)
        self.words = frozenset(word for word in words_of(text).split() if len(word) >= COMPARED_CHARACTERS)
        self.stems = content_words(text)

    @cached_property
    def initials(self) -> frozenset[str]:
        """What its clauses begin with."""
        return frozenset(part.initial for part in self.clauses)

    @cached_property
    def named(self) -> frozenset[str]:
        """Names of code in it."""
        return named_in(self.text)

    @cached_property
    def capitals(self) -> frozenset[str]:
        return capitals_in(self.text)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Stems of what it names, or may name, of what its choice is for, and of what it gives the reason."""
        initial = (part.initial for part in self.clauses)
        return content_words(" ".join((*self.names, *initial, *self.effect[0]))) | self.purpose

    @cached_property
    def purpose(self) -> frozenset[str]:
        """What a choice is for: what is said beside what is chosen and left, without words of choosing."""
        if not self.says.chooses:
            return frozenset()
        words = _all_of(part.words | content_words(" ".join(part.names)) for part in self.clauses)
        things = content_words(" ".join((*self.says.chooses, *(" ".join(one) for one in self.says.leaves))))
        return words - things - _all_of(self.removed) - _OF_CHOOSING

    @cached_property
    def removed(self) -> tuple[frozenset[str], ...]:
        return removed(self.text)

    @cached_property
    def cleared(self) -> tuple[frozenset[str], ...]:
        return cleared(self.text)

    @property
    def turns(self) -> bool:
        """Does it take anything back?"""
        return bool(self.says.turns or self.removed or self.cleared)

    @cached_property
    def back(self) -> bool:
        """Does it take back all it names?"""
        return reverses(self.text)

    @cached_property
    def causes(self) -> bool:
        """Does it say a cause?"""
        return causes(self.text) or bool(self.effect[1])

    @cached_property
    def faults(self) -> bool:
        return wrong(self.text)

    @cached_property
    def plans(self) -> bool:
        """Does it say a choice, or what comes next?"""
        return bool(self.says.chooses) or decides(self.text) or announces(self.text)

    @cached_property
    def effect(self) -> tuple[frozenset[str], frozenset[str]]:
        """The words of what is so, where the reason is told right behind it and they tell it from others; and what
        is named there, where it is at fault."""
        found = _REASON.match(self.text)
        if found is None:
            return frozenset(), frozenset()
        words = frozenset(words_of(found["effect"]).split()) - _ARTICLES
        said = clauses(found["effect"])[-1:]
        names = said[0].names if said and said[0].denied else frozenset[str]()
        return words if len(words) >= LEAST_EFFECT_WORDS else frozenset(), names

    @cached_property
    def no_help(self) -> bool:
        return was_no_help(self.text)

    @cached_property
    def another_cause(self) -> bool:
        return names_another_cause(self.text)


speech = lru_cache(maxsize=MOST_SPEECHES)(Speech)  # a session's statements are read again with each that it adds


def _all_of(some: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*some)


def contrary(newer: Speech, older: Speech, capitals: frozenset[str], *, by_user: bool) -> Contrary:
    """`capitals`: what is a name wherever it stands."""
    return _contrary(newer, older, capitals & (newer.initials | older.initials), by_user)


@lru_cache(maxsize=MOST_PAIRS)
def _contrary(newer: Speech, older: Speech, capitals: frozenset[str], by_user: bool) -> Contrary:
    """`capitals`: of the words that their clauses begin with."""
    if _corrects(newer, older) or _leaves(newer, older, by_user):
        return "no more"
    held = [_denies(newer, older, capitals), _clears(newer, older), _takes_out(newer, older, by_user)]
    if "no more" in held:
        return "no more"
    if "earlier" in held or _has_same_purpose(newer, older) or _gives_another_reason(newer, older):
        return "no more" if by_user and _has_same_purpose(newer, older) else "earlier"
    return "now"


def shared_names(one: Speech, other: Speech, capitals: frozenset[str]) -> frozenset[str]:
    """The things that both name."""
    return _names(one.clauses, capitals) & _names(other.clauses, capitals)


def _names(parts: tuple[Clause, ...], capitals: frozenset[str]) -> frozenset[str]:
    return _all_of(_names_of(part, capitals) for part in parts)


def _names_of(part: Clause, capitals: frozenset[str]) -> frozenset[str]:
    return part.names | {part.initial} if part.initial in capitals else part.names


def _corrects(newer: Speech, older: Speech) -> bool:
    return bool(newer.says.corrects & older.named and older.faults)


def _leaves(newer: Speech, older: Speech, by_user: bool) -> bool:
    """Rule 1."""
    new, old = newer.says, older.says
    if not old.chooses or old.chooses <= new.chooses or failed_switch(newer.text):
        return False
    if any(old.chooses <= left for left in new.leaves):
        return True
    if old.name and old.chooses <= new.words - new.chooses and _has(newer.text, old.name):
        return True
    if new.chooses and (new.words or by_user) and any(new.chooses <= left for left in old.leaves):
        return True
    left = [one for one in old.leaves if one <= new.words and not any(one & other for other in new.leaves)]
    return bool(left) and old.chooses.isdisjoint(new.words) and not any(part.denied for part in newer.clauses)


def _has(text: str, name: str) -> bool:
    """Does it stand there as it is written? "text" is no `Text`."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _denies(newer: Speech, older: Speech, capitals: frozenset[str]) -> Contrary:
    """Rule 2. Of several things that the older names another may still be so."""
    every = _names(older.clauses, capitals) <= _names(newer.clauses, capitals)
    for old in older.clauses:
        names = _names_of(old, capitals)
        if not names or old.supposed or not (old.words or old.judges):
            continue
        for new in newer.clauses:
            same = names <= _names_of(new, capitals) and old.words <= new.words and not new.supposed
            if same and old.denied != new.denied and (old.judges == new.judges):
                return "no more" if every else "earlier"
    return "now"


def _takes_out(newer: Speech, older: Speech, by_user: bool) -> Contrary:
    """Rule 3."""
    if not older.plans:
        return "now"
    before = content_words(" ".join(" ".join(one) for one in older.says.leaves))
    refused = [content_words(" ".join(one)) for one in newer.says.leaves] if by_user else []
    gone = [one for one in (*newer.removed, *refused) if one and one <= older.stems and not one & before]
    gone = [one for one in gone if not any(one & other for other in older.removed)]
    if not gone:
        return "now"
    chosen = content_words(" ".join(older.says.chooses))
    if chosen and any(chosen <= one for one in gone):
        return "no more"
    named = content_words(" ".join(older.names))
    if by_user and any(named <= one for one in gone):
        return "no more"
    beside = [one for one in gone if not one & named]  # a part of a thing is taken out, or something that has it
    if beside and older.names and older.names <= newer.names:
        return "no more"
    return "earlier" if beside and (not older.names or older.names & newer.names) else "now"


def _clears(newer: Speech, older: Speech) -> Contrary:
    """Rule 4."""
    if not older.causes or older.says.of_cause:
        return "now"
    clear = [one for one in newer.cleared if one <= older.stems]
    if not clear:
        return "now"
    sure = newer.names & older.names or any(len(one) > 1 for one in clear)
    return "no more" if sure else "earlier"


def _has_same_purpose(newer: Speech, older: Speech) -> bool:
    """Do both choose, and not the same, for the same?"""
    both, every = newer.purpose & older.purpose, newer.purpose | older.purpose
    another = newer.says.chooses.isdisjoint(older.says.chooses)
    return bool(both) and another and len(both) >= SAME_PURPOSE * len(every)


def _gives_another_reason(newer: Speech, older: Speech) -> bool:
    """Of the same words, or of the same things?"""
    return any(new and new == old for new, old in zip(newer.effect, older.effect, strict=True))
