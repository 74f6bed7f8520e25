"""Answers a program that asks for a summary of its own list, instead of the provider and without a model. And knows
the prompts with which programs ask, one row per program.

1. Only if the settings say so (`compactions = "ctxmgr"`), the prompt is known (`PROMPTS`) and the conversation is
   neither paused nor held out. Every other call goes to the provider, and so does one for which ctxmgr wrote no
   summary in time.
2. The summary covers every message of the conversation's last list, as the program has it. If the list continues
   from an earlier summary, that is included, and so are earlier messages that it does not mention.
3. It is no longer than the request allows, by an estimate, because no provider counts it. If the necessary content
   does not fit, the provider is asked.
4. There is no call, so only the summary is counted; with a holdout, it is a compaction without cost.

Of prompts:

5. A prompt is the text at the end of the list: the last message, or the text behind results in it. A user's
   quotation of a prompt is elsewhere, or in a call of another kind: a program's own request is recognised by its
   headers, or has no tools.
6. It begins and ends with the program's fixed words. Other wording, of a newer release or of the user, is not
   recognised, and neither is a prompt with the user's wishes for the summary: only a model can follow them.
7. Some programs send their list as messages before the prompt, others as a text within it.

Taken from Claude Code 2.1.330 and 2.1.332, Codex 0.169.0 and 0.171.0, opencode 1.18.33.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.client import SidecarFault
from ctxmgr.engine.memory import users_text
from ctxmgr.formats import FORMATS
from ctxmgr.model import View, estimate
from ctxmgr.model.compaction import WITHOUT_MODEL
from ctxmgr.proxy.account import Account, BilledCall
from ctxmgr.proxy.apis import Kind, ListCall, WrittenAnswer
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.conversations import Conversations

KNOWN_CHARACTERS = 200  # by which a message is found in a prompt
_REPLY = re.compile(r'"?\s*(?:\[truncated\])?\s*\[Assistant\]: (.*?)(?=\n\[Assistant tool call\]: |\Z)', re.DOTALL)


class SummaryPrompt(msgspec.Struct, frozen=True):
    """`kind` of the call. `begins`, `holds` and `ends`: fixed words; `lacks`: the words before the user's wishes.
    `tag`: the program reads the summary between tags of this name, and drops the text between analysis tags.
    `list_ends`: how the list ends, in a prompt that contains it; `earlier`: the tag of an earlier summary after it.
    `frame`: the words around a summary from which the program continues.
    """

    program: str
    kind: Kind
    begins: str
    ends: str
    holds: str = ""
    lacks: str = ""
    tag: str = ""
    list_ends: str = ""
    earlier: str = ""
    frame: tuple[str, str] = ("", "")

    def fits(self, text: str) -> bool:
        whole = text.strip()
        lacks = not self.lacks or self.lacks not in whole
        return whole.startswith(self.begins) and whole.endswith(self.ends) and self.holds in whole and lacks

    def reply(self, summary: str) -> str:
        """The summary in the form that the program reads."""
        if not self.tag:
            return summary
        plain = re.sub(rf"<(?=/?(?:{self.tag}|analysis)>)", "&lt;", summary)
        return f"<{self.tag}>\n{plain}\n</{self.tag}>"

    def earlier_summary(self, text: str) -> str:
        """The earlier summary in a prompt that contains the list. Text within the list cannot be mistaken for
        it.
        """
        if not self.list_ends:
            return ""
        found = text.rpartition(self.list_ends)[2].partition(f"<{self.earlier}>\n")[2]
        return found.partition(f"\n</{self.earlier}>")[0]

    def newest_reply(self, text: str, known: str) -> str:
        """What the assistant said after the last known message, in a prompt that contains the list, because no list
        was sent since. `known`: the text of that message, possibly cut in the prompt; no part of it can be mistaken
        for a reply.
        """
        listed = text.rpartition(self.list_ends)[0] if self.list_ends and known.strip() else ""
        begun = listed.rfind(known[:KNOWN_CHARACTERS])
        if begun < 0:
            return ""
        pairs = enumerate(zip(listed[begun:], known, strict=False))
        longest = min(len(known), len(listed) - begun)
        held = next((count for count, (one, other) in pairs if one != other), longest)
        found = _REPLY.match(listed, begun + held)
        return found[1].strip() if found is not None else ""

    def unframed(self, text: str) -> str:
        """A summary without the words that the program put around it."""
        opens, closes = self.frame
        body = text.partition(opens)[2] if opens and opens in text else text
        return body.rpartition(closes)[0] if closes and closes in body else body


PROMPTS = (
    SummaryPrompt(
        "claude",
        "compaction",
        "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
        "Tool calls will be rejected and you will fail the task.",
        holds="Your task is to create a detailed summary of the conversation so far",
        lacks="\n\nAdditional Instructions:\n",
        tag="summary",
        frame=("\nSummary:\n", "\n\nIf you need specific details from before compaction"),
    ),
    SummaryPrompt(
        "codex",
        "compaction",
        "You are performing a CONTEXT CHECKPOINT COMPACTION.",
        "helping the next LLM seamlessly continue the work.",
        frame=("to assist with your own analysis:\n", ""),
    ),
    SummaryPrompt(
        "opencode",
        "aside",
        "Here is the conversation so far:\n\n<conversation>\n",
        "- Do not mention the summary process or that context was compacted.",
        list_ends="\n</conversation>",
        earlier="prior-summary",
    ),
)


class AskedSummary(msgspec.Struct, frozen=True):
    """A recognised prompt, and its text."""

    prompt: SummaryPrompt
    text: str


def summary_asked(call: ListCall) -> AskedSummary | None:
    """The known prompt at the end of this call's list; None if there is none."""
    rows = [row for row in PROMPTS if (row.program, row.kind) == (call.speaker.program, call.kind)]
    if not rows or not call.body.messages:
        return None
    view = FORMATS[call.format].view(call.body.messages[-1])
    text = view.blocks[-1].text if view.role == "user" and view.blocks else ""
    return next((AskedSummary(row, text) for row in rows if row.fits(text)), None)


