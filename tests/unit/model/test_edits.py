"""An answer as edits means the list that the answer as messages is."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.model.api.edits import ListAnswer, applied
from tests.inprocess import InProcess
from tests.unit.client.scripted import step, user

KINDS = st.tuples(st.booleans(), st.integers(0, 30_000))


@settings(max_examples=30)
@given(st.lists(KINDS, min_size=1, max_size=30), st.sampled_from(["turns", "tools", "balanced", "off"]))
def test_edits_are_messages(kinds: list[tuple[bool, int]], preset: str) -> None:
    policy = {"preset": preset, "pruneProtect": 2_000, "pruneMinimum": 500}
    hosts = [InProcess(policy=policy, window=40_000) for _ in range(2)]
    messages: list[dict[str, Any]] = [user(0)]
    for number, (asks, size) in enumerate(kinds):
        messages += [user(number)] if asks else step(number, size)
        whole = hosts[0].request("context", sessionId="s", messages=messages, answer="messages")
        answer = hosts[1].request("context", sessionId="s", messages=messages, answer="edits")
        raws = [msgspec.json.encode(message) for message in messages]
        made = applied(messages, raws, _raw(answer))
        assert made == whole["messages"]
        given = {id(message): place for place, message in enumerate(messages)}
        places = [given[id(message)] for message in made if id(message) in given]
        assert places == sorted(set(places))


def _raw(answer: dict[str, Any]) -> ListAnswer:
    return msgspec.json.decode(msgspec.json.encode(answer), type=ListAnswer)
