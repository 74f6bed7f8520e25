"""A conversation's part in the holdout: its session's arm, and the row of each of its calls.

1. The session is what the program names, with its sub-agents; of a program that names nothing, the conversation.
2. One that is held out passes untouched, whatever ctxmgr would do; its session in ctxmgr has pruning switched off,
   so that nothing is decided there. One that was held out by an earlier proxy, and is not any more, has it
   switched on.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from ctxmgr.formats import FORMATS
from ctxmgr.holdout import Arm, HoldoutCall, HoldoutCalls, digest
from ctxmgr.proxy.account import BilledCall
from ctxmgr.proxy.apis import ListCall

if TYPE_CHECKING:
    from ctxmgr.proxy.list_events import ListEvents  # which a proxy without a holdout does not wait for


class Enrolment:
    """Of one conversation."""

    def __init__(self, calls: HoldoutCalls, session_id: str, key: str, arm: Arm) -> None:
        self.arm = arm
        self._calls, self._session, self._conversation = calls, digest(session_id), digest(key)
        self._events: ListEvents | None = None
        self._lock = Lock()  # large lists are noted in threads

    def note(
        self,
        at_ms: int,
        call: ListCall,
        given: Sequence[bytes],
        billed: BilledCall | None,
        prices_of: str,
        error: bool,
    ) -> None:
        """Adds the row of a call. `given`: its list; `billed`: None where the provider told no count."""
        with self._lock:
            if self._events is None:
                from ctxmgr.proxy.list_events import ListEvents

                self._events = ListEvents(FORMATS[call.format])
            rereads, corrections = self._events.since(given)
            usage = billed.usage if billed is not None else {}
            row = HoldoutCall(
                at_ms,
                self.arm,
                self._session,
                self._conversation,
                call.speaker.program,
                call.model,
                self._calls.count(self._conversation) + 1,
                usage.get("input"),
                usage.get("cacheRead"),
                usage.get("cacheWrite"),
                usage.get("output"),
                billed.dollars if billed is not None else None,
                prices_of,
                error,
                call.kind == "compaction",
                rereads,
                corrections,
            )
            self._calls.note(row)
