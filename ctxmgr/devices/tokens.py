"""Counts the tokens of text with tiktoken and a vocabulary file on this machine; no network, no faults.

1. Special tokens in a text count as plain text: it is conversation, not a prompt under construction.
2. Any str has a count. An unpaired surrogate counts as U+FFFD, and what tiktoken refuses is estimated (it panics at
   999,999 white-space characters in a row).

Only `load` imports tiktoken, so a start does not wait for it. Counts are not cached here. Vocabularies:

3. Nothing is downloaded. tiktoken's own `get_encoding` fetches without a timeout and deletes a cached file whose
   hash is wrong, so it is never called.
4. A file is accepted only if its SHA-256 is the one tiktoken expects: no count may depend on whose file it is.
5. A file that is not accepted is skipped and reported. It is not changed or deleted, since it may belong to others.
6. Search order: the policy's path, `TIKTOKEN_CACHE_DIR`, the copy in this package.

A file in the original form has one line per token: base64, a space, the rank. The copy in this package is packed:
zlib over a count (4 bytes, big endian), one length byte per token, and the tokens' bytes in the order of their
ranks, which are dense from 0. zlib rather than xz: 180 kB more, but 40 ms less on each start, and every Python has
it.
"""

import hashlib
import os
import zlib
from binascii import a2b_base64
from collections.abc import Callable, Sized
from itertools import accumulate
from pathlib import Path

import msgspec

from ctxmgr.model import ESTIMATE, Weigh, estimate

PACKAGED = Path(__file__).resolve().parent.parent / "data"
FILE_BYTES = 16 * 2**20
"""Most that is read of a candidate, bytes: the largest known vocabulary (o200k_base) has 3.6 million."""

COUNT_BYTES = 4


class Vocabulary(msgspec.Struct, frozen=True):
    """A vocabulary; the data is from `tiktoken_ext/openai_public.py` (0.14).

    `sha256` is of the original file. `cached_as` is the file's name in a tiktoken cache: the SHA-1 of the download
    address. `pattern` cuts text into pre-tokens. `packed_sha256` is of the packed form before zlib (zlib's output
    differs between its versions), "" if this package has no copy.
    """

    name: str
    sha256: str
    cached_as: str
    pattern: str
    packed_sha256: str = ""


_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

