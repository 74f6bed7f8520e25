"""The params and answers of the model's own notes."""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated

from msgspec import Meta

from ctxmgr.model.api.lifecycle import Count, Seq, SessionId, Wire


class StrReplace(Wire, frozen=True, tag_field="op", tag="str_replace"):
    """Replaces one text by another. The old one has to stand there exactly once."""

    old_text: Annotated[str, Meta(min_length=1, description="What is replaced.")]
    new_text: Annotated[str, Meta(description="What takes its place.")]


class Insert(Wire, frozen=True, tag_field="op", tag="insert"):
    """Puts a text in after a line."""

    text: Annotated[str, Meta(description="The text.")]
    line: Annotated[
        Count | None, Meta(description="The line, counted from 1; 0 is before the first, absent is at the end.")
    ] = None


class Overwrite(Wire, frozen=True, tag_field="op", tag="overwrite"):
    """Writes the notes anew."""

    text: Annotated[str, Meta(description="The whole text.")]


ScratchpadOperation = StrReplace | Insert | Overwrite


class EditScratchpadParams(Wire, frozen=True):
    """Edits of the model's own notes."""

    session_id: SessionId
    operations: Annotated[list[ScratchpadOperation], Meta(description="Applied in order, all or none.")]


class ScratchpadResult(Wire, frozen=True, omit_defaults=False):
    """The model's own notes."""

    text: Annotated[str, Meta(description="The text.")]
    tokens: Annotated[int, Meta(description="Its weight.")]
    seq: Seq
