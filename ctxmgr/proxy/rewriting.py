"""Handles one call: sends its list to ctxmgr, replaces the list with the answer, and adds the result to the
account.

1. A call beside a conversation, one that the provider rewrites itself (a rival), and one of a session that is held
   out pass unchanged.
2. A list that ctxmgr did not change passes byte for byte.
3. In observe mode every byte passes, and ctxmgr gets the count that the provider would have returned for ctxmgr's
   list.
4. A list that is refused for its size is sent again if a shorter one can be made, but never a longer one.
5. If the provider refuses a list of ctxmgr for another reason, the program's own list is sent once, and the program
   gets the answer to that.
   - If the provider accepts it, ctxmgr pauses the conversation for RESTING_CALLS, while its list fits the context
     window, until it is refused for its size or the provider's cache of it is lost anyway (`trust`).
     If the refusal did not say that the list is at fault, ctxmgr pauses only at the second such refusal.
   - In that case, if the program's list is larger than the known window, it is not sent the first time either: the
     program gets the refusal. If the provider accepts such a list, the window is at least that large.
   - If the provider refuses the program's own list too, no list of ctxmgr gives way for RESTING_CALLS. If the
     program's list is too long, ctxmgr learns nothing about its own list, which is sent once more.
6. A thinking block in another list than the one it was made in may be refused. If ctxmgr changed a list of the
   conversation, the provider is then asked to drop such blocks, and so with each later list of that model in
   conversations that ctxmgr has changed, until a list with that request is refused for something else.
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
from ctxmgr.proxy.trust import RESTING_CALLS

END_SECONDS = 5.0  # to finish the work of the thread, at the end
NO_PRICES = TieredPrices(0, 0, 0, 0)


class Prepared(msgspec.Struct, frozen=True):
    """A call that belongs to a conversation.

    `body`: to send, None if it passes unchanged. `is_same`: ctxmgr does not change the list, or would not in
    observe mode. `gave_way`: the refusal of ctxmgr's list, None if there was none. `is_back`: ctxmgr's list again,
    because the program's was too long. `is_unbound`: the provider is asked to drop bound thinking blocks (rule 6).
    `size`: of its messages, in bytes.
    """

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
        """The room for its answer."""
        sent, _ = self.weights.of_sent(self.body is None and not self.is_same)
        return Room(self.conversation.settings.window, sent, self.call.api.reply_cap(self.call.body.members))


class Rewriter:
    """Rewrites the calls of one proxy."""

    def __init__(self, conversations: Conversations, settings: ProxySettings) -> None:
        self._conversations, self._settings = conversations, settings
        self._rival_names: set[str] = set()  # rivals that were reported
        self._binding_models: set[str] = set()  # models with bound thinking blocks (rule 6)
        self.account = Account()
        self._thread = ThreadPoolExecutor(1, "observe")
        self._looking: set[asyncio.Task[None]] = set()

    async def prepared(self, call: ListCall) -> Prepared | None:
        """What to send; None if the call belongs to no conversation."""
        if call.rival:
            self._stand_aside(call)
            return None
        if call.kind == "aside" or not call.body.messages:
            return None
        conversation = self._conversations.of(call)
        if conversation is None:
            return None
        async with conversation.lock:
            return self._prepared(call, conversation, await conversation.make_list(call))

    async def again(self, refused: Prepared, refusal: Refusal) -> Prepared | None:
        """Another list to send after a refusal; None if there is none."""
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
            conversation.trust.both_refused()
        async with conversation.lock:
            if refusal.kind == "size":
                await conversation.end_rest()
            is_learnt = not is_back and await conversation.refused(refusal.told)
            if refusal.kind != "size":
                return self._giving_way(refused, refusal)
            if not is_back and not is_learnt:
                return None
            listed = await conversation.make_list(refused.call, is_again=True)
        made = self._prepared(refused.call, conversation, listed, is_back or refused.is_back)
        return made if made.size < refused.size else None

    def answered(self, prepared: Prepared, usage: Mapping[str, Any] | None, failed: bool = False) -> None:
        """Records the provider's count; None if it sent none, or the answer was cut. `failed`: the answer was an
        error.
        """
        billed, conversation = self._billed(prepared, usage), prepared.conversation
        if conversation.enrolment is not None:
            call, bare, prices_of = prepared.call, prepared.listed.bare, conversation.settings.prices_of
            at_ms = round(self._conversations.now_ms())
            note = partial(conversation.enrolment.note, at_ms, call, bare, billed, prices_of, failed)
            if sum(map(len, bare)) < LARGE_BYTES:
                note()
            else:  # for the first list all calls are read, which would delay other programs' answers
                conversation.tell(asyncio.to_thread(note))

    def _billed(self, prepared: Prepared, usage: Mapping[str, Any] | None) -> BilledCall | None:
        """Adds the call to the accounts, and returns what was sent, by the provider's count."""
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
        """Records a refusal after which the call is not repeated; after one for size, the next list is shorter."""
        if refusal.kind == "size" and refused.gave_way is None:
            conversation = refused.conversation
            conversation.tell(conversation.session.turn_end(refusal.told, usage=None, notify=True))

    def note_cut(self, prepared: Prepared, usage: Mapping[str, Any] | None) -> None:
        """Records an answer that ended for lack of room and has passed. If the program sends the same list again,
        the answer had no use.
        """
        prepared.conversation.was_full = usage is not None and prepared.room.is_full(dict(usage))

    def note_success(self, prepared: Prepared) -> None:
        """Records that the provider accepted what was sent."""
        conversation = prepared.conversation
        if conversation.trust.accepted(prepared.gave_way, prepared.weights.own_tokens, prepared.body is None):
            conversation.tell(self._leave_alone(conversation))

    def passed(self, call: ListCall, usage: Mapping[str, Any] | None) -> None:
        """Records a call that ctxmgr did not handle: both sides are the same."""
        counted = pi.usage(dict(usage)) if usage is not None else None
        if usage is not None and counted is not None:
            share = account.long_share(usage, counted, marks.is_long(marks.lifetime_ms(call)))
            settings = self._conversations.settings_of(call)
            prices = account.mixed(settings, share)
            same = account.bill(counted, prices).plus(account.rest_bill(usage, counted, prices))
            self.account.count(same, same, False, account.price_note(settings, call.model))

    async def looked(self) -> None:
        """Waits until observed calls are measured, for END_SECONDS at most."""
        if self._looking:
            await asyncio.wait(set(self._looking), timeout=END_SECONDS)

    async def close(self) -> None:
        await self.looked()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _observe(self, prepared: Prepared) -> None:
        """Measures what the unsent list of this conversation would have made the model fetch again, after the
        answer has passed.
        """
        conversation, listed = prepared.conversation, prepared.listed
        prices = account.mixed(conversation.settings, 1.0 if conversation.is_long_lived else 0.0)
        sheet = PriceSheet(prices or NO_PRICES, overhead_tokens=prepared.call.overhead_tokens)
        if conversation.observer is None:
            conversation.observer = Observer(conversation.api)
        call = ObservedCall(listed.bare, listed.messages, listed.places, sheet)
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
        is_own = listed.is_complete or conversation.is_held_out
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
        """The program's own list, if ctxmgr's gives way to it (rule 5)."""
        conversation = refused.conversation
        if refused.body is None or refused.is_back:
            return None
        if not conversation.trust.refused(refusal, refused.weights.own_tokens, conversation.window):
            return None
        weights, size = refused.weights.unchanged, sum(map(len, refused.call.body.messages))
        return msgspec.structs.replace(
            refused, body=None, is_same=True, gave_way=refusal, weights=weights, size=size
        )

    async def _leave_alone(self, conversation: ProgramConversation) -> None:
        if await conversation.set_paused(True):
            conversation.trust.began_rest()
            self._settings.say(
                "the provider rejected a list from ctxmgr and accepted the program's own: ctxmgr does not prune "
                f"conversation {conversation.key} for {RESTING_CALLS} calls, while its list fits the window"
            )

    def _stand_aside(self, call: ListCall) -> None:
        if call.rival not in self._rival_names:
            self._rival_names.add(call.rival)
            who = call.speaker.program or "the program"
            self._settings.say(
                f"{who} asks its provider to rewrite lists ({call.rival}): ctxmgr forwards those calls unchanged"
            )


def read_ahead(call: ListCall) -> None:
    """Reads the messages of a large body (`body`), so that no step on the event loop has to. Call it in a
    thread.
    """
    for raw in call.body.messages:
        marks.message_marks(raw)
        call.api.part_of(call.api.bare(raw))


def _marked(call: ListCall, listed: Listed) -> list[bytes]:
    mark = marks.program_mark(call)
    report = listed.outcome.report
    places = (report.cache_breakpoints or ()) if report is not None else ()
    return marks.placed(listed.messages, listed.prefix_count, call.own_marks, mark, places)
