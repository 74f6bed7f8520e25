"""Bounds what sessions hold of their lists, by bytes over all sessions; those not used for longest give way.

1. A list's bytes lie joined, to be compared and sent without a copy. Beyond `JOINED_BYTES` they lie with the
   messages alone, and are joined again when the session's next list comes (2 ms for 8 MB).
2. Beyond `READ_BYTES` the whole list leaves: the session goes on as after a restart.
3. What is under way is never touched, nor the list that was used last.
"""

from collections.abc import Mapping

from ctxmgr.server.session_queue import SessionQueue
from ctxmgr.session.context import RawMessages

JOINED_BYTES = 24 << 20
READ_BYTES = 48 << 20  # of JSON; what is read of it takes 1.5 times as much


class ListMemory:
    def __init__(self, by_session: Mapping[str, SessionQueue]) -> None:
        self._by_session = by_session
        self._joined, self._read = RecentlyUsed(JOINED_BYTES), RecentlyUsed(READ_BYTES)

    def used(self, queue: SessionQueue) -> None:
        """This session has just been asked for its list."""
        size = queue.raw_messages.size
        for id in self._joined.used(queue.session_id, size):
            if (other := self._at_rest(id)) is not None and other.session is not None:
                other.raw_messages.part([message.raw for message in other.session.projection.messages])
        for id in self._read.used(queue.session_id, size):
            if (other := self._at_rest(id)) is not None and other.session is not None:
                other.session.let_go()
                other.raw_messages = RawMessages()

    def ended(self, session_id: str) -> None:
        self._joined.forget(session_id)
        self._read.forget(session_id)

    def _at_rest(self, session_id: str) -> SessionQueue | None:
        queue = self._by_session.get(session_id)
        return queue if queue is not None and queue.busy is None else None


class RecentlyUsed:
    """Names and their bytes, by their last use."""

    def __init__(self, limit: int) -> None:
        self._limit, self._total = limit, 0
        self._sizes: dict[str, int] = {}

    def used(self, name: str, size: int) -> list[str]:
        """Those that have to leave for it, which are forgotten here."""
        self.forget(name)
        self._sizes[name] = size
        self._total += size
        leaving = []
        for oldest in list(self._sizes) if self._total > self._limit else ():
            if self._total <= self._limit or oldest == name:
                break
            self.forget(oldest)
            leaving.append(oldest)
        return leaving

    def forget(self, name: str) -> None:
        self._total -= self._sizes.pop(name, 0)
