"""Answers a program that asks for a summary of its own list, in the provider's place and without a model.

1. Only where the settings say so (`compactions = "ctxmgr"`), the prompt is known (`summary_prompts`) and nothing of
   the conversation is left alone. Every other call goes to the provider, and so does one for which ctxmgr has
   written nothing in time.
2. Summarised is the conversation's last list as the program has it, every message. Where that goes on from an
   earlier summary, what it says is carried on, and what stands before it and is not told in it.
3. It is no longer than the request lets an answer be: by its estimate, since no provider counts it. Where what must
   be told does not fit, the provider is asked.
4. No call is made, so nothing is counted but the summary, and with a holdout a compaction that cost nothing.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.client import SidecarFault
from ctxmgr.engine.memory import users_text
from ctxmgr.formats import FORMATS
from ctxmgr.model import View, estimate
from ctxmgr.proxy.account import Account, BilledCall
from ctxmgr.proxy.apis import ListCall, WrittenAnswer
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.conversations import Conversations
from ctxmgr.proxy.summary_prompts import AskedSummary, summary_asked

SUMMARY_MS = 30_000.0  # then the provider is asked
MOST_A_TOKEN = 1.25  # of the provider's tokens to an estimated one, of prose
CAP_SHARE = 0.7  # of a cap, which is reserved for a summary: what is written is a part of the reserve
RESERVE_TOKENS = 16_384  # that ctxmgr reserves by itself
TOLD_CHARACTERS = 40  # of a user's message, by which a summary is seen to tell it
LAST = b'{"role":"user","content":"Summarize."}'  # before which all is summarised


class SummaryWriter:
    """Of one proxy. `account`: of all its calls."""

    def __init__(self, conversations: Conversations, account: Account) -> None:
        self._conversations, self._account = conversations, account

    async def answer(self, call: ListCall, of: ProgramConversation | None) -> WrittenAnswer | None:
        """What the program is answered; None where the provider is to be asked. `of`: the conversation that the
        call belongs to, None of one that holds its list as a text."""
        asked = summary_asked(call)
        if asked is None or self._conversations.settings_of(call).compactions != "ctxmgr":
            return None
        conversation = of or self._conversations.named(call)
        if conversation is None or conversation.is_paused or conversation.is_held_out:
            return None
        async with conversation.lock:
            format, messages = conversation.api.format, conversation.messages
            entries = await asyncio.to_thread(entries_of, format, messages, asked)
            cap = call.api.reply_cap(call.body.members)
            summary = await _written(conversation, entries, cap)
        reply = asked.prompt.reply(summary) if summary else ""
        fits = cap is None or MOST_A_TOKEN * estimate(reply) <= cap
        answer = call.api.written(call, reply) if reply and fits else None
        if answer is not None:
            for sums in (self._account, conversation.account):
                sums.written_summaries += 1
            self._note(call, conversation)
        return answer

    def _note(self, call: ListCall, of: ProgramConversation) -> None:
        """A summary of a holdout's other arm is a compaction as those of the provider's are."""
        if of.enrolment is not None and call.kind == "compaction":
            at_ms, prices_of = round(self._conversations.now_ms()), of.settings.prices_of
            of.enrolment.note(at_ms, call, of.messages, BilledCall(dollars=0.0), prices_of, False)


async def _written(conversation: ProgramConversation, entries: list[msgspec.Raw], cap: int | None) -> str:
    """The summary; "" where ctxmgr wrote none. `cap` on the answer, in tokens of the provider (rule 3)."""
    settings = {"keepRecentTokens": 0}
    if cap is not None and CAP_SHARE * cap < RESERVE_TOKENS:
        settings["reserveTokens"] = int(CAP_SHARE * cap)
    params = {"entries": entries, "strategy": "extractive", "settings": settings}
    try:
        answer = await conversation.session.request("compact", params, timeout_ms=SUMMARY_MS)
    except SidecarFault:
        return ""
    return str(answer["compaction"]["summary"])


def entries_of(format: str, messages: Sequence[bytes], asked: AskedSummary) -> list[msgspec.Raw]:
    """The list as a branch of which all but the last entry is summarised (rule 2)."""
    views = [FORMATS[format].view(raw) for raw in messages]
    begun = next((index for index, view in enumerate(views) if view.role == "assistant"), len(views))
    at = max((index for index, view in enumerate(views[:begun]) if view.summary == "compaction"), default=-1)
    earlier = asked.prompt.earlier_summary(asked.text)
    if at >= 0:
        framed = "\n".join(block.text for block in views[at].blocks if block.kind == "summary")
        earlier = asked.prompt.unframed(framed)
    told = " ".join(earlier.split())
    stay = (_is_untold(view, told) if index <= at else not _is(view, told) for index, view in enumerate(views))
    listed = [*(raw for raw, stays in zip(messages, stay, strict=True) if stays), LAST]
    reply = asked.prompt.newest_reply(asked.text, views[-1].blocks[-1].text if views and views[-1].blocks else "")
    if reply:
        listed.insert(-1, msgspec.json.encode({"role": "assistant", "content": reply}))
    given: list[dict[str, Any]] = [{"type": "message", "message": msgspec.Raw(raw)} for raw in listed]
    if earlier:
        given.insert(0, {"type": "compaction", "summary": earlier})
    return [
        msgspec.Raw(msgspec.json.encode({"id": str(index), "parentId": str(index - 1) if index else None, **entry}))
        for index, entry in enumerate(given)
    ]


def _is_untold(view: View, told: str) -> bool:
    """Whether the summary does not tell the user's words in this message."""
    words = " ".join(users_text(view).split())[:TOLD_CHARACTERS]
    return bool(words) and words not in told


def _is(view: View, told: str) -> bool:
    """Whether it is the summary itself, as the model's answer."""
    return bool(told) and " ".join(" ".join(block.text for block in view.blocks).split()) == told
