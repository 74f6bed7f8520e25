"""Turns statements into those that still hold: said again in other words, or taken back later, one holds no more.

1. Of two of which the newer says nearly all words of the older, and names all that it names, numbers too, the newer
   holds. So a choice the other way round ("B instead of A") takes the place of the first, and none stands twice.
2. One that takes something back ("back to A, B is too slow") closes what it names all of, whatever else that said.

Words are compared as they are, whatever the language; which wording takes back is known of English.
"""

import re
from collections import Counter
from collections.abc import Sequence

from ctxmgr.engine.findings.wordings import reverses
from ctxmgr.engine.text import bare, words_of

SAME_SHARE = 0.75  # of the older statement's words
LEAST_WORDS = 3  # of two statements that say the same, in both
COMPARED_CHARACTERS = 3  # a shorter one is in every sentence
COMPARED = 400  # newest statements: with each of them more is compared

_NUMBER = re.compile(r"\d+")


def standing(statements: Sequence[str]) -> list[bool]:
    """Of statements from old to new, does each hold? Those before the newest COMPARED are not looked at."""
    holds = [True] * len(statements)
    by_word: dict[str, list[int]] = {}
    names: dict[int, frozenset[str]] = {}
    taken_back: list[frozenset[str]] = []
    for number in range(len(statements) - 1, max(-1, len(statements) - 1 - COMPARED), -1):
        text = statements[number]
        words = {word for word in words_of(text).split() if len(word) >= COMPARED_CHARACTERS}
        named = names[number] = bare(text) | frozenset((*text.split("`")[1::2], *_NUMBER.findall(text)))
        shared = Counter(newer for word in words for newer in by_word.get(word, ()))
        least = max(LEAST_WORDS, SAME_SHARE * len(words))
        again = any(count >= least and named <= names[newer] for newer, count in shared.items())
        if again or (named and any(named <= others for others in taken_back)):
            holds[number] = False
            continue
        for word in words:
            by_word.setdefault(word, []).append(number)
        if named and reverses(text):
            taken_back.append(named)
    return holds
