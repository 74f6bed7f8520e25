"""One conversation of a program: its session in ctxmgr, its last list, and what the next list says.

1. Lists go to ctxmgr *bare*: without cache marks, and with a single text as a string, so that a list with moved
   marks continues the last one. Messages that stay are sent as the program spelled them.
2. The model's reply and its tools' results are known with the next list. Then `turn_end` is sent, once, with the
   provider's count. A repeated list says nothing.
3. If a list departs from the last one before its end, and neither has a summary nor asks for one, the conversation
   was rewound or edited: the session moves in its tree, so that facts that only the abandoned branch states are
   dropped.
4. Only an answer to `context` is awaited, and for a refusal whether ctxmgr received it. Notifications go before it,
   and are kept until ctxmgr receives them, even if the program disconnects meanwhile.
5. Without an answer from ctxmgr, the last answer plus the newer messages is sent: it fits, while the program's own
   list may have been too long for some time. If the list does not continue the last one, the program's own is sent.
6. The prompt of a request for a summary is not a message of the conversation, and nothing can be learned from it:
   it is removed from the list before `context`, and added again.
7. A conversation that rests after a refused list (`trust`) is sent unchanged while it fits the context window,
   until it is too long itself. ctxmgr's lists are tried again after a number of calls, or earlier, once the
   provider's cache of the list is lost anyway: the program starts its list anew, changes its tools, system prompt
   or model, or pauses for longer than the cache lasts.
8. Changes of tools and system prompt since the last turn are reported with the list, unless the program starts
   anew. The answer to the list says how much was written to the cache again because of them.
9. Once the conversation is quiet, the session is asked once what the first call costs after the cache has ended.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from ctxmgr.client import AsyncClientSession, ContextOutcome, SidecarFault
from ctxmgr.engine.memory import users_text
from ctxmgr.formats import FORMATS
from ctxmgr.model.api import lifecycle, reports
from ctxmgr.proxy import caching
from ctxmgr.proxy.account import Account, Weights
from ctxmgr.proxy.apis import BYTES_A_TOKEN, CalledTool, ListCall, ProviderApi
from ctxmgr.proxy.body import LARGE_BYTES, elements, members, shared_count
from ctxmgr.proxy.enrolment import Enrolment
from ctxmgr.proxy.hearing import FULL
from ctxmgr.proxy.refetching import Observer
from ctxmgr.proxy.trust import Trust
from ctxmgr.settings import ProgramSettings

_RESULT = b'"tool_result"'


class SummaryRequest(msgspec.Struct, frozen=True):
    """`messages`: the conversation's. `whole`: the last message, unchanged; `prompt`: the block that was removed
    from it, None if the whole message is the prompt.
    """

    messages: tuple[bytes, ...]
    whole: bytes
    prompt: msgspec.Raw | None

    def with_prompt(self, sent: Sequence[bytes], last_is_kept: bool) -> tuple[bytes, ...]:
        """The list to send, with the prompt at its end. `last_is_kept`: its last message is one of the
        conversation.
        """
        if self.prompt is None:
            return (*sent, self.whole)
        if last_is_kept:
            return (*sent[:-1], self.whole)
        last = _content(sent[-1]) if sent else None
        if last is None:
            return (*sent, msgspec.json.encode({"role": "user", "content": [self.prompt]}))
        fields, blocks = last
        return (*sent[:-1], msgspec.json.encode({**fields, "content": [*blocks, self.prompt]}))


def summary_request(messages: Sequence[bytes]) -> SummaryRequest:
    """Removes the prompt from a list that ends with a request for a summary. The prompt is the last message, or a
    text behind the results in it; the rest of that message keeps its spelling.
    """
    *before, whole = messages
    content = _content(whole)
    if content is not None:
        fields, blocks = content
        if len(blocks) > 1 and _RESULT in bytes(blocks[0]) and _RESULT not in bytes(blocks[-1]):
            results = msgspec.json.encode({**fields, "content": blocks[:-1]})
            return SummaryRequest((*before, results), whole, blocks[-1])
    return SummaryRequest(tuple(before), whole, None)


def _content(raw: bytes) -> tuple[dict[str, msgspec.Raw], list[msgspec.Raw]] | None:
    """The fields and blocks of a user's message with a list of blocks as content; None for other messages."""
    fields = members(raw) or {}
    blocks = elements(bytes(fields.get("content", b"")))
    return (fields, blocks) if blocks is not None and bytes(fields.get("role", b"")) == b'"user"' else None


