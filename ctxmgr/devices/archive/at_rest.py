"""Turns rows that left into what is kept of them: secrets are blotted out, unless the policy keeps them; pure.

A text keeps its length, so that the places in it that a marker or a hit told are the same, and a blot is a
character that no other text has: `masking.legible` makes `[masked]` of it where it is read.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.masking import masked
from ctxmgr.model import Archive as Limits
from ctxmgr.model import ArchiveRow


def at_rest(rows: Sequence[ArchiveRow], limits: Limits) -> tuple[ArchiveRow, ...]:
    return tuple(rows) if limits.keep_secrets else tuple(map(_masked, rows))


def _masked(row: ArchiveRow) -> ArchiveRow:
    call, text = masked(row.call_text), masked(row.text)
    if call == row.call_text and text == row.text:
        return row
    return msgspec.structs.replace(row, call_text=call, text=text)
