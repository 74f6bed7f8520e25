"""A conversation's part in the holdout: the arm of its session, and the row of each of its calls.

1. The session is what the program names, with its sub-agents; for a program that names nothing, the conversation.
2. A session that is held out passes unchanged, whatever ctxmgr would do. Pruning is switched off in its ctxmgr
   session, so that nothing is decided there, and switched on again if the session is no longer held out.

`ListEvents` counts events in the tool calls of a conversation's lists: files that were read again, and calls that
the user rejected with words.

3. Each message is examined once, even if the program rewrites its list.
4. Everything in the first list is older than the observation.
5. Reading a file after it was changed is not reading it again.
"""

from collections.abc import Sequence
from threading import Lock

from ctxmgr.engine import tools
from ctxmgr.formats import FORMATS, MessageFormat
from ctxmgr.holdout import Arm, HoldoutCall, HoldoutCalls, digest
from ctxmgr.model import Block
from ctxmgr.proxy.account import BilledCall
from ctxmgr.proxy.apis import ListCall
from ctxmgr.proxy.body import shared_count


class ListEvents:
    """Counts events in the lists of one conversation."""

    def __init__(self, fmt: MessageFormat) -> None:
        self._format = fmt
        self._bare: tuple[bytes, ...] = ()
        self._seen: set[int] = set()  # hashes of messages
        self._calls: dict[str, Block] = {}  # by id
        self._read: set[str] = set()  # paths

    def since(self, bare: Sequence[bytes]) -> tuple[int, int]:
        """Returns (files read again, calls that the user rejected with words) in what is new in this list."""
        is_first, shared = not self._seen, shared_count(self._bare, bare)
        new = [raw for raw in bare[shared:] if shared == len(self._bare) or hash(raw) not in self._seen]
        self._bare = tuple(bare)
        self._seen.update(map(hash, new))
        found = [self._event(block) for raw in new for block in self._format.view(raw).blocks]
        return (0, 0) if is_first else (sum(one for one, _ in found), sum(other for _, other in found))

    def _event(self, block: Block) -> tuple[int, int]:
        if block.kind == "result":
            call = self._calls.pop(block.call_id, None)
            return 0, int(call is not None and tools.rejection(block, call) is not None)
        called = tools.call_of_block(block)
        if called is None:
            return 0, 0
        self._calls[block.call_id] = block
        return self._rereads(called), 0

    def _rereads(self, called: tools.ToolCall) -> int:
        again = sum(path in self._read for path in called.read_paths)
        self._read.update(called.read_paths)
        if called.changes:
            self._read.difference_update(effect.path for effect in called.effects if effect.kind != "read")
        return again


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
        bare: Sequence[bytes],
        billed: BilledCall | None,
        prices_of: str,
        error: bool,
    ) -> None:
        """Adds the row of a call. `bare`: its list; `billed`: None if the provider sent no count."""
        with self._lock:
            if self._events is None:
                self._events = ListEvents(FORMATS[call.format])
            rereads, corrections = self._events.since(bare)
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
