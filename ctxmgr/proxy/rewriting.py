"""The road of one call: its list to ctxmgr, the answer in the list's place, and what came of it into the account.

1. What is beside a conversation, and what a rival at the provider rewrites itself, passes untouched.
2. A list that ctxmgr left as it was passes as it came, every byte.
3. In observe mode every byte passes, and ctxmgr hears what the provider would have counted of its own list.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ctxmgr.proxy import account, marks
from ctxmgr.proxy.account import Account, CallRow, Weights
from ctxmgr.proxy.apis import ListCall
from ctxmgr.proxy.conversations import Conversations, Listed, ProgramConversation
from ctxmgr.proxy.settings import ProxySettings

MARK = b'"cache_control"'


class Prepared(msgspec.Struct, frozen=True):
    """A call that is of a conversation. `body`: to send, None where it passes as it came."""

    call: ListCall
    conversation: ProgramConversation
    listed: Listed
    weights: Weights
    body: bytes | None


class Rewriter:
    """Of one proxy."""

    def __init__(self, conversations: Conversations, settings: ProxySettings) -> None:
        self._conversations, self._settings = conversations, settings
        self._rival_names: set[str] = set()  # rivals
        self.account = Account()

    async def prepared(self, call: ListCall) -> Prepared | None:
        """What to send; None where the call is of no conversation of ours."""
        if call.rival:
            self._stand_aside(call)
            return None
        if call.kind == "aside" or not call.body.messages:
            return None
        conversation = self._conversations.of(call)
        async with conversation.lock:
            return self._prepared(call, conversation, await conversation.listed(call))

    async def again(self, refused: Prepared, error: bytes) -> Prepared | None:
        """The provider refused the list with this error; another one to send, None where there is none."""
        conversation = refused.conversation
        async with conversation.lock:
            if not await conversation.refused(error):
                return None
            listed = await conversation.listed(refused.call)
        made = self._prepared(refused.call, conversation, listed)
        return made if made.listed.messages != refused.listed.messages else None

    def answered(self, prepared: Prepared, usage: Mapping[str, Any] | None) -> None:
        """The provider's count; None where it told none, or the answer was cut."""
        counted = account.usage_of(usage) if usage is not None else None
        accounts = (self.account, prepared.conversation.account)
        prepared.conversation.noted()
        if usage is None or counted is None:
            for one in accounts:
                one.uncounted(prepared.body is not None)
            return
        prices, weights, observed = prepared.conversation.prices, prepared.weights, self._settings.observe
        sent, scale = account.bill(counted, prices), prepared.conversation.account.scale
        if observed:
            scale.learn(weights.own_tokens, weights.own_prefix_tokens, sent.input_tokens)
        else:
            scale.learn(weights.projected_tokens, weights.projected_prefix_tokens, sent.input_tokens)
        other = account.other_bill(counted, weights, scale.value, prices, observed)
        for one in accounts:
            one.count(sent, other, prepared.body is not None)
        if prepared.call.kind == "turn":
            prepared.conversation.answered(other.usage if observed else dict(usage))

    def passed(self, call: ListCall, usage: Mapping[str, Any] | None) -> None:
        """A call that was left alone: the same on both sides."""
        counted = account.usage_of(usage) if usage is not None else None
        if counted is not None:
            same = account.bill(counted, self._conversations.prices_of(call))
            self.account.count(same, same, False)

    # within

    def _prepared(self, call: ListCall, conversation: ProgramConversation, listed: Listed) -> Prepared:
        weights, report = conversation.weights(call, listed), listed.outcome.report
        epoch = report.epoch if report is not None else 0
        row = CallRow(weights.own_tokens, weights.projected_tokens, epoch, listed.outcome.source)
        conversation.account.rows.append(row)
        if self._settings.observe:
            refetches, before = conversation.account.refetches, conversation.account.refetches.count
            gone = (report.reads_gone or ()) if report is not None else ()
            refetches.follow(call.format, call.body.messages, [one.path for one in gone])
            for one in (self.account, conversation.account):
                one.refetch_count += refetches.count - before
        if self._settings.observe or listed.is_own:
            return Prepared(call, conversation, listed, weights, None)
        body = call.body.with_messages(_marked(call, listed))
        return Prepared(call, conversation, listed, weights, body)

    def _stand_aside(self, call: ListCall) -> None:
        if call.rival not in self._rival_names:
            self._rival_names.add(call.rival)
            who = call.speaker.program or "the program"
            self._settings.say(
                f"{who} asks its provider to rewrite lists ({call.rival}): ctxmgr leaves those calls alone"
            )


def _marked(call: ListCall, listed: Listed) -> list[bytes]:
    mark = marks.mark_of(call.body.messages[-1]) if call.format == "anthropic" else None
    others = sum(raw.count(MARK) for name, raw in call.body.members.items() if name in ("system", "tools"))
    others += "cache_control" in call.body.members
    return marks.placed(listed.messages, listed.prefix_count, others, mark)
