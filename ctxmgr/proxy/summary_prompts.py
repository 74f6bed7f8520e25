"""The prompts with which programs ask for a summary of their own list: one row per program.

1. A prompt is the text at the end of the list: the last message, or the text behind results in it. A user's
   quotation of a prompt is elsewhere, or in a call of another kind: a program's own request is recognised by its
   headers, or has no tools.
2. It begins and ends with the program's fixed words. Other wording, of a newer release or of the user, is not
   recognised, and neither is a prompt with the user's wishes for the summary: only a model can follow them.
3. Some programs send their list as messages before the prompt, others as a text within it.

Taken from Claude Code 2.1.330 and 2.1.332, Codex 0.169.0 and 0.171.0, opencode 1.18.33.
"""

import re

import msgspec

from ctxmgr.formats import FORMATS
from ctxmgr.proxy.apis import Kind, ListCall

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
