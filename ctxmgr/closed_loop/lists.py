"""Turns what a model was shown, call by call, into the lists it would have read: with what it had to fetch again.

Rules:

1. What came back stands right before the reply that needed it.
2. It stands until that reply, or every tool result of it, is no longer shown as it came. A reply without a result
   stands for itself alone. Once gone, it does not return; a later need fetches it again.
3. A reference is visible in a shown message, rewritten or put in ones by the text that they have, and in what
   stands.
"""

from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.closed_loop.originals import Holders
from ctxmgr.closed_loop.references import Reference
from ctxmgr.model import Message

Key = tuple[str, bytes]  # of a message of the conversation: what tells it from one with the same bytes, and those


class KeyedMessage(msgspec.Struct, frozen=True):
    """One message of the conversation."""

    key: Key
    message: Message


class ListMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a list that was sent. `key`: of the message that it is, as it came; None where it was
    rewritten, or put in the place of others."""

    raw: bytes
    key: Key | None


class Fetched(msgspec.Struct, frozen=True, eq=False):
    """One original that came back: its weight with the call that asked for it, in `tokens`.

    `reply`: the message that needed it. Two are never the same, however alike.
    """

    reply: Key
    tokens: int
    original: bytes


Element = ListMessage | Fetched


class LoopLists:
    """The list at a call, as the session goes on."""

    def __init__(self, holders: Holders) -> None:
        self._holders = holders
        self._results: dict[Key, list[Key]] = {}  # by reply
        self._callers: dict[str, Key] = {}  # call id to reply; ids come again: the newest is meant
        self._replies: dict[Key, Key] = {}  # messages that are one reply, to the first of them
        self._standing: list[Fetched] = []
        self._visible: set[bytes] = set()

    def add(self, came: Iterable[KeyedMessage]) -> None:
        """What came to the conversation since: says which results are of which reply."""
        for one in came:
            reply = self._replies.get(one.key, one.key)
            for block in one.message.view.blocks:
                if block.kind == "result" and block.call_id in self._callers:
                    self._results[self._callers[block.call_id]].append(one.key)
                elif block.kind == "call":
                    self._results.setdefault(reply, [])
                    self._callers[block.call_id] = reply

    def replied(self, reply: Sequence[KeyedMessage]) -> None:
        """These messages are one reply."""
        self._replies.update((one.key, reply[0].key) for one in reply[1:])

    def at(self, shown: Sequence[ListMessage]) -> list[Element]:
        """The list of this call, before anything is fetched for it."""
        for one in shown:
            self._holders.add(one.raw)
        places = {one.key: place for place, one in enumerate(shown) if one.key is not None}
        self._standing = [one for one in self._standing if self._stands(one, places)]
        self._visible = {one.raw for one in shown} | {one.original for one in self._standing}
        out: list[Element] = []
        start = 0
        for fetched in sorted(self._standing, key=lambda one: places[one.reply]):  # stable: in the order they came
            place = places[fetched.reply]
            out += shown[start:place]
            out.append(fetched)
            start = place
        return [*out, *shown[start:]]

    def missing(self, wanted: Iterable[Reference]) -> list[Reference]:
        """Those not visible in the list of this call, in their order."""
        return [one for one in wanted if self._holders.of(one.text).isdisjoint(self._visible)]

    def fetch(self, original: bytes, tokens: int, reply: Key) -> Fetched:
        """What came back of one re-fetch; it stands from the next call on."""
        one = Fetched(reply, tokens, original)
        self._standing.append(one)
        return one

    def _stands(self, one: Fetched, places: dict[Key, int]) -> bool:
        results = self._results.get(one.reply)
        return one.reply in places and (not results or any(result in places for result in results))
