"""A session whose list is held flat: what leaves is decided once per cache epoch, and nothing else changes.

Run it from the project's root: python protocol/examples/epochs.py

A program and no script, since it makes up its messages, remembers what it was answered and does sums with it.
"""

import itertools
import tempfile
from collections.abc import Callable
from typing import Any

from ctxmgr import Client
from ctxmgr.client import SpawnedSidecar

Json = dict[str, Any]
Request = Callable[..., Any]  # request(method, name=value, ...): the answer

START_MS = 1_000_000
COLD_MS = 360_000  # six minutes: the provider has forgotten the prompt
POLICY = {"tokenizer": "estimate", "hostReserve": 1000, "workingSet": {"results": 2, "tokens": 1000}}


class MessageList:
    """The list of messages, in pi's format. Only what is new travels, and edits come back."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.messages: list[Json] = []
        self.sent = 0  # messages of the list that ctxmgr has
        self.base = ""
        self._times = itertools.count(1_000, 1_000)
        self._calls = itertools.count(1)

    def user(self, text: str) -> None:
        self._add({"role": "user", "content": text})

    def read(self, path: str, text: str) -> None:
        """One step of the agent: it reads a file."""
        id = f"c{next(self._calls)}"
        call = {"type": "toolCall", "id": id, "name": "read", "arguments": {"path": path}}
        self._add({"role": "assistant", "content": [call], "stopReason": "toolUse"})
        content = [{"type": "text", "text": text}]
        self._add(
            {"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content, "isError": False}
        )

    def context(self, **more: Any) -> Json:
        """What the model is to be shown of the list."""
        append = {"after": self.sent, "base": self.base, "messages": self.messages[self.sent :]}
        new = {"append": append} if self.base else {"messages": self.messages}
        answer: Json = self.request("context", **new, **more)
        self.sent, self.base = len(self.messages), answer["base"]
        return answer

    def _add(self, message: Json) -> None:
        self.messages.append(message | {"timestamp": next(self._times)})


def main(request: Request) -> None:
    """Raises AssertionError where ctxmgr answers otherwise."""
    talk = MessageList(request)
    talk.user("Port the tables to the new format. Never touch legacy.py.")
    for number in range(1, 11):
        talk.read(f"src/part{number}.py", f"row_{number}_of_table = row_{number}(table) " * 60)

    # It fits. Nothing is left out, and the host sends its own list. `at` is the time of the call, in milliseconds.
    answer = talk.context(at=START_MS)
    assert answer["unchanged"]
    assert answer["report"]["epoch"] == 0

    # Six minutes later the provider has forgotten the prompt: all of it has to be written anew, so that is the time
    # to leave something out. Words and the newest results stay, old results become markers.
    answer = talk.context(at=START_MS + COLD_MS, answer="edits")
    report = answer["report"]
    assert answer["edits"][0]["keep"][0] == 0
    put = [str(edit["put"]["content"]) for edit in answer["edits"] if "put" in edit]
    assert put
    assert all("[output pruned" in text for text in put)
    assert report["epoch"] == 1
    assert report["firstChangedIndex"] > 0
    assert report["tokens"] < 4000
    assert report["readsGone"][0]["path"] == "src/part1.py"
    assert "so changing costs -" in report["arithmetic"]

    # The sum can be checked, and the receipt says what left, and why.
    receipt = request("explain")["epochs"][0]
    assert (receipt["epoch"], receipt["opening"], receipt["after"]) == (1, "cold", report["tokens"])
    assert "tokens from the first change on become" in receipt["arithmetic"]
    left = receipt["left"][0]
    assert (left["kind"], left["call"]) == ("pruned", 'read path="src/part1.py"')
    assert left["why"].startswith("result of a read, ")

    # Between epochs each list begins with the whole of the one before: the provider reads it from its cache.
    talk.read("src/part11.py", "row_11_of_table = row_11(table) " * 60)
    later = talk.context(at=START_MS + COLD_MS + 40_000, answer="edits")["report"]
    assert (later["epoch"], later["firstChangedIndex"]) == (1, -1)
    assert later["prefixTokens"] == report["tokens"]

    # A hundred messages more: epochs come when they are due, and the list stays flat.
    for number in range(1, 51):
        talk.read(f"src/more{number}.py", f"cell_{number}_of_table = cell_{number}(table) " * 60)
        report = talk.context(answer="edits")["report"]
        assert report["tokens"] < 9000
    assert report["rawTokens"] > 20_000
    assert report["epoch"] >= 4

    # What is pinned comes back, and stays.
    assert request("pin", path="src/part1.py")["status"]["pins"] == 1
    assert shows(talk.context(), "row_1_of_table = row_1(table) row_1_of_table")

    # And an epoch can be taken back: what left with it comes back, and is pinned.
    assert request("undo", epoch=1)["status"]["pins"] > 1
    assert shows(talk.context(), "row_2_of_table = row_2(table) row_2_of_table")
    print(f"{report['epoch']} epochs; of {report['rawTokens']} tokens {report['tokens']} were sent with the last")


def shows(answer: Json, text: str) -> bool:
    """Whether a result in the answered list holds the text."""
    results = [one for one in answer["messages"] if one["role"] == "toolResult"]
    return any(text in block["text"] for one in results for block in one["content"])


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as state,
        Client(POLICY, sidecar=SpawnedSidecar(state_dir=state)) as client,
    ):
        session = client.session("s", {"id": "model-1", "contextWindow": 16_000})
        main(lambda method, **params: session.request(method, params))
