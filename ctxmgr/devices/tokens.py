"""Turns text into its weight in tokens, over tiktoken and a vocabulary file; no network, no fault.

1. A long text is weighed in pieces, cut where tokens never join, so the sum is the weight of the whole. Each
   piece is small: tiktoken lets other threads run while it encodes, but not while it hands the tokens over.
2. A stretch without such a place (a megabyte of one letter, of white space) is cut into slices all the same.
   tiktoken's cost a character grows with the length of one pre-token, and from 999,999 white-space characters
   on it panics. Each slice's end may be off by a token or two.
3. Special tokens in a text are text: it is conversation, not a prompt under construction.
4. Any str has a weight: an unpaired surrogate weighs as U+FFFD, and what tiktoken refuses is estimated.

tiktoken is imported by `load` alone, so that a start does not wait for it. Keeps no counts.
"""

import re
from collections.abc import Callable, Iterator, Sized

import msgspec

from ctxmgr.devices.vocabulary import VOCABULARIES, Vocabulary, VocabularySearch, find
from ctxmgr.model import ESTIMATE, Weigh, estimate

PIECE_CHARACTERS = 48_000
"""Most of one call to tiktoken. Measured: 3 ms a piece, most of it with the other threads running."""

SLICE_CHARACTERS = 1_920
"""Most of a stretch without a boundary, and so of a pre-token. Measured: half and twice of it cost about as much,
half is twice as far off. A multiple of 3 and 128: digits (3 a token) and blanks (to 128) stay exact."""

# ASCII marks but the apostrophe, and the usual CJK ones.
_MARK = r"!-&(-/:-@\[-`{-~、。，．！？：；"
# Not all the letters there are, but letters in any version of Unicode.
_LETTER = r"A-Za-zぁ-ゖァ-ヺ一-鿿가-힣"
_BOUNDARY_BACKWARDS = re.compile(
    r"\n(?<=[^\s/]\n)"  # after a line, when the next begins with neither white space nor "/"
    r"|[ \t](?:(?=\S)"  # before a blank that follows a character: only ever the start of a pre-token
    r"|(?<=\S[ \t])[ \t]*+\n)"  # after a line, when the next is indented and not empty
    rf"|[0-9](?=[{_LETTER}{_MARK}'])"  # before a digit that follows a letter or a mark
    rf"|[{_MARK}](?=[^\W_])"  # before a mark that follows a letter or a digit
    r"|'(?<=\W')(?=[^\W_])"  # the same for an apostrophe that cannot be a contraction's ("it's" is one)
)
"""A boundary: a place where pre-tokens of o200k_base and cl100k_base part, whatever else stands around it.
For text read backwards, where the first found is the last there is."""

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
        found = find(vocabulary, path)
        if found.ranks is None:
            reasons = "; ".join(found.skipped + found.absent)
            return _estimated(f"no usable file of {name}" + (f": {reasons}" if reasons else ""))
        encode = _encoder(vocabulary, found.ranks)
    except Exception as fault:  # noqa: BLE001 - a broken tiktoken must not cost more than exactness
        return _estimated(f"{name} could not be loaded ({type(fault).__name__})")
    return LoadedWeigher(Weigher(name, lambda text: weigh(encode, text)), _passed_over(found))


def _estimated(reason: str) -> LoadedWeigher:
    return LoadedWeigher(Weigher(ESTIMATE, estimate), f"weights are estimated: {reason}")


def _passed_over(found: VocabularySearch) -> str | None:
    return "passed over: " + "; ".join(found.skipped) if found.skipped else None


def _encoder(vocabulary: Vocabulary, ranks: dict[bytes, int]) -> Encode:
    """tiktoken's `encode_ordinary` over these ranks. Empties `ranks`: 30 MB that tiktoken has a copy of."""
    from tiktoken import Encoding

    encoding = Encoding(vocabulary.name, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()
    return encoding.encode_ordinary


def weigh(encode: Encode, text: str) -> int:
    """The weight of any text in tokens. Of equal pieces in a row (a run of one letter) one is encoded."""
    total = weight = 0
    last = None
    for piece in pieces(text):
        if piece != last:
            last, weight = piece, _weigh_piece(encode, piece)
        total += weight
    return total


def _weigh_piece(encode: Encode, piece: str) -> int:
    try:
        return len(encode(piece))
    except BaseException as fault:
        if type(fault).__name__ != "PanicException":  # pyo3's: no Exception, and no module exports it
            raise
        return estimate(piece)


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of at most PIECE_CHARACTERS that part at boundaries, or where there is none, in slices.

    Joined they are the text. None holds a stretch without a boundary longer than SLICE_CHARACTERS.
    """
    start = at = 0
    plain = ""  # the last slice: in a run, what follows is the same and needs no search
    while len(text) - at > SLICE_CHARACTERS:
        boundary = None if plain and text.startswith(plain, at) else last_boundary(text, at)
        if boundary is not None:
            at = boundary
            if at - start > PIECE_CHARACTERS - SLICE_CHARACTERS:
                yield text[start:at]
                start = at
            continue
        if at > start:
            yield text[start:at]
        start = at + SLICE_CHARACTERS
        plain = text[at:start]
        yield plain
        at = start
    if start < len(text):
        yield text[start:]


def last_boundary(text: str, at: int, reach: int = SLICE_CHARACTERS) -> int | None:
    """The last boundary in the `reach` characters after `at`, None where there is none."""
    backwards = text[at : at + reach + 1][::-1]  # and one more, a boundary is between two
    found = _BOUNDARY_BACKWARDS.search(backwards)
    if found is None:
        return None
    # The cut is after a "\n" and before all else; backwards that is its start and the others' end.
    return at + len(backwards) - found.end() + found[0].endswith("\n")
