"""What a host takes out of its list by itself is archived: told as a compaction, in a list that begins anew, by
clearing results, and by a move in its tree."""

import pytest

from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.context.compacted import FORMATS
from tests.unit.session.context.test_respelling import said_by_user, step
from tests.unit.session.methods.test_archiving import replayed

BOTH = {"requestCompaction": "whenIdle", "archive": True}
ENTRY = {"id": "c1", "summary": "## Goal\nPort it", "firstKeptEntryId": "e5", "tokensBefore": 5}


def talk_of(format: str = "pi", preset: str = "balanced", **capabilities: object) -> Talk:
    return Talk({"preset": preset}, capabilities=capabilities or BOTH, format=format)


def texts(talk: Talk) -> list[str]:
    return [row.text for row in talk.driver.archived.get("s", {}).values()]


def owls(format: str) -> list[Fields]:
    first = said_by_user(format, "The owl's code is 4711.")
    return [first, *(message for number in range(4) for message in step(format, number))]


@pytest.mark.parametrize(
    ("format", "preset"), [(form, "balanced") for form in FORMATS] + [("pi", "off"), ("pi", "turns")]
)
def test_what_the_next_list_does_not_show_is_found(format: str, preset: str) -> None:
    talk, messages = talk_of(format, preset), owls(format)
    talk.context(messages)
    assert texts(talk) == []
    talk.context([said_by_user(format, "In short: port it."), *messages[-2:]])
    (hit,) = talk.call("search", sessionId="s", query="owl 4711")["hits"]
    assert talk.call("retrieve", sessionId="s", handle=hit["handle"])["text"] == "The owl's code is 4711."
    assert [text.count("def func_2_69()") for text in texts(talk)].count(1) == 1
    assert not [text for text in texts(talk) if "def func_3_" in text], "what stays did not leave"


def reported(talk: Talk) -> list[Fields]:
    """A list of five messages and a turn of two, whose entries are e1 to e7."""
    make = Messages()
    messages = [*make.turn("Read the owl.", "the owl is 4711", path="owl.py"), make.user("And then?")]
    talk.context(messages[:1])
    ids = {"user": "e1", "message": "e2", "toolResults": ["e3"]}
    talk.call("turn_end", sessionId="s", message=messages[1], toolResults=[messages[2]], entryIds=ids)
    talk.context(messages[:3])
    talk.call("turn_end", sessionId="s", message=messages[3], entryIds={"message": "e4"})
    talk.context(messages)
    last = [make.reply("", make.call("read", path="elk.py")), make.result("the elk is 4712")]
    ids = {"user": "e5", "message": "e6", "toolResults": ["e7"]}
    talk.call("turn_end", sessionId="s", message=last[0], toolResults=last[1:], entryIds=ids)
    return [*messages, *last]


def test_a_compaction_that_names_what_it_keeps_archives_at_once() -> None:
    talk = talk_of()
    reported(talk)
    talk.call("session_compact", sessionId="s", compactionEntry=ENTRY)
    assert [row.call_text for row in talk.driver.archived["s"].values()] == [
        "user text",
        'read path="owl.py"',
        'read path="owl.py"',
        "assistant text",
    ]
    assert texts(talk)[2] == "the owl is 4711"
    assert not [text for text in texts(talk) if "elk" in text]
    assert replayed(talk).findings == ()


def test_a_result_that_the_host_clears_is_found_and_its_message_is_not() -> None:
    talk, messages = talk_of("anthropic"), owls("anthropic")
    talk.context(messages)
    result = {**messages[2]["content"][0], "content": "[cleared]"}
    cleared = [*messages[:2], {**messages[2], "content": [result]}, *messages[3:]]
    talk.context(cleared)
    (text,) = texts(talk)
    assert text.startswith("def func_0_0()")
