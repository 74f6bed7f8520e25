"""Measures what a model would have had to fetch again if it had been sent ctxmgr's lists, for a program in observe
mode.

1. It is the closed-loop cost of the lists that were not sent (`ctxmgr.closed_loop`), as in a replay.
2. The reply to a list is known with the next list that continues it. A repeated list shows no reply. After a rewind
   or compaction everything starts anew, because ctxmgr did not remove what the program's own list lacks as well.
3. Lists are examined one after another in a thread, after their answer has passed: no call waits for it. At most
   MOST_REFERENCES of a reply are looked up.
4. After an exception, that conversation is not measured any more.
"""

import asyncio
from concurrent.futures import Executor
from itertools import takewhile

import msgspec

from ctxmgr.closed_loop import (
    EstimatingReader,
    KeyedMessage,
    ListMessage,
    LoopCall,
    LoopMeter,
    MeasuredCall,
    MessageCache,
    PriceSheet,
)
from ctxmgr.formats import FORMATS
from ctxmgr.proxy.apis import ProviderApi

MOST_REFERENCES = 500


class ObservedCall(msgspec.Struct, frozen=True):
    """One call. `bare`: the program's list as ctxmgr got it; `messages` and `places`: the list that was not sent,
    and the place of each message in the program's list, None for messages of ctxmgr.
    """

    bare: tuple[bytes, ...]
    messages: tuple[bytes, ...]
    places: tuple[int | None, ...]
    sheet: PriceSheet


class Observer:
    """Measures one conversation."""

    def __init__(self, api: ProviderApi) -> None:
        self._api, self._is_faulty = api, False
        self._messages = MessageCache(EstimatingReader(FORMATS[api.format]))
        self._last: ObservedCall | None = None
        self._begin()

    async def refetched(self, now: ObservedCall, thread: Executor) -> LoopCall | None:
        """Runs `follow` in this thread. Never fails (rules 3 and 4)."""
        if self._is_faulty:
            return None
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, self.follow, now)
        except Exception:  # noqa: BLE001  what is measured is never worth a call
            self._is_faulty = True
            return None

    def follow(self, now: ObservedCall) -> LoopCall | None:
        """What the call before this one would have fetched again; None if its reply is unknown (rule 2)."""
        last, self._last = self._last, now
        if last is None:
            return None
        if now.bare[: len(last.bare)] != last.bare:
            self._begin()
            return None
        since = now.bare[len(last.bare) :]
        replies = sum(1 for _ in takewhile(lambda raw: self._api.part_of(raw) == "reply", since))
        if not replies:
            return None
        reply = tuple(map(self._keyed, since[:replies]))
        return self._meter.call(MeasuredCall(tuple(self._new(last)), self._projected(last), reply), last.sheet)

    def _begin(self) -> None:
        self._meter = LoopMeter(self._messages, MOST_REFERENCES)
        self._conversation: set[bytes] = set()

    def _new(self, call: ObservedCall) -> list[KeyedMessage]:
        """The messages of the conversation that are new since the call before."""
        came = [
            raw for raw in dict.fromkeys(call.bare) if raw not in self._conversation and not self._is_summary(raw)
        ]
        self._conversation.update(came)
        return [self._keyed(raw) for raw in came]

    def _projected(self, call: ObservedCall) -> tuple[ListMessage, ...]:
        shown = []
        for raw, index in zip(call.messages, call.places, strict=True):
            own = raw if index is None else call.bare[index]
            is_own = index is not None and not self._is_summary(own)
            shown.append(ListMessage(own, ("", own) if is_own else None))
        return tuple(shown)

    def _keyed(self, raw: bytes) -> KeyedMessage:
        return KeyedMessage(("", raw), self._messages.message(raw))

    def _is_summary(self, raw: bytes) -> bool:
        """Whether it is the summary of what the program compacted."""
        return self._messages.message(raw).view.summary == "compaction"
