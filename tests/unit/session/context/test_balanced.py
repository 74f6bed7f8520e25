"""Preset `balanced` over whole sessions: epochs announced, bytes kept between them, and through restarts."""

from typing import Any

from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.context.epochs import extends, sent, step, steps, talk_of


def begun(count: int = 24, **policy: Any) -> tuple[Talk, Messages, list[Fields], Fields]:
    """A session in which `prune` has opened epoch 1 over so many steps."""
    make, talk = Messages(), talk_of(**policy)
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, count)]
    talk.context(messages)
    talk.call("prune", sessionId="s")
    answer = talk.context(messages, answer="messages")
    assert answer["report"]["epoch"] == 1
    return talk, make, messages, answer


def policy(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("setPolicy", sessionId="s", policy={"keep": 200})
    return {}


def test_pruning_off_sends_the_list_as_it_came_and_on_again_as_it_was_decided() -> None:
    talk, make, messages, before = begun()
    talk.call("setPruning", sessionId="s", enabled=False)
    new = step(make, 50)
    off = talk.context([*messages, *new], answer="messages")
    assert "reason" not in off["report"]
    assert off["report"]["checks"] == []
    assert off["list"] == [*messages, *new]
    again = talk.context([*messages, *new], answer="messages")
    assert again["list"] == off["list"]
    talk.call("setPruning", sessionId="s", enabled=True)
    restarted = talk_of(talk.saved)
    on = talk.context([*messages, *new], answer="messages")
    assert on["report"]["checks"] == []
    assert "reason" not in on["report"]
    assert extends(on, before, new)
    assert sent(restarted.context([*messages, *new], answer="messages")) == sent(on)
