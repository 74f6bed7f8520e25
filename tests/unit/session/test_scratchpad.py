"""The scratchpad: operations in order, all or none. It stands in view from its first word on."""

import pytest

from ctxmgr.engine.memory.scratchpad import CHARACTERS_AT_MOST
from ctxmgr.engine.memory.scratchpad import edited_scratchpad as edited
from ctxmgr.model import InvalidParams
from ctxmgr.model.api.compaction import Insert, Overwrite, ScratchpadOperation, StrReplace
from ctxmgr.model.prices import LIFETIME_MS
from tests.contract.talk import Messages, Talk, packet
from tests.unit.session.context.compacted import Host, packet_of
from tests.unit.session.context.epochs import WINDOW, steps, talk_of

CASES: tuple[tuple[str, tuple[ScratchpadOperation, ...], str], ...] = (
    ("", (Overwrite("a\nb\n"),), "a\nb\n"),
    ("a\nb\n", (StrReplace("a", "c"),), "c\nb\n"),
    ("a\nb\n", (StrReplace("a\n", ""),), "b\n"),
    ("a\nb\n", (Insert("x", 0),), "x\na\nb\n"),
    ("a\nb\n", (Insert("x", 1),), "a\nx\nb\n"),
    ("a\nb", (Insert("x", 2),), "a\nb\nx"),
    ("a\nb", (Insert("x"),), "a\nb\nx"),
    ("", (Insert("x"),), "x"),
    ("", (Insert("x\n", 0), Insert("y\n")), "x\ny\n"),
    ("a", (Overwrite("b b"), StrReplace("b b", "c"), Insert("d")), "c\nd"),
    ("a", (), "a"),
)

REFUSED: tuple[tuple[str, tuple[ScratchpadOperation, ...], str], ...] = (
    ("a", (StrReplace("b", "c"),), "[0].oldText"),
    ("aa", (Insert("x"), StrReplace("a", "c")), "[1].oldText"),
    ("a", (StrReplace("", "c"),), "[0].oldText"),
    ("a\nb", (Insert("x", 3),), "[0].line"),
    ("", (Overwrite("x" * (CHARACTERS_AT_MOST + 1)),), ""),
)


@pytest.mark.parametrize(("text", "operations", "after"), CASES)
def test_edited(text: str, operations: tuple[ScratchpadOperation, ...], after: str) -> None:
    assert edited(text, operations) == after


@pytest.mark.parametrize(("text", "operations", "path"), REFUSED)
def test_refused(text: str, operations: tuple[ScratchpadOperation, ...], path: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        edited(text, operations)
    assert refused.value.data == {"path": f"$.operations{path}"}


def test_a_text_that_was_too_long_only_on_the_way_is_taken() -> None:
    long = "x" * (CHARACTERS_AT_MOST + 1)
    assert edited("", (Overwrite(long), Overwrite("short"))) == "short"


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
