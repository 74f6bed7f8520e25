"""A host of Anthropic's format before a provider whose cache is simulated: what it is billed is what it reports."""

from collections.abc import Callable
from typing import Any

from ctxmgr.model.estimate import ESTIMATE
from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Talk
from tests.provider.apis import anthropic
from tests.provider.caching import MINUTE_MS, Clock, MarkedCache

NOON = 1_750_000_000_000  # milliseconds
SECONDS = 1_000
WORDS = "one line of a file that says where an order goes and who has asked for it"
OWN_MARK = {"cache_control": {"type": "ephemeral"}}


def same(messages: list[Fields]) -> list[Fields]:
    return messages


class CachedHost:
    """`lives_min`: how long its provider keeps a start, in minutes. `status` is that of the last call."""

    def __init__(
        self,
        lives_min: float = 5,
        policy: Fields | None = None,
        found: SnapshotLoaded = SnapshotLoaded(),  # noqa: B008  frozen
        **model: Any,
    ) -> None:
        self.talk = Talk(found=found, start=False)
        self.talk.call(
            "initialize",
            protocolVersion="1.1",
            messageFormat="anthropic",
            capabilities={},
            policy={"tokenizer": ESTIMATE, "preset": "off", **(policy or {})},
        )
        model = {"id": "claude-sonnet-4-5", "contextWindow": 200_000, **model}
        self.talk.call("session_start", sessionId="s", model=model)
        self.clock, self._speed = Clock(), 5 / lives_min  # the provider's: a start lives five minutes of it
        self.cache = MarkedCache(self.clock)
        self.at, self.count = NOON, 0
        self.messages: list[Fields] = [{"role": "user", "content": "Look at all of them. " * 40}]
        self.status: Fields = {}
        self.report: Fields = {}
        self.sent_tokens = 0  # of the last call, by the provider

    def call(
        self,
        later_ms: int = 10 * SECONDS,
        system: str = "Be brief. ",
        sent: Callable[[list[Fields]], list[Fields]] = same,
        marks: bool = True,
        tells: bool = True,
        **more: Any,
    ) -> Fields | None:
        """A model call so much later, and the result of the tool that it called. `sent`: what becomes of the list
        after ctxmgr; `more` params of the list. What the status then says of the cache."""
        self.at += later_ms
        self.clock.advance(round(later_ms * self._speed))
        said = {"messages": self.messages, "answer": "messages", "at": self.at, **more}
        answer = self.talk.call("context", sessionId="s", **said)
        self.report = answer["report"]
        body = request(sent(answer["messages"]), system * 2_000, marks)
        usage = self.cache.use("m", list(anthropic.prompt(body)))
        self.sent_tokens = usage.sent
        counts = {"input_tokens": usage.fresh, "output_tokens": 9, "cache_creation_input_tokens": usage.written}
        if tells:
            counts["cache_read_input_tokens"] = usage.read
        else:
            counts = {"input_tokens": usage.sent, "output_tokens": 9}
        message, result = self._step()
        ended = self.talk.call(
            "turn_end", sessionId="s", message=message, toolResults=[result], usage=counts, at=self.at
        )
        self.messages += [message, result]
        self.status = ended["status"]
        cache: Fields | None = self.status["cache"]
        return cache

    def calls(self, count: int, **how: Any) -> Fields | None:
        """So many, one after the other."""
        return [self.call(**how) for _ in range(count)][-1]

    def _step(self) -> tuple[Fields, Fields]:
        self.count += 1
        id = f"toolu_{self.count}"
        call = {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": f"/p/{self.count}.py"}}
        text = "\n".join(f"{self.count}.{line} {WORDS}" for line in range(120))
        result = {"type": "tool_result", "tool_use_id": id, "content": text}
        return {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}


def request(messages: list[Fields], system: str, marks: bool) -> Fields:
    """With marks on the system prompt and on the last message."""
    told: Fields = {"type": "text", "text": system}
    if not marks:
        return {"system": [told], "messages": messages}
    *before, last = messages
    content = last["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    marked = {**last, "content": [*blocks[:-1], {**blocks[-1], **OWN_MARK}]}
    return {"system": [{**told, **OWN_MARK}], "messages": [*before, marked]}


def minutes(count: float) -> int:
    return round(count * MINUTE_MS)
