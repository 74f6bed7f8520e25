"""Turns an original and the words that were asked for into the stretch of it that shows them best; pure.

Rules:
1. Best is the stretch with the most of the different words that were asked for; of two the first.
2. It has at most `SNIPPET_CHARACTERS` of the original, begins and ends at a line or a word where one is near, and
   says with dots where it is cut.
3. What it shows is masked, and the place where it begins is that in the original: a page can be asked for from
   there.
"""

import re
from collections.abc import Collection

from ctxmgr.masking import legible

SNIPPET_CHARACTERS = 320  # about 80 tokens: ten hits come to less than a page
_BEFORE = 80  # characters of the stretch that stand before its first word
_NEAR = 60  # characters within which a line's start or a gap is looked for
_PLACES = 2_000  # of words in one text that are looked at


def snippet(text: str, wanted: Collection[str]) -> tuple[str, int]:
    """Of a masked text, and the place where it begins. `wanted`: words, as `words` makes them."""
    start = _cut(text, _best(text, wanted))
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text):
        gaps = [text.rfind(gap, max(start, end - _NEAR), end) for gap in ("\n", " ")]
        end = next((gap for gap in gaps if gap > start), end)
    body = legible(text[start:end]).strip()
    return f"{'…' if start else ''}{body}{'…' if end < len(text) else ''}", start


def _best(text: str, wanted: Collection[str]) -> int:
    """Where the best stretch begins to be worth showing (rule 1)."""
    longest_first = sorted({word for word in wanted if word}, key=lambda word: (-len(word), word))
    if not longest_first:
        return 0
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    places = [
        (found.start(), found[0].casefold())
        for _, found in zip(range(_PLACES), pattern.finditer(text), strict=False)
    ]
    best, most = 0, 0
    first = 0
    for last in range(len(places)):
        while places[last][0] - places[first][0] > SNIPPET_CHARACTERS - _BEFORE:
            first += 1
        known = {word for _, word in places[first : last + 1][-50:]}
        if len(known) > most:
            best, most = places[first][0], len(known)
    return best


def _cut(text: str, place: int) -> int:
    """The start of the line, or of a word, before a place (rule 2)."""
    start = max(0, place - _BEFORE)
    if start == 0:
        return 0
    line = text.find("\n", start, place)
    if line >= 0:
        return line + 1
    gap = text.find(" ", start, min(place, start + _NEAR))
    return gap + 1 if gap >= 0 else start
