"""Turns a previous summary into what is carried on of it: without what is put back once at the end."""

import msgspec

from ctxmgr.engine.compaction import files
from ctxmgr.engine.memory import CONTINUE_LEAD, without_scratchpad
from ctxmgr.summarize.prompts import handoff
from ctxmgr.summarize.request import recent_turns, turn_context


class PreviousSummary(msgspec.Struct, frozen=True):
    """A previous summary without its file lists and the line of its format, whole and in parts; "" without one.

    `before` is what stands before a cut turn's context, `context` that. `history` is `before` without its notes on
    the turns that were newest then, `notes` those.
    """

    whole: str = ""
    before: str = ""
    history: str = ""
    notes: str = ""
    context: str = ""


def past(previous: str | None) -> PreviousSummary:
    """Take a previous summary apart."""
    whole = without_scratchpad(files.without_lists(previous or "")).strip()
    for line in (handoff.PREFIX, CONTINUE_LEAD):
        whole = whole.removeprefix(line).lstrip()
    before, context = turn_context.parted(whole)
    history, notes = recent_turns.parted(before)
    return PreviousSummary(whole, before.strip(), history.strip(), notes, context)