SUMMARY_MS = 30_000.0  # time limit, after which the provider is asked
MOST_A_TOKEN = 1.25  # provider's tokens per estimated token of prose
CAP_SHARE = 0.7  # of a cap; the reserve for a summary, which uses only a part of it
RESERVE_TOKENS = 16_384  # ctxmgr's default reserve
TOLD_CHARACTERS = 40  # at the start of a user's message that a summary must contain to mention it
LAST = b'{"role":"user","content":"Summarize."}'  # everything before it is summarised


class SummaryWriter:
    """Writes the summaries of one proxy. `account`: of all its calls."""

    def __init__(self, conversations: Conversations, account: Account) -> None:
        self._conversations, self._account = conversations, account

    async def answer(self, call: ListCall, of: ProgramConversation | None) -> WrittenAnswer | None:
        """The answer for the program; None if the provider must be asked. `of`: the conversation of the call, None
        for a call whose list is a text.
        """
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
        """Records the summary in the holdout, as the compactions by the provider are recorded for its other arm."""
        if of.enrolment is not None and call.kind == "compaction":
            at_ms, prices_of = round(self._conversations.now_ms()), of.settings.prices_of
            of.enrolment.note(at_ms, call, of.messages, BilledCall(dollars=0.0), prices_of, False)


async def _written(conversation: ProgramConversation, entries: list[msgspec.Raw], cap: int | None) -> str:
    """The summary; "" if ctxmgr wrote none. `cap` is the limit for the answer, in tokens of the provider
    (rule 3).
    """
    settings = {"keepRecentTokens": 0}
    if cap is not None and CAP_SHARE * cap < RESERVE_TOKENS:
        settings["reserveTokens"] = int(CAP_SHARE * cap)
    params = {"entries": entries, "strategy": WITHOUT_MODEL, "settings": settings}
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
    """Whether the user's words in this message are missing from the summary."""
    words = " ".join(users_text(view).split())[:TOLD_CHARACTERS]
    return bool(words) and words not in told


def _is(view: View, told: str) -> bool:
    """Whether it is the summary itself, as the model's answer."""
    return bool(told) and " ".join(" ".join(block.text for block in view.blocks).split()) == told
