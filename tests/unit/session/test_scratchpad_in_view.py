"""The scratchpad stands in view from its first word on, and breaks no prefix by itself."""

import pytest

from ctxmgr.model.prices import LIFETIME_MS
from tests.contract.talk import Messages, Talk, packet
from tests.unit.session.context.compacted import Host, packet_of
from tests.unit.session.context.epochs import WINDOW, steps, talk_of

NOTE = "| port is 9090"


def noted(talk: Talk, text: str = "port is 9090") -> None:
    talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": text}])


@pytest.mark.parametrize("why", ["model", "cold", "rewritten", "price"])
def test_it_is_there_with_an_epoch_that_another_reason_opens(why: str) -> None:
    talk, make, at = talk_of(), Messages(), 10**6
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, 5)]
    talk.context(messages, answer="messages", at=at)
    noted(talk)
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
    if preset != "balanced":  # which keeps its prefix until the next epoch
        noted(host.talk, "port is 6060")
        assert "| port is 6060" in packet_of(host.context())
