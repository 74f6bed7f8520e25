"""Counts events in the tool calls of a conversation's lists: files that were read again, and calls that the user
rejected with words.

1. Each message is examined once, even if the program rewrites its list.
2. Everything in the first list is older than the observation.
3. Reading a file after it was changed is not reading it again.
"""

from collections.abc import Sequence

from ctxmgr.engine import tools
from ctxmgr.formats import MessageFormat
from ctxmgr.model import Block
from ctxmgr.proxy.body import shared_count


class ListEvents:
    """Counts events in the lists of one conversation."""

    def __init__(self, fmt: MessageFormat) -> None:
        self._format = fmt
        self._given: tuple[bytes, ...] = ()
        self._seen: set[int] = set()  # hashes of messages
        self._calls: dict[str, Block] = {}  # by id
        self._read: set[str] = set()  # paths

    def since(self, given: Sequence[bytes]) -> tuple[int, int]:
        """Returns (files read again, calls that the user rejected with words) in what is new in this list."""
        is_first, shared = not self._seen, shared_count(self._given, given)
        new = [raw for raw in given[shared:] if shared == len(self._given) or hash(raw) not in self._seen]
        self._given = tuple(given)
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
