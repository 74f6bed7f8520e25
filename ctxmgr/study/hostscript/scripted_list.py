"""The list of messages that a script builds, in pi's format: times count up from 1 s, call ids from c1."""

import itertools
from collections.abc import Sequence
from typing import Any

Fields = dict[str, Any]
TICK_MS = 1_000


class ScriptedList:
    """`messages` so far; `sent` of them, and the `base` of the answer, with the last `context`."""

    def __init__(self) -> None:
        self.messages: list[Fields] = []
        self.sent = 0
        self.base: str | None = None
        self._times = itertools.count(TICK_MS, TICK_MS)
        self._calls = itertools.count(1)

    def user(self, text: str) -> None:
        self._add({"role": "user", "content": text})

    def summary(self, text: str) -> None:
        self._add({"role": "compactionSummary", "summary": text, "tokensBefore": 0})

    def assistant(self, text: str, calls: Sequence[tuple[str, Fields]]) -> None:
        content: list[Fields] = [{"type": "text", "text": text}] if text else []
        for name, arguments in calls:
            content.append(
                {"type": "toolCall", "id": f"c{next(self._calls)}", "name": name, "arguments": arguments}
            )
        self._add({"role": "assistant", "content": content, "stopReason": "toolUse" if calls else "stop"})

    def result(self, text: str, is_error: bool) -> bool:
        """Of the oldest call that has none; whether there was one."""
        call = next(self._open(), None)
        if call is None:
            return False
        named = {"role": "toolResult", "toolCallId": call["id"], "toolName": call["name"]}
        self._add({**named, "content": [{"type": "text", "text": text}], "isError": is_error})
        return True

    def turn(self) -> Fields | None:
        """The last reply and what follows it, as `turn_end` takes them; None without a reply."""
        for at in range(len(self.messages) - 1, -1, -1):
            if self.messages[at].get("role") == "assistant":
                results = [one for one in self.messages[at + 1 :] if one.get("role") == "toolResult"]
                return {"message": self.messages[at], "toolResults": results}
        return None

    def appended(self) -> Fields:
        """What came since the last `context`; the whole list where no `context` was answered yet."""
        if self.base is None:
            return {"messages": self.messages}
        return {"append": {"after": self.sent, "base": self.base, "messages": self.messages[self.sent :]}}

    def forget(self) -> None:
        """The next `context` goes to a process that has seen none."""
        self.sent, self.base = 0, None

    def entries(self) -> list[Fields]:
        """The list as a session tree without branches: e1, e2, ..."""
        return [
            {
                "type": "message",
                "id": f"e{number}",
                "parentId": f"e{number - 1}" if number > 1 else None,
                "timestamp": message.get("timestamp", 0),
                "message": message,
            }
            for number, message in enumerate(self.messages, 1)
        ]

    def _add(self, message: Fields) -> None:
        self.messages.append(message | {"timestamp": next(self._times)})

    def _open(self) -> "itertools.chain[Fields]":
        """Calls without a result, oldest first."""
        answered = {one.get("toolCallId") for one in self.messages if one.get("role") == "toolResult"}
        replies = (one for one in self.messages if one.get("role") == "assistant")
        blocks = itertools.chain.from_iterable(_blocks(one) for one in replies)
        return itertools.chain(
            block for block in blocks if block.get("type") == "toolCall" and block["id"] not in answered
        )


def _blocks(message: Fields) -> list[Fields]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
