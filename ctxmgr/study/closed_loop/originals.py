"""Turns a recorded conversation into where each reference can be fetched from, call by call.

The original of a reference is the newest tool result that had it, else the newest message that did: a file is read
again, not the call that once wrote of it.
"""

from collections.abc import Iterable

from ctxmgr.study.closed_loop.references import Occurrences, Reference
from ctxmgr.study.hosts import HostMessage

RESULT = "toolResult"  # the role of a tool's answer in pi's format


class Originals:
    """The conversation so far; messages are told by their bytes."""

    def __init__(self, occurrences: Occurrences) -> None:
        self._occurrences = occurrences
        self._results: dict[Reference, bytes] = {}
        self._others: dict[Reference, bytes] = {}

    def add(self, came: Iterable[HostMessage]) -> None:
        """What came since, oldest first."""
        for one in came:
            newest = self._results if one.role == RESULT else self._others
            newest.update(dict.fromkeys(self._occurrences.within(one.raw), one.raw))

    def __contains__(self, reference: Reference) -> bool:
        """Whether the conversation had it."""
        return reference in self._results or reference in self._others

    def of(self, reference: Reference) -> bytes:
        """The message to fetch. KeyError where the conversation never had it."""
        found = self._results.get(reference)
        return self._others[reference] if found is None else found
