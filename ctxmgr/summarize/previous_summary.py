"""Turns a previous summary into what is carried on of it. Joins the summary of a history and that of a cut turn's
first part, and takes such a text apart.

The mark between those two is pi's, and the ledger knows it. A summary holds it at most once.
"""

import re

import msgspec

from ctxmgr.engine.compaction import files
from ctxmgr.engine.memory import CONTINUE_LEAD, HANDOFF_LEAD, outside_fences, without_scratchpad
from ctxmgr.summarize.recent_turns import without_recent_turns

TURN_MARK = "**Turn Context (split turn):**"

_MARK_LINE = re.compile(r"\s*(?:#{1,6}\s+)?\*{0,2}turn context \(split turn\):?\*{0,2}:?\s*", re.IGNORECASE)
_RULE = re.compile(r"\s*-{3,}\s*")


def with_turn_context(history: str, context: str) -> str:
    """One summary of both; a history with nothing in it is left out."""
    return f"{history}\n\n---\n\n{TURN_MARK}\n\n{context}" if history else f"{TURN_MARK}\n\n{context}"


def without_turn_context(summary: str) -> tuple[str, str]:
    """The summary of the history, and that of the cut turn, "" where there is none. Later marks are dropped."""
    lines = list(outside_fences(summary))
    for number, (line, outside) in enumerate(lines):
        if outside and _MARK_LINE.fullmatch(line):
            before = [line for line, _ in lines[:number]]
            return _without_rule(before), without_turn_mark(
                "\n".join(line for line, _ in lines[number + 1 :])
            ).strip()
    return summary, ""


def without_turn_mark(text: str) -> str:
    """The text with what stands under the mark, but neither the mark nor the rule before it."""
    kept: list[str] = []
    for line, outside in outside_fences(text):
        if outside and _MARK_LINE.fullmatch(line):
            kept = [_without_rule(kept), ""]
        else:
            kept.append(line)
    return "\n".join(kept)


def _without_rule(lines: list[str]) -> str:
    kept = "\n".join(lines).rstrip().splitlines()
    while kept and _RULE.fullmatch(kept[-1]):
        kept = "\n".join(kept[:-1]).rstrip().splitlines()
    return "\n".join(kept)


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


def previous_parts(previous: str | None) -> PreviousSummary:
    """Take a previous summary apart."""
    whole = without_scratchpad(files.without_lists(previous or "")).strip()
    for line in (HANDOFF_LEAD, CONTINUE_LEAD):
        whole = whole.removeprefix(line).lstrip()
    before, context = without_turn_context(whole)
    history, notes = without_recent_turns(before)
    return PreviousSummary(whole, before.strip(), history.strip(), notes, context)
