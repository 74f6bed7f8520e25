"""One conversation of a program: its session in ctxmgr, the last list that came, and what the next one tells.

1. Lists go to ctxmgr without cache marks and a lone text as a string, so that a list whose marks have moved goes on
   from the last one. What is kept goes out as the program spelled it.
2. What the model answered, and what its tools gave, is known with the next list: then `turn_end` is told, once,
   with what the provider counted. A list that comes again tells nothing.
3. A list that leaves the last one before its end, and is no summary's and asks for none, was rewound or edited: the
   session moves in its tree, so that what only the left branch said is not known any more.
4. Only an answer to `context` is waited for, and of a refusal whether it was heard. What is told goes before it and
   is held until ctxmgr hears it, also where the program goes away meanwhile.
5. Without an answer the last one and what came since is sent: it fits where the program's own list may not have
   for long. Where the list does not go on from it, the program's own is.
6. The prompt of a request for a summary is no message of the conversation, and nothing is to be learnt from it: it
   is taken off the list, and put back.
7. One that rests since a list was refused is sent as it came while it fits the window, until it is too long itself.
   It is tried again after so many lists, or where the program begins anew.
8. What changed of tools and system prompt since the last turn is told with the list, but where the program begins
   anew; what of all that was written again for nothing the answer says.
9. Once it is quiet, it is asked once what the first call costs when the cache has ended.
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
from ctxmgr.proxy.beside import Beside, beside, change
from ctxmgr.proxy.body import LARGE_BYTES, elements, members, shared_count
from ctxmgr.proxy.enrolment import Enrolment
from ctxmgr.proxy.hearing import FULL
from ctxmgr.proxy.refetching import Observer
from ctxmgr.settings import ProgramSettings

_RESULT = b'"tool_result"'


class SummaryRequest(msgspec.Struct, frozen=True):
    """`messages`: the conversation's. `whole`: the last message as it came; `prompt`: the block that was taken off
    it, None where all of it is the prompt."""

    messages: tuple[bytes, ...]
    whole: bytes
    prompt: msgspec.Raw | None

    def with_prompt(self, sent: Sequence[bytes], last_is_kept: bool) -> tuple[bytes, ...]:
        """The list to send with the prompt at its end. `last_is_kept`: its last message is the conversation's."""
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
    """Takes the prompt off a list that asks for a summary at its end. It is the last message, or a text behind the
    results of the last message; what that is otherwise stays as it was spelled."""
    *before, whole = messages
    content = _content(whole)
    if content is not None:
        fields, blocks = content
        if len(blocks) > 1 and _RESULT in bytes(blocks[0]) and _RESULT not in bytes(blocks[-1]):
            results = msgspec.json.encode({**fields, "content": blocks[:-1]})
            return SummaryRequest((*before, results), whole, blocks[-1])
    return SummaryRequest(tuple(before), whole, None)


def _content(raw: bytes) -> tuple[dict[str, msgspec.Raw], list[msgspec.Raw]] | None:
    """A user's message whose content is a list of blocks."""
    fields = members(raw) or {}
    blocks = elements(bytes(fields.get("content", b"")))
    return (fields, blocks) if blocks is not None and bytes(fields.get("role", b"")) == b'"user"' else None


TAKEN_SHARE = 1.1  # of a list that was taken: a next one that is so much larger is taken, too
BEGINNING_MESSAGES = 8  # among which the user's first words are looked for
LONGEST_WORDS = 160  # characters
GONE = 0.5  # of a list's messages: what is less is an edit
REFUSAL_SECONDS = 2.0  # to hear of a refusal


class Listed(msgspec.Struct, frozen=True):
    """What is to be sent: each message as JSON, and for each its place in the program's list, None for what ctxmgr
    put there. `outcome`: where it comes from. `prefix_count`: so many of its messages are a list that was sent
    before. `given`: the program's list as ctxmgr got it."""

    messages: tuple[bytes, ...]
    places: tuple[int | None, ...]
    outcome: ContextOutcome
    prefix_count: int
    given: tuple[bytes, ...]
    weights: Weights

    @property
    def is_own(self) -> bool:
        """Whether it is the program's list, every message of it."""
        return self.places == tuple(range(len(self.given)))


