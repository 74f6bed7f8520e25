"""The road of one call: its list to ctxmgr, the answer in the list's place, and what came of it into the account.

1. What is beside a conversation, what a rival at the provider rewrites itself, and a session that is held out,
   passes untouched.
2. A list that ctxmgr left as it was passes as it came, every byte.
3. In observe mode every byte passes, and ctxmgr hears what the provider would have counted of its own list.
4. A list that is refused for its size goes out again where a shorter one can be made, and never a longer one.
5. A list of ctxmgr's that is refused for itself gives way to the program's own, once: the answer to that is the
   program's. Where the provider takes it, ctxmgr leaves the conversation alone for RESTING_CALLS, while its list
   fits the window, until it is refused for its size or the program begins it anew; where the refusal did not say
   that the list is at fault, only the second time. In that case it does not give way to a list that is larger than
   the window the first time either: the program gets that refusal. Where the provider takes such a list, the window
   is as large. Where it refuses the program's own, too, no list of ctxmgr's gives way for RESTING_CALLS. Where that
   one is too long, it teaches ctxmgr nothing of its own list, which goes out once more.
6. A thought that stands behind another list than it was made behind may be refused. Where ctxmgr changed a list of
   the conversation it is then asked that such thoughts are dropped, and so with each list of that model from then
   on whose conversation ctxmgr has changed; not any more where a list that asks so is refused for something else.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import msgspec

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.formats import pi, unknown_usage
from ctxmgr.model import TieredPrices
from ctxmgr.proxy import account, marks
from ctxmgr.proxy.account import Account, BilledCall, CallRow, Weights
from ctxmgr.proxy.apis import ListCall
from ctxmgr.proxy.body import LARGE_BYTES
from ctxmgr.proxy.conversation import Listed, ProgramConversation
from ctxmgr.proxy.conversations import Conversations
from ctxmgr.proxy.hearing import Refusal, Room
from ctxmgr.proxy.refetching import ObservedCall, Observer
from ctxmgr.proxy.settings import ProxySettings

RESTING_CALLS = 10
END_SECONDS = 5.0  # for what is looked for in a thread, at the end
NO_PRICES = TieredPrices(0, 0, 0, 0)


class Prepared(msgspec.Struct, frozen=True):
    """A call that is of a conversation. `body`: to send, None where it passes as it came. `is_same`: ctxmgr leaves
    the list as it came, or would, where it observes. `gave_way`: to a refusal of ctxmgr's list, None where
    there was none. `is_back`: ctxmgr's list again, after the one that it gave way to was too long. `is_unbound`:
    rule 6. `size`: of its messages, in bytes."""

    call: ListCall
    conversation: ProgramConversation
    listed: Listed
    weights: Weights
    body: bytes | None
    is_same: bool
    size: int
    gave_way: Refusal | None = None
    is_back: bool = False
    is_unbound: bool = False

    @property
    def room(self) -> Room:
        """What its answer may take, where this is sent."""
        sent, _ = self.weights.of_sent(self.body is None and not self.is_same)
        return Room(self.conversation.settings.window, sent, self.call.api.reply_cap(self.call.body.members))


class Rewriter:
    """Of one proxy."""

    def __init__(self, conversations: Conversations, settings: ProxySettings) -> None:
        self._conversations, self._settings = conversations, settings
        self._rival_names: set[str] = set()  # rivals
        self._binding_models: set[str] = set()  # rule 6
        self.account = Account()
        self._thread = ThreadPoolExecutor(1, "observe")
        self._looking: set[asyncio.Task[None]] = set()

    async def prepared(self, call: ListCall) -> Prepared | None:
        """What to send; None where the call is of no conversation of ours."""
        if call.rival:
            self._stand_aside(call)
            return None
        if call.kind == "aside" or not call.body.messages:
            return None
        conversation = self._conversations.of(call)
        if conversation is None:
            return None
        async with conversation.lock:
            return self._prepared(call, conversation, await conversation.listed(call))

    async def again(self, refused: Prepared, refusal: Refusal) -> Prepared | None:
        """The provider refused the list; another one to send, None where there is none."""
        conversation = refused.conversation
        if refusal.kind == "other":
            return None
        if refusal.kind == "binding" and any(refused.call.api.unbinding) and not refused.is_unbound:
            self._binding_models.add(refused.call.model)
            return msgspec.structs.replace(refused, is_unbound=True) if conversation.was_changed else None
        if refusal.kind == "list" and refused.is_unbound:
            self._binding_models.discard(refused.call.model)
            refused = msgspec.structs.replace(refused, is_unbound=False)
        is_back = refused.gave_way is not None
        if is_back:
            conversation.firm_calls = RESTING_CALLS
        async with conversation.lock:
            if refusal.kind == "size":
                await conversation.rested()
            is_learnt = not is_back and await conversation.refused(refusal.told)
            if refusal.kind != "size":
                return self._giving_way(refused, refusal)
            if not is_back and not is_learnt:
                return None
            listed = await conversation.listed(refused.call, is_again=True)
        made = self._prepared(refused.call, conversation, listed, is_back or refused.is_back)
        return made if made.size < refused.size else None

    def answered(self, prepared: Prepared, usage: Mapping[str, Any] | None, failed: bool = False) -> None:
        """The provider's count; None where it told none, or the answer was cut. `failed`: it was an error."""
        billed, conversation = self._billed(prepared, usage), prepared.conversation
        if conversation.enrolment is not None:
            call, given, prices_of = prepared.call, prepared.listed.given, conversation.settings.prices_of
            at_ms = round(self._conversations.now_ms())
            note = partial(conversation.enrolment.note, at_ms, call, given, billed, prices_of, failed)
            if sum(map(len, given)) < LARGE_BYTES:
                note()
            else:  # of the first list all calls are read, and other programs' answers would wait for that
                conversation.tell(asyncio.to_thread(note))

    def _billed(self, prepared: Prepared, usage: Mapping[str, Any] | None) -> BilledCall | None:
        """What was sent, by the provider's count."""
        counted = pi.usage(dict(usage)) if usage is not None else None
        conversation, weights, observed = prepared.conversation, prepared.weights, self._settings.observe
        accounts = (self.account, conversation.account)
        conversation.noted()
        if observed and prepared.call.kind == "turn":
            task = asyncio.get_running_loop().create_task(self._observe(prepared))
            self._looking.add(task)
            task.add_done_callback(self._looking.discard)
        for sums in accounts:
            sums.unknown_usage = unknown_usage(usage) or sums.unknown_usage
        if usage is None or counted is None:
            for sums in accounts:
                sums.uncounted(prepared.body is not None)
            return None
        heard = account.heard_long(usage)
        conversation.heard_long = conversation.heard_long if heard is None else heard
        share = account.long_share(usage, counted, conversation.is_long_lived)
        prices, scale = account.mixed(conversation.settings, share), conversation.account.scale
        sent = other = account.bill(counted, prices)
        if prepared.listed.outcome.report is not None:
            scale.learn(*weights.of_sent(observed), sent.input_tokens)
            if not prepared.is_same:
                other = account.other_bill(counted, weights, scale.value, prices, observed)
        rest = account.rest_bill(usage, counted, prices)
        note = account.price_note(conversation.settings, conversation.model)
        for sums in accounts:
            sums.count(sent.plus(rest), other.plus(rest), prepared.body is not None, note)
        if prepared.call.kind == "turn":
            conversation.answered(other.usage if observed else dict(usage))
        return sent.plus(rest)

    def note_refusal(self, refused: Prepared, refusal: Refusal) -> None:
        """It comes too late to make the call again, or for the last time; for its size the next list is shorter."""
        if refusal.kind == "size" and refused.gave_way is None:
            conversation = refused.conversation
            conversation.tell(conversation.session.turn_end(refusal.told, usage=None, notify=True))

    def note_cut(self, prepared: Prepared, usage: Mapping[str, Any] | None) -> None:
        """The answer ended for lack of room. It has passed: if the program sends the same list again, it said
        nothing that helps."""
        prepared.conversation.was_full = usage is not None and prepared.room.is_full(dict(usage))

    def note_success(self, prepared: Prepared) -> None:
        """The provider took what was sent."""
        conversation, refusal = prepared.conversation, prepared.gave_way
        if prepared.body is None:
            conversation.taken_tokens = max(conversation.taken_tokens, prepared.weights.own_tokens)
        if refusal is None:
            conversation.is_doubted = conversation.is_doubted and prepared.body is None
        elif refusal.is_sure or conversation.is_doubted:
            conversation.tell(self._leave_alone(conversation))
        else:
            conversation.is_doubted = True

    def passed(self, call: ListCall, usage: Mapping[str, Any] | None) -> None:
        """A call that was left alone: the same on both sides."""
        counted = pi.usage(dict(usage)) if usage is not None else None
        if usage is not None and counted is not None:
            share = account.long_share(usage, counted, marks.is_long(marks.lifetime_ms(call)))
            settings = self._conversations.settings_of(call)
            prices = account.mixed(settings, share)
            same = account.bill(counted, prices).plus(account.rest_bill(usage, counted, prices))
            self.account.count(same, same, False, account.price_note(settings, call.model))

    async def looked(self) -> None:
        """What is looked for in calls that were answered is told, or takes too long."""
        if self._looking:
            await asyncio.wait(set(self._looking), timeout=END_SECONDS)

    async def close(self) -> None:
        await self.looked()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # within

    async def _observe(self, prepared: Prepared) -> None:
        """What a list of this conversation, not sent, would have had fetched again: looked for once its answer has
        passed."""
        conversation, listed = prepared.conversation, prepared.listed
        prices = account.mixed(conversation.settings, 1.0 if conversation.is_long_lived else 0.0)
        sheet = PriceSheet(prices or NO_PRICES, overhead_tokens=prepared.call.overhead_tokens)
        if conversation.observer is None:
            conversation.observer = Observer(conversation.api)
        call = ObservedCall(listed.given, listed.messages, listed.places, sheet)
        refetched = await conversation.observer.refetched(call, self._thread)
        if refetched is not None:
            scale = conversation.account.scale.value
            dollars = None if prices is None else scale * refetched.more_dollars
            bill = BilledCall(fresh_tokens=scale * refetched.more_tokens, dollars=dollars)
            for sums in (self.account, conversation.account):
                sums.count_refetches(refetched.fetches, bill)

    def _prepared(
        self, call: ListCall, conversation: ProgramConversation, listed: Listed, is_back: bool = False
    ) -> Prepared:
        is_own = listed.is_own or conversation.is_held_out
        messages = call.body.messages if is_own else _marked(call, listed)
        is_same = messages == call.body.messages
        weights, report = listed.weights, listed.outcome.report
        if is_same:
            weights = weights.unchanged
        if report is not None and report.cache_bust is not None:
            conversation.bust_reported(report.cache_bust, self._settings.say)
        epoch = report.epoch if report is not None else 0
        row = CallRow(weights.own_tokens, weights.projected_tokens, epoch, listed.outcome.source)
        conversation.account.rows.append(row)
        passes = is_same or self._settings.observe
        body = None if passes else call.body.with_messages(messages)
        conversation.was_changed = conversation.was_changed or not passes
        is_unbound = conversation.was_changed and call.model in self._binding_models
        size = sum(map(len, call.body.messages if passes else messages))
        return Prepared(
            call, conversation, listed, weights, body, is_same, size, is_back=is_back, is_unbound=is_unbound
        )

    def _giving_way(self, refused: Prepared, refusal: Refusal) -> Prepared | None:
        """Rule 5."""
        conversation = refused.conversation
        if refused.body is None or refused.is_back or conversation.firm_calls:
            return None
        if refusal.is_guess and refused.weights.own_tokens > conversation.window and not conversation.is_doubted:
            conversation.is_doubted = True
            return None
        weights, size = refused.weights.unchanged, sum(map(len, refused.call.body.messages))
        return msgspec.structs.replace(
            refused, body=None, is_same=True, gave_way=refusal, weights=weights, size=size
        )

    async def _leave_alone(self, conversation: ProgramConversation) -> None:
        if await conversation.paused(True):
            conversation.resting_calls = RESTING_CALLS
            self._settings.say(
                "the provider refused a list of ctxmgr's and took the program's own: ctxmgr leaves the "
                f"conversation {conversation.key} alone for {RESTING_CALLS} calls, while its list fits the window"
            )

    def _stand_aside(self, call: ListCall) -> None:
        if call.rival not in self._rival_names:
            self._rival_names.add(call.rival)
            who = call.speaker.program or "the program"
            self._settings.say(
                f"{who} asks its provider to rewrite lists ({call.rival}): ctxmgr leaves those calls alone"
            )


def read_ahead(call: ListCall) -> None:
    """Reads the messages of a large body (`body`), so that no step has to: to be called in a thread."""
    for raw in call.body.messages:
        marks.message_marks(raw)
        call.api.part_of(call.api.plain(raw))


def _marked(call: ListCall, listed: Listed) -> list[bytes]:
    mark = marks.program_mark(call)
    report = listed.outcome.report
    places = (report.cache_breakpoints or ()) if report is not None else ()
    return marks.placed(listed.messages, listed.prefix_count, call.own_marks, mark, places)
