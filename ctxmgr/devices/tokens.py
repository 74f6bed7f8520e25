"""Turns text into its weight in tokens, by a vocabulary file; no network, no fault.

1. The vocabulary's pattern cuts a text into pre-tokens; the bytes of each are merged, the pair of the lowest rank
   first. What a text weighs is what tiktoken counts, which the tests ask.
2. In Python, and not by tiktoken: that holds the interpreter's lock for 140 ms while it takes a vocabulary in, and
   every session waits. Here no step takes longer than a merge. A text takes four times as long.
3. A longer pre-token (a megabyte of one letter) is cut into slices. Each slice's end may be off by a token or two.
4. Special tokens in a text are text: it is conversation, not a prompt under construction.
5. Any str has a weight: an unpaired surrogate weighs as U+FFFD.

`regex` is imported by `load` alone, so that a start does not wait for it.
"""

from collections import Counter
from heapq import heapify, heappop, heappush

import msgspec

from ctxmgr.devices.vocabulary import VOCABULARIES, Vocabulary, VocabularySearch, find
from ctxmgr.model import ESTIMATE, Weigh, estimate

SLICE_CHARACTERS = 1_920
"""Most of a pre-token that is merged as a whole. A multiple of 3 and 128: digits (3 a token) and blanks (to 128)
stay exact."""

WORDS_AT_MOST = 32_000
"""Pre-tokens whose weight is kept: of 2.5 million characters of code and prose 19,000 are different. 3 MB."""


class Weigher:
    """A callable that gives the weight of a text in tokens; `name` is the vocabulary's, or "estimate".

    Thread-safe. With a vocabulary it costs about 250 ms a million characters.
    """

    __slots__ = ("_weigh", "name")

    def __init__(self, name: str, weigh: Weigh) -> None:
        self.name = name
        self._weigh = weigh

    def __call__(self, text: str) -> int:
        return self._weigh(text)


class LoadedWeigher(msgspec.Struct, frozen=True):
    """A weigher, and in one line what a user should know: why it estimates, which files were passed over."""

    weigher: Weigher
    note: str | None = None


def load(name: str, path: str | None = None) -> LoadedWeigher:
    """The weigher of that name; `path` is the policy's vocabulary file. For a thread: blocks for about 0.2 s.

    Never raises: what is in the way ends in the estimate and a note.
    """
    if name == ESTIMATE:
        return LoadedWeigher(Weigher(ESTIMATE, estimate))
    vocabulary = VOCABULARIES.get(name)
    if vocabulary is None:
        known = ", ".join((*VOCABULARIES, ESTIMATE))
        return _estimated(f"no tokenizer is called {name!r} (known: {known})")
    try:
        found = find(vocabulary, path)
        if found.ranks is None:
            reasons = "; ".join(found.skipped + found.absent)
            return _estimated(f"no usable file of {name}" + (f": {reasons}" if reasons else ""))
        weigh = counter(vocabulary, found.ranks)
    except Exception as fault:  # noqa: BLE001 - what is broken there must not cost more than exactness
        return _estimated(f"{name} could not be loaded ({type(fault).__name__})")
    return LoadedWeigher(Weigher(name, weigh), _passed_over(found))


def _estimated(reason: str) -> LoadedWeigher:
    return LoadedWeigher(Weigher(ESTIMATE, estimate), f"weights are estimated: {reason}")


def _passed_over(found: VocabularySearch) -> str | None:
    return "passed over: " + "; ".join(found.skipped) if found.skipped else None


def counter(vocabulary: Vocabulary, ranks: dict[bytes, int]) -> Weigh:
    """What counts the tokens of a text by these ranks."""
    import regex

    words = regex.compile(vocabulary.pattern).finditer
    known: dict[str, int] = {}

    def count(text: str) -> int:
        total = 0
        for found in words(_well_formed(text)):
            word: str = found[0]
            tokens = known.get(word)
            if tokens is None:
                tokens = weigh_word(ranks, word)
                if len(known) >= WORDS_AT_MOST:
                    known.clear()
                if len(word) <= SLICE_CHARACTERS // 30:
                    known[word] = tokens
            total += tokens
        return total

    return count


def _well_formed(text: str) -> str:
    """The halves of a pair joined, single ones as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def weigh_word(ranks: dict[bytes, int], word: str) -> int:
    """The tokens of one pre-token. Of equal slices one is merged."""
    if len(word) <= SLICE_CHARACTERS:
        return merged(ranks, word.encode())
    starts = range(0, len(word), SLICE_CHARACTERS)
    slices = Counter(word[start : start + SLICE_CHARACTERS] for start in starts)
    return sum(merged(ranks, piece.encode()) * times for piece, times in slices.items())


def merged(ranks: dict[bytes, int], word: bytes) -> int:
    """How many tokens are left of these bytes when no pair of neighbours is a token. Of the pairs that are, the one
    of the lowest rank is merged first, and of equal ones the leftmost."""
    if word in ranks:
        return 1
    size, rank_of = len(word), ranks.get
    after = list(range(1, size + 1))  # by where a part begins: where the one after it does
    before = list(range(-1, size))
    pairs = [rank_of(word[at : at + 2]) for at in range(size)]  # by where a pair begins; None: it is no token
    heap = [(rank, at) for at, rank in enumerate(pairs[:-1]) if rank is not None]
    heapify(heap)
    count = size
    while heap:
        rank, at = heappop(heap)
        if pairs[at] != rank:
            continue  # one of the two has been merged with another
        count -= 1
        middle = after[at]
        end = after[at] = after[middle]
        pairs[at] = pairs[middle] = None
        if end < size:
            before[end] = at
        for left, right in ((at, end), (before[at], at)):
            if left >= 0 and right < size:
                new = pairs[left] = rank_of(word[left : after[right]])
                if new is not None:
                    heappush(heap, (new, left))
    return count