class ProgramConversation:
    """`key` names it for people and in ctxmgr; `lock` is held while a list of it is made. `gives_summary`: its last
    call asked for one. `is_long_lived`: what it writes is kept for an hour, as the program asks, or as the provider
    says (`heard_long`, None where it does not say). `busts`: prompts that changed early without ctxmgr,
    as the session counts them; `asking_busts`: how it is asked for the newest."""

    def __init__(
        self, key: str, session: AsyncClientSession, call: ListCall, settings: ProgramSettings, is_long_lived: bool
    ) -> None:
        self.key, self.session = key, session
        self.api, self.speaker = call.api, call.speaker
        self.model, self.window_tokens = call.model, call.window_tokens
        self.settings, self.is_long_lived = settings, is_long_lived
        self.lock = asyncio.Lock()
        self.account = Account()
        self.is_paused = self.gives_summary = False
        self.was_changed = False  # a list of it went out otherwise than it came
        self.firm_calls = 0  # for which no list of ctxmgr's gives way
        self.taken_tokens = 0.0  # of the largest list of the program's that was taken as it came
        self.resting_calls = 0  # for which it is paused, since a list of ctxmgr's was refused
        self.heard_long: bool | None = None
        self.busts: lifecycle.CacheBusts | None = None
        self.asking_busts: asyncio.Task[Any] | None = None
        self.is_doubted = False  # the newest of them was, and the refusal did not say why
        self.began_ms = self.used_ms = 0.0
        self._first_words = ""
        self.was_full = False  # the last answer was cut at the end of the window
        self.tool_calls: list[CalledTool] = []  # of the newest reply, as far as it came, that were not made yet
        self._own: tuple[bytes, ...] = ()  # as the program spelled them
        self._plain: tuple[bytes, ...] = ()  # as ctxmgr gets them
        self._sent: tuple[bytes, ...] = ()  # as ctxmgr answered
        self._ends: list[int] = []  # where lists ended that are a prefix of the last one sent
        self._own_tokens = 0.0  # weight of the last list
        self._usage: dict[str, Any] | None = None
        self._answered: tuple[tuple[bytes, ...], tuple[bytes, ...]] = ((), ())  # the last list, and its answer
        self._beside: Beside | None = None  # of the last turn
        self._cache: tuple[float, dict[str, Any]] | None = None  # when it was last used, and what was heard then
        self._said_parts: set[str] = set()  # of which a bust was said
        self._telling: set[asyncio.Task[Any]] = set()
        self.observer: Observer | None = None  # where the proxy observes
        self.enrolment: Enrolment | None = None  # where there is a holdout
        self.on_list: Callable[[Sequence[bytes]], None] | None = None  # called with each list that was answered

    @property
    def is_held_out(self) -> bool:
        """Whether its lists pass untouched because it is of the holdout."""
        return self.enrolment is not None and self.enrolment.arm == "heldOut"

    @property
    def window(self) -> float:
        """The largest list of the program's that is sent as it came, in tokens."""
        taken, stated = self.taken_tokens, self.settings.window
        return TAKEN_SHARE * taken if taken > stated else stated

    @property
    def length(self) -> int:
        """So many messages the last list had."""
        return len(self._plain)

    @property
    def messages(self) -> tuple[bytes, ...]:
        """The last list, as ctxmgr got it."""
        return self._plain

    @property
    def first_words(self) -> str:
        """What the user said first, on one line; "" where the list does not show it."""
        if not self._first_words:
            message_format = FORMATS[self.api.format]
            views = (message_format.view(raw) for raw in self._plain[:BEGINNING_MESSAGES])
            words = next(filter(None, map(users_text, views)), "")
            self._first_words = " ".join(words.split())[:LONGEST_WORDS]
        return self._first_words

    def begins_as(self, messages: Sequence[bytes]) -> bool:
        """Whether the list has the first message of the last one; of a conversation without a list any has."""
        return not self._plain or self._own[0] == messages[0] or self._plain[0] == self.api.plain(messages[0])

    def shares(self, messages: Sequence[bytes]) -> bool:
        """Whether any message of the list is one of the last list."""
        return not set(self._plain).isdisjoint(self._respelled(messages))

    def begins_anew(self, messages: Sequence[bytes], call: ListCall) -> bool:
        """Whether the program goes on from a summary of its own with this list."""
        given = self._respelled(messages)
        shared = shared_count(self._plain, given)
        return self._begins_anew(shared, given[shared:], call)

    def goes_on(self, messages: Sequence[bytes]) -> bool:
        """Whether the list begins with all of the last one."""
        return shared_count(self._plain, self._respelled(messages)) == self.length

    async def listed(self, call: ListCall, is_again: bool = False) -> Listed:
        """The list to send for this call. Never fails because of ctxmgr. `is_again`: the last one was too long."""
        self.gives_summary = call.kind == "compaction"
        self.tool_calls.clear()
        ask = summary_request(call.body.messages) if self.gives_summary else None
        own = tuple(call.body.messages) if ask is None else ask.messages
        given = self._respelled(own)
        shared = shared_count(self._plain, given)
        goes_on = bool(shared) and shared == len(self._plain)
        known = shared if self._plain else _before_reply(self.api, given)
        self._wake(shared, given[shared:], call)
        changed = self._changed_beside(shared, given[shared:], call)
        self._tell_of(given, shared, call)
        self._own, self._plain = own, given
        await asyncio.sleep(0)  # what is told comes before what is asked
        prompt = 0 if ask is None else len(ask.whole if ask.prompt is None else bytes(ask.prompt))
        overhead = call.overhead_tokens + prompt // BYTES_A_TOKEN
        sent: Sequence[bytes] = await self.session.context(
            given, overhead_tokens=overhead, own_marks=call.own_marks, prefix_change=changed
        )
        outcome = self.session.outcome
        assert outcome is not None
        if outcome.source == "answered":
            self._answered = (given, tuple(sent))
        else:
            sent, outcome = self._kept(given, sent, outcome)
        weight = outcome.report.raw_tokens if outcome.report is not None else 0.0
        if self.resting_calls and not is_again and call.overhead_tokens + weight <= self.window:
            sent = given
        index_of = {id(raw): index for index, raw in enumerate(given)}
        places = tuple(index_of.get(id(raw)) for raw in sent)
        messages = tuple(raw if index is None else own[index] for raw, index in zip(sent, places, strict=True))
        if ask is not None:
            messages = ask.with_prompt(messages, places[-1:] == (len(own) - 1,))
        prefix = self._own_tokens if goes_on and self._own_tokens else weight * _share(given, known)
        self._own_tokens = weight
        weights = _weights(call.overhead_tokens, outcome.report, prefix)
        return Listed(messages, places, outcome, self._prefix_count(sent), given, weights)

    def noted(self) -> None:
        """The provider has answered the last list: now there is time to remember it."""
        if self.on_list is None:
            return
        if sum(map(len, self._plain)) < LARGE_BYTES:
            self.on_list(self._plain)
        else:
            self.tell(asyncio.to_thread(self.on_list, self._plain))

    def answered(self, usage: dict[str, Any]) -> None:
        """What the provider counted for the last list; it is told with the reply."""
        self._usage = usage

    async def refused(self, error: bytes) -> bool:
        """The provider refused the last list with this error, a JSON object. True: because it was too long, and
        ctxmgr has learnt of it."""
        try:
            async with asyncio.timeout(REFUSAL_SECONDS):
                answer = await self.session.turn_end(error, usage=None)
        except TimeoutError:
            return False
        return answer is not None and answer.send is not None

    async def paused(self, is_paused: bool) -> bool:
        """Has lists pass as they come, or not any more; False where ctxmgr did not hear of it."""
        try:
            await self.session.request("setPruning", {"enabled": not is_paused})
        except SidecarFault:
            return False
        self.is_paused = is_paused
        return True

    async def rested(self) -> None:
        """It rests no longer (rule 7)."""
        if self.resting_calls and await self.paused(False):
            self.resting_calls = 0

    async def cache(self, with_cost: bool = True) -> dict[str, Any]:
        """What its status says of the provider's cache; `with_cost`: and what a call costs once that has ended
        (rule 9). Nothing where ctxmgr did not answer."""
        if self._cache is not None and self._cache[0] == self.used_ms:
            return self._cache[1]
        used_ms = self.used_ms
        found = await self._cache_status(with_cost)
        if found is not None:
            self._cache = (used_ms, found) if with_cost else None
        return found or {}

    async def _cache_status(self, with_cost: bool) -> dict[str, Any] | None:
        """None where ctxmgr did not answer."""
        try:
            status = await self.session.request("getStatus", {"coldCost": with_cost})
        except SidecarFault:
            return None
        found: dict[str, Any] = status.get("cache") or {}
        self.busts = lifecycle.CacheBusts.saved(found.get("busts") or {}) or self.busts
        return found

    def outdated(self) -> None:
        """Somebody has changed what its next list is shown by."""
        self._cache = None

    def bust_reported(self, bust: lifecycle.CacheBust, say: Callable[[str], None]) -> None:
        """Asks the session for its counts of busts. `say` is called where there is a line to be said of them, once
        for each part. Waits for nothing."""
        self.asking_busts = self.tell(self._ask_busts(bust, say))

    async def _ask_busts(self, bust: lifecycle.CacheBust, say: Callable[[str], None]) -> None:
        """Where the status has no cache yet, because no call was counted, the reports are counted here."""
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
        """Tells ctxmgr, and waits for nothing (rule 4)."""
        task = asyncio.get_running_loop().create_task(event)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        return task

    # within

    def _changed_beside(
        self, shared: int, since: tuple[bytes, ...], call: ListCall
    ) -> lifecycle.PrefixChange | None:
        """Rule 8."""
        if call.kind != "turn":
            return None
        before, self._beside = self._beside, beside(call)
        if before is None or (shared < len(self._plain) and self._begins_anew(shared, since, call)):
            return None
        return change(before, self._beside)

    def _wake(self, shared: int, since: tuple[bytes, ...], call: ListCall) -> None:
        """Rule 7."""
        self.firm_calls = max(0, self.firm_calls - bool(since))
        if not self.resting_calls or not since:
            return
        left = shared < len(self._plain) and self._begins_anew(shared, since, call)
        self.resting_calls = 0 if left else self.resting_calls - 1
        if not self.resting_calls and self.is_paused:
            self.is_paused = False
            self.tell(self.paused(False))

    def _kept(
        self, given: tuple[bytes, ...], sent: Sequence[bytes], outcome: ContextOutcome
    ) -> tuple[Sequence[bytes], ContextOutcome]:
        """Rule 5."""
        before, answer = self._answered
        if not answer or shared_count(before, given) < len(before):
            return sent, outcome
        return (*answer, *given[len(before) :]), msgspec.structs.replace(outcome, source="kept")

    def _respelled(self, messages: Sequence[bytes]) -> tuple[bytes, ...]:
        """Rule 1. The very objects of the last list where they are the same: ctxmgr's answers name them."""
        pairs = enumerate(zip(messages, self._own, strict=False))
        same = next((index for index, (raw, own) in pairs if raw is not own), min(len(messages), len(self._own)))
        made = [*self._plain[:same]]
        for index, raw in enumerate(messages[same:], same):
            if index < len(self._own) and self._own[index] == raw:
                made.append(self._plain[index])
                continue
            bare = self.api.plain(raw)
            before = self._plain[index] if index < len(self._plain) else None
            made.append(before if before is not None and before == bare else bare)
        return tuple(made)

    def _tell_of(self, given: tuple[bytes, ...], shared: int, call: ListCall) -> None:
        """Rules 2 and 3."""
        since = given[shared:]
        was_full, self.was_full = self.was_full, False
        if shared == len(self._plain):
            usage, self._usage = self._usage, None
            if since and self._plain:
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
        """Whether the program goes on from a summary of its own. Who went back has lost the end of the last list;
        here the end is there, and most before it is gone."""
        if call.speaker.window_id != self.speaker.window_id:
            return True
        view = FORMATS[self.api.format].view
        known = set(self._plain)
        if any(view(raw).summary == "compaction" for raw in since if raw not in known):
            return True
        held, rest = set(since), self._plain[shared:]
        gone = sum(raw not in held for raw in rest)
        return rest[-1] in held and gone >= GONE * len(rest)

    def _prefix_count(self, sent: Sequence[bytes]) -> int:
        """So many messages of this list are one that was sent before; from now on it is the last one sent."""
        same = shared_count(self._sent, sent)
        self._ends = [end for end in self._ends if end <= same]
        count = self._ends[-1] if self._ends else 0
        self._sent = tuple(sent)
        self._ends.append(len(sent))
        return count


def _weights(beside: int, report: reports.Report | None, own_prefix_tokens: float) -> Weights:
    """Of a call's lists, with what is sent `beside` them. Neither is known where ctxmgr did not answer."""
    if report is None:
        return Weights(beside, beside, beside, beside)
    return Weights(
        beside + report.raw_tokens,
        beside + report.tokens,
        beside + own_prefix_tokens,
        beside + (report.prefix_tokens or 0),
    )


def _before_reply(api: ProviderApi, given: Sequence[bytes]) -> int:
    """So many messages stand before the last reply: they were sent for it. 0 where there is none."""
    count = len(given)
    while count and api.part_of(given[count - 1]) != "reply":
        count -= 1
    while count and api.part_of(given[count - 1]) == "reply":
        count -= 1
    return count


def _share(given: Sequence[bytes], count: int) -> float:
    """Which part of the list its first messages are, by their bytes."""
    whole = sum(map(len, given))
    return sum(map(len, given[:count])) / whole if whole else 0.0