O200K_BASE = Vocabulary(
    name="o200k_base",
    sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    cached_as="fb374d419588a4632f3f557e76b4b70aebbca790",
    pattern="|".join(
        (
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _SUFFIX,
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _SUFFIX,
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    packed_sha256="2f451f31d7403017d0b0dc6319ded23a09f33f573b1635c001fc6b91a1c21302",
)

CL100K_BASE = Vocabulary(
    name="cl100k_base",
    sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    cached_as="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    pattern="|".join(
        (
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        )
    ),
)

VOCABULARIES = {vocabulary.name: vocabulary for vocabulary in (O200K_BASE, CL100K_BASE)}


class VocabularySearch(msgspec.Struct, frozen=True):
    """The result of a search: the ranks by token bytes, or None if no place had them.

    `skipped` has a line for each file that was not accepted, and for a policy's path that does not exist. `absent`
    has one for each other place without a file.
    """

    ranks: dict[bytes, int] | None
    skipped: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


class UnusableError(Exception):
    """A candidate is not accepted. The text says why, in words that follow its path."""


def find(vocabulary: Vocabulary, path: str | None = None) -> VocabularySearch:
    """The ranks from the first place that has the right file. Blocks for about 0.1 s, never raises."""
    skipped: list[str] = []
    absent: list[str] = []
    cache = os.environ.get("TIKTOKEN_CACHE_DIR", "")
    cached = Path(cache, vocabulary.cached_as) if cache else None
    candidates: list[str | Path] = [candidate for candidate in (path, cached) if candidate]
    for candidate in candidates:
        try:
            return VocabularySearch(parse(read_original(Path(candidate), vocabulary)), tuple(skipped))
        except UnusableError as fault:
            is_absent = candidate is cached and not os.path.lexists(candidate)
            (absent if is_absent else skipped).append(f"{candidate} {fault}")
    if vocabulary.packed_sha256:
        packaged = PACKAGED / packed_name(vocabulary)
        try:
            return VocabularySearch(unpack(read_packed(packaged, vocabulary)), tuple(skipped), tuple(absent))
        except UnusableError as fault:
            skipped.append(f"{packaged} {fault}")
    return VocabularySearch(None, tuple(skipped), tuple(absent))


def packed_name(vocabulary: Vocabulary) -> str:
    """The packed file's name among the package's files."""
    return f"{vocabulary.name}.zlib"


def read_original(path: Path, vocabulary: Vocabulary) -> bytes:
    """The bytes of a file in the original form, checked. Raises UnusableError."""
    return check(_read(path), vocabulary.sha256)


def read_packed(path: Path, vocabulary: Vocabulary) -> bytes:
    """The bytes of a file in the packed form, decompressed and checked. Raises UnusableError.

    The hash is of the packed form. Hashing the original would need it rebuilt, which costs 100 ms;
    `scripts/vocabulary` and a test do that.
    """
    compressed = _read(path)
    try:
        packed = zlib.decompressobj().decompress(compressed, FILE_BYTES)
    except zlib.error:
        raise UnusableError("is not zlib") from None
    return check(packed, vocabulary.packed_sha256)


def check(content: bytes, sha256: str) -> bytes:
    """Returns `content` if it has that SHA-256. Raises UnusableError."""
    seen = hashlib.sha256(content).hexdigest()
    if seen != sha256:
        raise UnusableError(f"has another SHA-256 ({seen[:12]}..., wanted {sha256[:12]}...)")
    return content


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():  # a pipe or a device could block or never end
            raise UnusableError("is not a file" if path.exists() else "does not exist")
        with path.open("rb") as file:
            content = file.read(FILE_BYTES + 1)
    except OSError as fault:
        raise UnusableError(f"cannot be read: {fault.strerror}") from None
    if len(content) > FILE_BYTES:
        raise UnusableError("is too large to be a vocabulary")
    return content


def parse(original: bytes) -> dict[bytes, int]:
    """Ranks by token bytes, from the original form. The bytes have been checked: a fault in them is a bug."""
    words = original.split()
    return dict(zip(map(a2b_base64, words[0::2]), map(int, words[1::2]), strict=True))


def unpack(packed: bytes) -> dict[bytes, int]:
    """Ranks by token bytes, from the packed form (checked, as for `parse`)."""
    body = COUNT_BYTES + int.from_bytes(packed[:COUNT_BYTES], "big")
    lengths = packed[COUNT_BYTES:body]
    ends = accumulate(lengths, initial=body)
    next(ends)
    tokens = [packed[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    return dict(zip(tokens, range(len(tokens)), strict=True))


Encode = Callable[[str], Sized]


class Weigher(msgspec.Struct, frozen=True):
    """Counts the tokens of a text; `name` is the vocabulary's, or "estimate".

    Thread-safe. A vocabulary takes about 80 ms per million characters.
    """

    name: str
    weigh: Weigh

    def __call__(self, text: str) -> int:
        return self.weigh(text)


class LoadedWeigher(msgspec.Struct, frozen=True):
    """A counter, and in one line what a user should know: why it estimates, which files were skipped."""

    weigher: Weigher
    note: str | None = None


def load(name: str, path: str | None = None) -> LoadedWeigher:
    """The counter of that name. `path`: the policy's vocabulary file. Blocks for about 0.3 s, so call it in a
    thread.

    Never raises: any obstacle leads to the estimate and a note.
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
    passed_over = f"passed over: {'; '.join(search.skipped)}" if search.skipped else None
    return LoadedWeigher(Weigher(name, lambda text: weigh(encode, text)), passed_over)


def _estimated(reason: str) -> LoadedWeigher:
    return LoadedWeigher(Weigher(ESTIMATE, estimate), f"token counts are estimated: {reason}")


def _encoder(vocabulary: Vocabulary, ranks: dict[bytes, int]) -> Encode:
    """tiktoken's `encode_ordinary` over these ranks. Empties `ranks`: 30 MB that tiktoken has a copy of."""
    from tiktoken import Encoding

    encoding = Encoding(vocabulary.name, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()
    return encoding.encode_ordinary


def weigh(encode: Encode, text: str) -> int:
    """The number of tokens of any text."""
    try:
        return len(encode(text))
    except BaseException as fault:
        if type(fault).__name__ != "PanicException":  # pyo3's: no Exception, and no module exports it
            raise
        return estimate(text)
