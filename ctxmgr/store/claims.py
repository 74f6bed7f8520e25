"""What a machine remembers of its own claims on a session: the words by which it owned it, in a file beside the
snapshot (NAME.jsonl.claims), so that what was killed here goes on here at once.

A word is written down before it is used: of a claim whose answer was lost it is known even so. It holds no
conversation, and leaves with the session.
"""

import contextlib
import os
import secrets
from pathlib import Path

import msgspec

KEPT = 16  # words: older ones stand in no head, or their session is waited for
WORD_BYTES = 12  # random: no two claims meet

_decode = msgspec.json.Decoder(tuple[str, ...]).decode


class Claims:
    def __init__(self, snapshot: Path) -> None:
        self._path = snapshot.with_name(f"{snapshot.name}.claims")

    def ours(self) -> frozenset[str]:
        try:
            return frozenset(_decode(self._path.read_bytes()))
        except (OSError, msgspec.MsgspecError):
            return frozenset()

    def new(self) -> str:
        """A new word, written down. Where the disk does not take it a later start waits for the lease: no harm."""
        word = secrets.token_hex(WORD_BYTES)
        try:
            kept = _decode(self._path.read_bytes())
        except (OSError, msgspec.MsgspecError):
            kept = ()
        temporary = self._path.with_name(f"{self._path.name}.tmp")
        with contextlib.suppress(OSError):
            made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                os.write(made, msgspec.json.encode((*kept, word)[-KEPT:]))
            finally:
                os.close(made)
            os.replace(temporary, self._path)
        return word
