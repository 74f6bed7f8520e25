"""The format of a session's messages: named rightly, named wrongly, not named."""

import itertools
from typing import Any

import pytest

from tests.contract.talk import HOST, Failed, Fields, Messages, Talk
from tests.translation import TO, plain

MODEL = {"id": "model-1", "contextWindow": 200_000}
NAMES = ("pi", "openai", "anthropic", "responses", "gemini")


def conversation(name: str, turns: int = 1) -> list[Fields]:
    make = Messages()
    said = [one for number in range(turns) for one in make.turn(f"Question {number}.", "line\n" * 300)]
    return said if name == "pi" else TO[name](plain(said))


def opened(name: str | None, of_session: str | None = None, **policy: Any) -> Talk:
    talk = Talk(start=False)
    named = {} if name is None else {"messageFormat": name}
    policy = {"tokenizer": "estimate", "preset": "turns", **policy}
    talk.call("initialize", protocolVersion="1.0", capabilities=HOST, policy=policy, **named)
    more = {} if of_session is None else {"messageFormat": of_session}
    talk.call("session_start", sessionId="s", model=MODEL, **more)
    return talk


def refusal(talk: Talk, method: str, **params: Any) -> tuple[int, Any]:
    with pytest.raises(Failed) as failed:
        talk.call(method, sessionId="s", **params)
    return failed.value.code, failed.value.error


@pytest.mark.parametrize(("wrong", "right"), [(None, "openai"), *itertools.pairwise(NAMES)])
def test_a_list_in_another_format_is_refused_with_the_right_one(wrong: str | None, right: str) -> None:
    talk = opened(wrong)
    code, error = refusal(talk, "context", messages=conversation(right))
    assert code == -32602
    assert error["data"] == {"path": "$.messages", "messageFormat": right}
    assert f'"{right}", not "{wrong or "pi"}"' in error["message"]
    assert "session_start" in error["message"]
    assert talk.status()["stats"]["contexts"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_auto_is_the_format_that_the_first_messages_show(name: str) -> None:
    auto, named = opened("auto"), opened(name)
    for messages in (conversation(name, 2), conversation(name, 12)):
        assert auto.context(messages) == named.context(messages)
    other = conversation("openai" if name != "openai" else "pi")
    assert auto.context([*messages, *other])["report"]["checks"] == []  # it does not change again


@pytest.mark.parametrize("method", ["planCompaction", "compact"])
def test_a_tree_of_another_format_is_refused(method: str) -> None:
    entries = [
        {"type": "message", "id": f"e{at}", "parentId": None, "message": one}
        for at, one in enumerate(conversation("responses"))
    ]
    code, error = refusal(opened("pi"), method, entries=entries)
    assert (code, error["data"]) == (-32602, {"path": "$.entries", "messageFormat": "responses"})