BEGINNING_MESSAGES = 8  # among which the user's first words are searched
LONGEST_WORDS = 160  # characters
GONE = 0.5  # share of a list's messages; fewer missing messages are an edit
REFUSAL_SECONDS = 2.0  # to wait until ctxmgr has received a refusal


class Listed(msgspec.Struct, frozen=True):
    """The list to send: each message as JSON, and its place in the program's list, None for messages of ctxmgr.

    `outcome`: where the list comes from. `prefix_count`: number of messages at its start that are a list sent
    before. `bare`: the program's list as ctxmgr got it (rule 1).
    """

    messages: tuple[bytes, ...]
    places: tuple[int | None, ...]
    outcome: ContextOutcome
    prefix_count: int
    bare: tuple[bytes, ...]
    weights: Weights

    @property
    def is_complete(self) -> bool:
        """Whether it is the complete list of the program."""
        return self.places == tuple(range(len(self.bare)))


class ProgramConversation:
    """`key` names it for people and in ctxmgr; `lock` is held while one of its lists is made. `gives_summary`: its
    last call asked for a summary. `is_long_lived`: its cache writes are kept for an hour, as the program asks or
    the provider says (`heard_long`, None if the provider does not say). `busts`: prompts that changed early without
    ctxmgr, as the session counts them; `asking_busts`: the task that asks for the newest count.
    """

    def __init__(
        self, key: str, session: AsyncClientSession, call: ListCall, settings: ProgramSettings, is_long_lived: bool
    ) -> None:
        self.key, self.session = key, session
        self.api, self.speaker = call.api, call.speaker
        self.model, self.window_tokens = call.model, call.window_tokens
        self.settings, self.is_long_lived = settings, is_long_lived
        self.lock = asyncio.Lock()
        self.account = Account()
        self.trust = Trust()
        self.gives_summary = False
        self.was_changed = False  # a list of it was sent with changes
        self.heard_long: bool | None = None
        self.busts: lifecycle.CacheBusts | None = None
        self.asking_busts: asyncio.Task[Any] | None = None
        self.began_ms = self.used_ms = 0.0
        self.open_calls = 0  # whose answers have not ended
        self._first_words = ""
        self.was_full = False  # the last answer was cut at the end of the context window
        self.tool_calls: list[CalledTool] = []  # of the newest reply so far, and not made yet
        self._own: tuple[bytes, ...] = ()  # as the program spelled them
        self._bare: tuple[bytes, ...] = ()  # as ctxmgr gets them
        self._sent: tuple[bytes, ...] = ()  # as ctxmgr answered
        self._ends: list[int] = []  # ends of lists that are a prefix of the last one sent
        self._own_tokens = 0.0  # ctxmgr's count of the last list
        self._usage: dict[str, Any] | None = None
        self._answered: tuple[tuple[bytes, ...], tuple[bytes, ...]] = ((), ())  # the last list and its answer
        self._beside: caching.Beside | None = None  # of the last turn
        # time of last use, and the cache status at that time
        self._cache: tuple[float, dict[str, Any]] | None = None
        self._said_parts: set[str] = set()  # parts with a reported bust
        self._telling: set[asyncio.Task[Any]] = set()
        self.observer: Observer | None = None  # set in observe mode
        self.enrolment: Enrolment | None = None  # set if there is a holdout
        self.on_list: Callable[[Sequence[bytes]], None] | None = None  # called with each list that was answered

    @property
    def is_held_out(self) -> bool:
        """Whether its lists pass unchanged because it is in the holdout."""
        return self.enrolment is not None and self.enrolment.arm == "heldOut"

    @property
    def is_paused(self) -> bool:
        """Whether pruning is paused (`Trust`)."""
        return self.trust.is_paused

    @property
    def window(self) -> float:
        """The largest list of the program that is sent unchanged, in tokens."""
        return self.trust.window(self.settings.window)

    @property
    def length(self) -> int:
        """The number of messages in the last list."""
        return len(self._bare)

    @property
    def messages(self) -> tuple[bytes, ...]:
        """The last list, as ctxmgr got it."""
        return self._bare

    @property
    def first_words(self) -> str:
        """The start of the user's first message, on one line; "" if the list does not show it."""
        if not self._first_words:
            message_format = FORMATS[self.api.format]
            views = (message_format.view(raw) for raw in self._bare[:BEGINNING_MESSAGES])
            words = next(filter(None, map(users_text, views)), "")
            self._first_words = " ".join(words.split())[:LONGEST_WORDS]
        return self._first_words

    def begins_as(self, messages: Sequence[bytes]) -> bool:
        """Whether the list has the first message of the last one; true for a conversation without a list."""
        return not self._bare or self._own[0] == messages[0] or self._bare[0] == self.api.bare(messages[0])

    def shares(self, messages: Sequence[bytes]) -> bool:
        """Whether the list shares a message with the last list."""
        return not set(self._bare).isdisjoint(self._respelled(messages))

    def begins_anew(self, messages: Sequence[bytes], call: ListCall) -> bool:
        """Whether the program starts anew from a summary of its own with this list."""
        bare = self._respelled(messages)
        shared = shared_count(self._bare, bare)
        return self._begins_anew(shared, bare[shared:], call)

    def goes_on(self, messages: Sequence[bytes]) -> bool:
        """Whether the list begins with all of the last one."""
        return shared_count(self._bare, self._respelled(messages)) == self.length

    async def make_list(self, call: ListCall, is_again: bool = False) -> Listed:
        """The list to send for this call. Never fails because of ctxmgr. `is_again`: the last one was too long."""
        self.gives_summary = call.kind == "compaction"
        self.tool_calls.clear()
        ask = summary_request(call.body.messages) if self.gives_summary else None
        own = tuple(call.body.messages) if ask is None else ask.messages
        bare = self._respelled(own)
        shared = shared_count(self._bare, bare)
        goes_on = bool(shared) and shared == len(self._bare)
        known = shared if self._bare else _before_reply(self.api, bare)
        changed = self._changed_beside(shared, bare[shared:], call)
        self._wake(shared, bare[shared:], call, changed is not None)
        self._tell_of(bare, shared, call)
        self._own, self._bare = own, bare
        await asyncio.sleep(0)  # notifications are sent before the request
        prompt = 0 if ask is None else len(ask.whole if ask.prompt is None else bytes(ask.prompt))
        overhead = call.overhead_tokens + prompt // BYTES_A_TOKEN
        sent: Sequence[bytes] = await self.session.context(
            bare, overhead_tokens=overhead, own_marks=call.own_marks, prefix_change=changed
        )
        outcome = self.session.outcome
        assert outcome is not None
        if outcome.source == "answered":
            self._answered = (bare, tuple(sent))
        else:
            sent, outcome = self._kept(bare, sent, outcome)
        weight = outcome.report.raw_tokens if outcome.report is not None else 0.0
        if self.trust.resting_calls and not is_again and call.overhead_tokens + weight <= self.window:
            sent = bare
        index_of = {id(raw): index for index, raw in enumerate(bare)}
        places = tuple(index_of.get(id(raw)) for raw in sent)
        messages = tuple(raw if index is None else own[index] for raw, index in zip(sent, places, strict=True))
        if ask is not None:
            messages = ask.with_prompt(messages, places[-1:] == (len(own) - 1,))
        prefix = self._own_tokens if goes_on and self._own_tokens else weight * _share(bare, known)
        self._own_tokens = weight
        weights = _weights(call.overhead_tokens, outcome.report, prefix)
        return Listed(messages, places, outcome, self._prefix_count(sent), bare, weights)

    def noted(self) -> None:
        """Remembers the last list; called after the provider has answered it."""
        if self.on_list is None:
            return
        if sum(map(len, self._bare)) < LARGE_BYTES:
            self.on_list(self._bare)
        else:
            self.tell(asyncio.to_thread(self.on_list, self._bare))

    def answered(self, usage: dict[str, Any]) -> None:
        """Stores the provider's count for the last list; it is reported with the reply."""
        self._usage = usage

    async def refused(self, error: bytes) -> bool:
        """Reports that the provider refused the last list with this error, a JSON object. Returns True if the list
        was too long and ctxmgr has learned from it.
        """
        try:
            async with asyncio.timeout(REFUSAL_SECONDS):
                answer = await self.session.turn_end(error, usage=None)
        except TimeoutError:
            return False
        return answer is not None and answer.send is not None

    async def set_paused(self, is_paused: bool) -> bool:
        """Pauses or resumes pruning; False if ctxmgr did not confirm it."""
        try:
            await self.session.request("setPruning", {"enabled": not is_paused})
        except SidecarFault:
            return False
        self.trust.is_paused = is_paused
        return True

    async def end_rest(self) -> None:
        """Ends the rest (rule 7)."""
        if self.trust.resting_calls and await self.set_paused(False):
            self.trust.ended_rest()

    async def cache(self, with_cost: bool = True) -> dict[str, Any]:
        """The status of the provider's cache; `with_cost`: with the cost of a call once it has ended (rule 9).
        Empty if ctxmgr did not answer.
        """
        if self._cache is not None and self._cache[0] == self.used_ms:
            return self._cache[1]
        used_ms = self.used_ms
        found = await self._cache_status(with_cost)
        if found is not None:
            self._cache = (used_ms, found) if with_cost else None
        return found or {}

    async def _cache_status(self, with_cost: bool) -> dict[str, Any] | None:
        """None if ctxmgr did not answer."""
        try:
            status = await self.session.request("getStatus", {"coldCost": with_cost})
        except SidecarFault:
            return None
        found: dict[str, Any] = status.get("cache") or {}
        self.busts = lifecycle.CacheBusts.saved(found.get("busts") or {}) or self.busts
        return found

    def outdated(self) -> None:
        """Discards the cached status, because something that determines the next list has changed."""
        self._cache = None

    def bust_reported(self, bust: lifecycle.CacheBust, say: Callable[[str], None]) -> None:
        """Asks the session for its counts of busts. `say` is called with a line if one is due, once for each part.
        Does not wait.
        """
        self.asking_busts = self.tell(self._ask_busts(bust, say))

    async def _ask_busts(self, bust: lifecycle.CacheBust, say: Callable[[str], None]) -> None:
        """If the status has no cache yet, because no call was counted, the reports are counted here."""
        found = await self._cache_status(False)
        if not (found and found.get("busts")):
            self.busts = lifecycle.CacheBusts.of(self.busts, bust)
        assert self.busts is not None
        if bust.part in self._said_parts or not caching.is_worth_a_line(self.busts):
            return
        self._said_parts.add(bust.part)
        if self.settings.warns_of_cache_busts:
            say(f"{self.key}: {caching.busted(self.busts)}")

    def tell(self, event: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Sends a notification to ctxmgr without waiting (rule 4)."""
        task = asyncio.get_running_loop().create_task(event)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        return task

    def _changed_beside(
        self, shared: int, since: tuple[bytes, ...], call: ListCall
    ) -> lifecycle.PrefixChange | None:
        """The change beside the list (rule 8)."""
        if call.kind != "turn":
            return None
        before, self._beside = self._beside, caching.beside(call)
        if before is None or (shared < len(self._bare) and self._begins_anew(shared, since, call)):
            return None
        return caching.prefix_change(before, self._beside)

    def _wake(self, shared: int, since: tuple[bytes, ...], call: ListCall, is_changed: bool) -> None:
        """Counts down the rest (rule 7). `is_changed`: tools or system prompt are not those of the last turn."""
        if not since:
            return
        self.trust.called()
        if self.trust.resting_calls:
            self.wake(is_changed or (shared < len(self._bare) and self._begins_anew(shared, since, call)))

    def wake(self, is_lost: bool) -> None:
        """Counts down the rest, or ends it because the provider's cache is lost (rule 7)."""
        if self.trust.woke(is_lost):
            self.tell(self.set_paused(False))

    def _kept(
        self, bare: tuple[bytes, ...], sent: Sequence[bytes], outcome: ContextOutcome
    ) -> tuple[Sequence[bytes], ContextOutcome]:
        """The last answer plus the newer messages (rule 5)."""
        before, answer = self._answered
        if not answer or shared_count(before, bare) < len(before):
            return sent, outcome
        return (*answer, *bare[len(before) :]), msgspec.structs.replace(outcome, source="kept")

    def _respelled(self, messages: Sequence[bytes]) -> tuple[bytes, ...]:
        """The list as ctxmgr gets it (rule 1). Equal messages are the objects of the last list, because ctxmgr's
        answers refer to them by identity.
        """
        pairs = enumerate(zip(messages, self._own, strict=False))
        same = next((index for index, (raw, own) in pairs if raw is not own), min(len(messages), len(self._own)))
        made = [*self._bare[:same]]
        for index, raw in enumerate(messages[same:], same):
            if index < len(self._own) and self._own[index] == raw:
                made.append(self._bare[index])
                continue
            message = self.api.bare(raw)
            before = self._bare[index] if index < len(self._bare) else None
            made.append(before if before is not None and before == message else message)
        return tuple(made)

    def _tell_of(self, bare: tuple[bytes, ...], shared: int, call: ListCall) -> None:
        """Sends `turn_end` or the move in the tree (rules 2 and 3)."""
        since = bare[shared:]
        was_full, self.was_full = self.was_full, False
        if shared == len(self._bare):
            usage, self._usage = self._usage, None
            if since and self._bare:
                self._turn_ended(since, usage)
            elif not since:
                self._usage = usage
                if was_full:
                    self.tell(self.session.turn_end(FULL, usage=None, notify=True))
            return
        self._usage = None
        if call.kind == "turn" and not self._begins_anew(shared, since, call):
            self.tell(self.session.session_tree({"newLeafId": None}))
        self.speaker = call.speaker

    def _turn_ended(self, since: tuple[bytes, ...], usage: dict[str, Any] | None) -> None:
        parts = [self.api.part_of(raw) for raw in since]
        replies = next((index for index, part in enumerate(parts) if part != "reply"), len(since))
        if not replies:
            return
        end = next((index for index in range(replies, len(since)) if parts[index] != "result"), len(since))
        message = since[0] if replies == 1 else b"[" + b",".join(since[:replies]) + b"]"
        self.tell(self.session.turn_end(message, since[replies:end], usage=usage, notify=True))

    def _begins_anew(self, shared: int, since: tuple[bytes, ...], call: ListCall) -> bool:
        """Whether the program starts anew from a summary of its own. After a rewind the end of the last list is
        missing; here the end is present, and most messages before it are missing.
        """
        if call.speaker.window_id != self.speaker.window_id:
            return True
        view = FORMATS[self.api.format].view
        known = set(self._bare)
        if any(view(raw).summary == "compaction" for raw in since if raw not in known):
            return True
        held, rest = set(since), self._bare[shared:]
        gone = sum(raw not in held for raw in rest)
        return bool(rest) and rest[-1] in held and gone >= GONE * len(rest)

    def _prefix_count(self, sent: Sequence[bytes]) -> int:
        """The number of messages at the start of this list that are a list sent before. Makes this list the last
        one sent.
        """
        same = shared_count(self._sent, sent)
        self._ends = [end for end in self._ends if end <= same]
        count = self._ends[-1] if self._ends else 0
        self._sent = tuple(sent)
        self._ends.append(len(sent))
        return count


def _weights(beside: int, report: reports.Report | None, own_prefix_tokens: float) -> Weights:
    """The counts of a call's lists, with the tokens `beside` them. If ctxmgr did not answer, the lists are
    unknown.
    """
    if report is None:
        return Weights(beside, beside, beside, beside)
    return Weights(
        beside + report.raw_tokens,
        beside + report.tokens,
        beside + own_prefix_tokens,
        beside + (report.prefix_tokens or 0),
    )


def _before_reply(api: ProviderApi, bare: Sequence[bytes]) -> int:
    """The number of messages before the last reply, which were sent for it. 0 if there is no reply."""
    count = len(bare)
    while count and api.part_of(bare[count - 1]) != "reply":
        count -= 1
    while count and api.part_of(bare[count - 1]) == "reply":
        count -= 1
    return count


def _share(bare: Sequence[bytes], count: int) -> float:
    """The share of the list in its first `count` messages, by bytes."""
    whole = sum(map(len, bare))
    return sum(map(len, bare[:count])) / whole if whole else 0.0
