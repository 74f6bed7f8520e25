"""The scratchpad stands in view from its first word on, and breaks no prefix by itself."""

import pytest

from ctxmgr.model.prices import LIFETIME_MS
from tests.contract.talk import Fields, Messages, Talk, packet
from tests.unit.session.context.compacted import Host, packet_of
from tests.unit.session.context.epochs import WINDOW, extends, step, steps, talk_of

NOTE = "| port is 9090"


def noted(talk: Talk, text: str = "port is 9090") -> None:
    talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": text}])


def begun(**policy: object) -> tuple[Talk, Messages, list[Fields], Fields]:
    """A short list that was sent as it came, and a note since."""
    talk, make = talk_of(**policy), Messages()
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, 5)]
    before = talk.context(messages, answer="messages", at=10**6)
    noted(talk)
    return talk, make, messages, before


def test_an_edit_opens_no_epoch_and_breaks_no_prefix() -> None:
    talk, make, messages, before = begun()
    for number in range(3):
        new = step(make, 10 + number)
        messages += new
        after = talk.context(messages, answer="messages", at=10**6)
        assert extends(after, before, new)
        assert after["report"]["epoch"] == 0
        before = after


@pytest.mark.parametrize("restart", [False, True])
def test_a_forced_prune_shows_it_where_nothing_leaves(restart: bool) -> None:
    talk, make, messages, _ = begun()
    talk.call("prune", sessionId="s")
    talk = talk_of(talk.saved) if restart else talk
    after = talk.context(messages, answer="messages")
    assert NOTE in packet(after["list"])
    assert len(after["list"]) == len(messages) + 1
    assert after["report"]["epoch"] == 1
    assert after["report"]["checks"] == []
    new = step(make, 10)
    again = talk.context([*messages, *new], answer="messages")
    assert extends(again, after, new)


@pytest.mark.parametrize("why", ["model", "cold", "rewritten", "price"])
def test_it_is_there_with_an_epoch_that_another_reason_opens(why: str) -> None:
    talk, make, messages, _ = begun()
    at = 10**6
    if why == "model":
        talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": WINDOW})
    elif why == "cold":
        at += LIFETIME_MS + 1
    elif why == "rewritten":  # all but the user's first words
        messages = [messages[0], *messages[3:]]
    else:
        messages += steps(make, 60, start=20)
    assert NOTE in packet(talk.context(messages, answer="messages", at=at)["list"])


@pytest.mark.parametrize(("preset", "form"), [("turns", "anthropic"), ("balanced", "responses"), ("tools", "pi")])
def test_it_stands_in_view_in_every_preset(preset: str, form: str) -> None:
    """After a forced prune of a list from which nothing leaves, and right after a compaction."""
    host = Host(preset, form)
    host.said = [host.make.user("Hello there.")]
    host.context()
    noted(host.talk)
    host.turn_end()
    host.said.append(host.make.user("And now?"))
    host.talk.call("prune", sessionId="s")
    assert NOTE in packet_of(host.context())
    host.turn_end()
    noted(host.talk, "port is 7070")
    host.compacted("## Goal\nGreet\n")
    assert "| port is 7070" in packet_of(host.context())
    host.turn_end()
    host.said.append(host.make.user("And then?"))
    assert "| port is 7070" in packet_of(host.context())


def test_a_later_edit_waits_for_the_next_epoch_as_well() -> None:
    talk, make, messages, _ = begun()
    talk.call("prune", sessionId="s")
    before = talk.context(messages, answer="messages")
    noted(talk, "port is 7070")
    new = step(make, 10)
    after = talk.context([*messages, *new], answer="messages")
    assert extends(after, before, new)
    talk.call("prune", sessionId="s")
    last = packet(talk.context([*messages, *new], answer="messages")["list"])
    assert "| port is 7070" in last
    assert NOTE not in last
