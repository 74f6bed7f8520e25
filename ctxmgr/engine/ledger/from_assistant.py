"""Turns an assistant's text into facts: what it decided, found and announced, and tasks from its checklists.

What its sentences state is read in `findings`. Its checklists join the listing of the compaction summaries: a newer
summary closes what it does not list. Of what was announced the newest counts.
"""

from ctxmgr.engine.findings import announced, statements
from ctxmgr.engine.ledger.from_summary import SUMMARY_LISTING
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.ledger.values import values_of_words
from ctxmgr.engine.text import checklists, key_of
from ctxmgr.model.saved import ASIDE


def from_assistant(text: str, into: Statements) -> None:
    """Add the facts of one assistant text; fenced code and quoted lines are not its own words."""
    for one in statements(text):
        into.add(one.kind, key_of(one.text), one.text, "assistant", detail=ASIDE if one.aside else "")
    if step := announced(text):
        into.add("next", "", step, "assistant")
    values_of_words(text, into)
    for task in checklists.items(text):
        into.items_of(SUMMARY_LISTING).add("task", key_of(task.text), task.text, "assistant", task.status)
