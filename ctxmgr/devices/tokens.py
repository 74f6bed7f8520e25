"""Turns text into its weight in tokens, over tiktoken and a vocabulary file; no network, no fault.

1. Special tokens in a text are text: it is conversation, not a prompt under construction.
2. Any str has a weight: an unpaired surrogate weighs as U+FFFD, and what tiktoken refuses is estimated (it
   panics at 999,999 white-space characters in a row).

tiktoken is imported by `load` alone, so that a start does not wait for it. Keeps no counts.
"""

from collections.abc import Callable, Sized

import msgspec

from ctxmgr.devices.vocabulary import VOCABULARIES, Vocabulary, VocabularySearch, find
from ctxmgr.model import ESTIMATE, Weigh, estimate

Encode = Callable[[str], Sized]


class Weigher:
    """A callable that gives the weight of a text in tokens; `name` is the vocabulary's, or "estimate".

    Thread-safe. With a vocabulary it costs about 80 ms a million characters.
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
    """The weigher of that name; `path` is the policy's vocabulary file. For a thread: blocks for about 0.3 s.

    Never raises: what is in the way ends in the estimate and a note.
    """
    if name == ESTIMATE:
        return LoadedWeigher(Weigher(ESTIMATE, estimate))
    vocabulary = VOCABULARIES.get(name)
    if vocabulary is None:
        known = ", ".join((*VOCABULARIES, ESTIMATE))
        return _estimated(f"no tokenizer is called {name!r} (known: {known})")
    try:
        search = find(vocabulary, path)
        if search.ranks is None:
            reasons = "; ".join(search.skipped + search.absent)
            return _estimated(f"no usable file of {name}" + (f": {reasons}" if reasons else ""))
        encode = _encoder(vocabulary, search.ranks)
    except Exception as fault:  # noqa: BLE001 - a broken tiktoken must not cost more than exactness
        return _estimated(f"{name} could not be loaded ({type(fault).__name__})")
    return LoadedWeigher(Weigher(name, lambda text: weigh(encode, text)), _passed_over(search))


def _estimated(reason: str) -> LoadedWeigher:
    return LoadedWeigher(Weigher(ESTIMATE, estimate), f"weights are estimated: {reason}")


def _passed_over(search: VocabularySearch) -> str | None:
    return "passed over: " + "; ".join(search.skipped) if search.skipped else None


def _encoder(vocabulary: Vocabulary, ranks: dict[bytes, int]) -> Encode:
    """tiktoken's `encode_ordinary` over these ranks. Empties `ranks`: 30 MB that tiktoken has a copy of."""
    from tiktoken import Encoding

    encoding = Encoding(vocabulary.name, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()
    return encoding.encode_ordinary


def weigh(encode: Encode, text: str) -> int:
    """The weight of any text in tokens."""
    try:
        return len(encode(text))
    except BaseException as fault:
        if type(fault).__name__ != "PanicException":  # pyo3's: no Exception, and no module exports it
            raise
        return estimate(text)
