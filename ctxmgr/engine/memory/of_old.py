"""Tells facts of a snapshot of release 0.2 that were sorted by the wording of sentences, and are told no more.

What it has of requests, files, commits, summaries and tools' tasks is as it is now.
"""

from ctxmgr.model.saved import Fact

_SORTED = frozenset((("decision", "assistant"), ("decision", "user"), ("constraint", "user")))
_SLOTS = frozenset(("finding", "next"))


def of_old(fact: Fact) -> bool:
    """Is it one of those? Questions in prose were known by a digest alone, a checklist in prose by a summary's."""
    if fact.slot == "question":
        return "\n" not in fact.key
    checklist = fact.slot == "task" and fact.source == "assistant" and fact.listing == "summary"
    return checklist or fact.slot in _SLOTS or (fact.slot, fact.source) in _SORTED
