"""The params and answers of the model's own notes."""

from typing import Annotated

import msgspec

from ctxmgr.model.api.lifecycle import Count, Wire


class StrReplace(Wire, frozen=True, tag_field="op", tag="str_replace"):
    """The one place where `oldText` stands becomes `newText`."""

    old_text: Annotated[str, msgspec.Meta(min_length=1)]
    new_text: str


class Insert(Wire, frozen=True, tag_field="op", tag="insert"):
    """`text` after line `line`, counted from 1; 0 is before the first line, absent is at the end."""

    text: str
    line: Count | None = None


class Overwrite(Wire, frozen=True, tag_field="op", tag="overwrite"):
    """The whole text anew."""

    text: str


ScratchpadOperation = StrReplace | Insert | Overwrite


class EditScratchpadParams(Wire, frozen=True):
    """Applied in order, all or none."""

    session_id: str
    operations: list[ScratchpadOperation]


class ScratchpadResult(Wire, frozen=True, omit_defaults=False):
    """The model's own notes; `tokens` is their weight."""

    text: str
    tokens: int
    seq: int
