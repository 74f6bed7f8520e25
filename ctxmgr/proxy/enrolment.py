"""A conversation's part in the holdout: the arm of its session, and the row of each of its calls.

1. The session is what the program names, with its sub-agents; for a program that names nothing, the conversation.
2. A session that is held out passes unchanged, whatever ctxmgr would do. Pruning is switched off in its ctxmgr
   session, so that nothing is decided there, and switched on again if the session is no longer held out.
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
    from ctxmgr.proxy.list_events import ListEvents  # not loaded without a holdout


class Enrolment:
    """The enrolment of one conversation."""

    def __init__(self, calls: HoldoutCalls, session_id: str, key: str, arm: Arm) -> None:
        self.arm = arm
        self._calls, self._session, self._conversation = calls, digest(session_id), digest(key)
        self._events: ListEvents | None = None
        self._lock = Lock()  # large lists are recorded in threads

    def note(
        self,
        at_ms: int,
        call: ListCall,
        given: Sequence[bytes],
        billed: BilledCall | None,
        prices_of: str,
        error: bool,
    ) -> None:
        """Adds the row of a call. `given`: its list; `billed`: None if the provider sent no count."""
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
