"""Sessions whose host compacts, in each message format: a rule of the user, work, then a list that begins with a
summary."""

import json
from collections.abc import Sequence

from ctxmgr.model.estimate import ESTIMATE
from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import HOST, Fields, Messages, Talk
from tests.legality import lists
from tests.translation import RULES, TO, plain

FORMATS = ("pi", "openai", "anthropic", "responses", "gemini")
PRESETS = ("turns", "balanced", "tools")
RULE = "Never touch the schema."
ASKED = (
    f"Port the parser. {RULE} No, not the lexer again: the parser is what I want you to port.",
    "Let's go with tables for the rows.",
    "And port the statements too.",
)
BARE = "## Goal\nPort the parser\n\n## Next Steps\n1. Port the statements\n"  # lacks what the user ruled


class Host:
    """A host that speaks this format. What it says is written in pi's."""

    def __init__(
        self, preset: str, form: str, saved: Sequence[bytes] = (), window: int = 200_000, **policy: object
    ) -> None:
        self.form, self.make = form, Messages()
        self.policy: Fields = {"preset": preset, "tokenizer": ESTIMATE, **policy}
        self.talk = Talk(start=False, found=SnapshotLoaded(tuple(saved)))
        self.talk.call(
            "initialize", protocolVersion="1.1", messageFormat=form, capabilities=HOST, policy=self.policy
        )
        self.talk.call("session_start", sessionId="s", model={"id": "model-1", "contextWindow": window})
        self.said: list[Fields] = []
        self.earlier: dict[bytes, None] = {}  # what compactions took away

    def told(self, messages: Sequence[Fields]) -> list[Fields]:
        return list(messages) if self.form == "pi" else TO[self.form](plain(messages))

    def summary(self, text: str) -> Fields:
        """As this format shows one: where it has no message for it, as a user's words."""
        if self.form == "pi":
            return self.make.summary(text)
        return self.make.user(f"The conversation until now, in short:\n\n{text}")

    def context(self) -> Fields:
        """The answer to the list as it is now, with `list` added, which its provider takes."""
        messages = self.told(self.said)
        answer = self.talk.context(messages)
        assert answer["report"]["checks"] == []
        if self.form != "pi":
            came, out = ([json.dumps(one).encode() for one in each] for each in (messages, answer["list"]))
            assert lists.faults(RULES[self.form], came, out, self.earlier) == []
        return answer

    def turn_end(self, text: str = "It is done.", **members: object) -> None:
        """The model answers in words."""
        reply = self.make.reply(text)
        items = self.told([reply])
        self.talk.call(
            "turn_end", sessionId="s", message=items if self.form == "responses" else items[0], **members
        )
        self.said.append(reply)

    def worked(self) -> None:
        """Three turns: what the user asks, and tests that fail."""
        for number, text in enumerate(ASKED):
            self.said.append(self.make.user(text))
            call = self.make.call("bash", command=f"pytest tests/part{number}.py")
            self.said += [self.make.reply("I try.", call), self.make.result("1 failed, 8 passed", is_error=True)]
            self.context()
            self.turn_end(f"Part {number} is done.")

    def compacted(self, text: str = BARE, kept: int = 0) -> None:
        """The host's compaction: the list is the summary and the newest messages."""
        entry = {"id": "c1", "summary": text, "firstKeptEntryId": "e9"}
        self.talk.call("session_compact", sessionId="s", compactionEntry=entry)
        self.earlier |= {json.dumps(one).encode(): None for one in self.told(self.said)}
        self.said = [self.summary(text), *(self.said[-kept:] if kept else []), self.make.user("Go on.")]


def packet_of(answer: Fields) -> str:
    """The text of the packet in an answer's list, "" where there is none."""
    found = [text for message in answer["list"] for text in _texts(message) if text.startswith("[ctxmgr packet]")]
    assert len(found) <= 1
    return found[0] if found else ""


def _texts(message: Fields) -> list[str]:
    content = message.get("content") or message.get("parts") or []
    if isinstance(content, str):
        return [content]
    return [str(block.get("text", "")) for block in content]
