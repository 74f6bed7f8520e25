"""Turns a row and its summary into a Markdown file, and a file back into the row, if it is whole.

1. A file is written under another name and renamed when it is done, readable by its owner alone: it holds
   conversation.
2. Its first line has the figures as JSON and the digest of all that follows. A file that was cut off, or changed
   by hand, does not count.
3. The name has the start of the fingerprint: what was written with other settings is not overwritten.
"""

import os
import re
from hashlib import sha256
from pathlib import Path

import msgspec

from ctxmgr.model.compaction import Format, Strategy
from ctxmgr.study.compare.rows import SummaryRow

STEM_BYTES = 120  # of the recording's name: file names end at 255 bytes, and half of them are ours
MARK_CHARACTERS = 8  # of the fingerprint in a name
_OPENING, _CLOSING = "<!-- ctxmgr compare ", " -->"
_ODD = re.compile(r"[^\w.+-]+")


class _Head(msgspec.Struct, frozen=True):
    row: SummaryRow
    digest: str


def file_name(recording: str, strategy: Strategy, format: Format, fingerprint: str, chain: int | None) -> str:
    stem = _ODD.sub("-", Path(recording).stem).encode()[:STEM_BYTES].decode("utf-8", "ignore")
    kind = "" if chain is None else f".chain-{chain}"
    return f"{stem}.{strategy}.{format}{kind}.{fingerprint[:MARK_CHARACTERS]}.md"


def text_of(row: SummaryRow, head: str, summary: str) -> str:
    """The file's whole text; `head` is what people read above the summary, as Markdown."""
    body = f"{head}\n\n---\n\n{summary or '(nothing was compacted)'}\n"
    figures = msgspec.json.encode(_Head(row, _digest(body))).decode()
    figures = figures.replace("<", "\\u003c").replace(">", "\\u003e")  # nothing in it may end the comment
    return f"{_OPENING}{figures}{_CLOSING}\n{body}"


def written(folder: Path, name: str, text: str) -> None:
    """Rule 1. Raises OSError."""
    target, half = folder / name, folder / f".{name}.{os.getpid()}.half"
    try:
        half.unlink(missing_ok=True)
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, target)
    finally:
        half.unlink(missing_ok=True)


def finished(path: Path, fingerprint: str) -> SummaryRow | None:
    """The row in a file that is whole and was written with these settings; None for any other (rule 2)."""
    try:
        first, end, body = path.read_bytes().decode().partition("\n")
        figures = first.removeprefix(_OPENING).removesuffix(_CLOSING)
        head = msgspec.json.decode(figures, type=_Head)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return None
    if not end or head.digest != _digest(body) or head.row.fingerprint != fingerprint:
        return None
    return None if head.row.again or head.row.failures else head.row


def _digest(body: str) -> str:
    return sha256(body.encode("utf-8", "replace")).hexdigest()
