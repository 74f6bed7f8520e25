"""What status tells people of asking for compactions, and the host that reports no usage."""

import pytest

from ctxmgr.session.methods.queries import BY_ESTIMATE
from tests.contract.talk import HOST, Fields, Messages, Talk

WINDOW = 30_000
LONG = "some words of a file\n" * 4_000  # about 20,000 tokens


def grown(talk: Talk, make: Messages) -> list[Fields]:
    """A user's message, which nothing takes away, of most of the window."""
    messages = [make.user(LONG)]
    talk.context(messages)
    return messages


def asked(answer: Fields) -> list[str]:
    return [command["params"]["reason"] for command in answer["commands"]]


def test_a_host_that_reports_no_usage_is_asked_by_the_estimate() -> None:
    talk, make = Talk(window=WINDOW), Messages()
    messages = grown(talk, make)
    answer = talk.call("turn_end", sessionId="s", message=make.reply("Done."))
    assert asked(answer) == ["threshold"]
    assert answer["status"]["notes"] == [BY_ESTIMATE]
    assert (answer["status"]["tokens"], answer["status"]["zone"]) == (None, "compact")
    talk.context([*messages, make.user("Go on.")])
    assert asked(talk.call("turn_end", sessionId="s", message=make.reply("Done."))) == []  # once an episode


def test_the_first_usage_ends_it() -> None:
    talk, make = Talk(window=WINDOW), Messages()
    talk.call("turn_end", sessionId="s", message=make.reply("Done."))
    assert talk.status()["notes"] == [BY_ESTIMATE]
    talk.turn_end(make.reply("Done."), tokens=900)
    assert talk.status()["notes"] == []
    grown(talk, make)
    answer = talk.call("turn_end", sessionId="s", message=make.reply("Done."))  # this one reply has none
    assert (asked(answer), answer["status"]["notes"]) == ([], [])


AHEAD = {"preset": "turns", "compaction": {"by": "ctxmgr", "prepareAhead": True, "retries": 0}}
CAN = {**HOST, "complete": True}


def ahead(talk: Talk, make: Messages, named: bool = True) -> None:
    """A session in yellow, of a long turn and a short one."""
    messages = [make.user("Do it."), make.reply(LONG * 2), make.user("Go on."), make.reply("Done.")]
    talk.context(messages[:3])
    talk.turn_end(messages[3], tokens=100_000, entryIds={"message": "e4", "user": "e3"} if named else {})


@pytest.mark.parametrize(
    ("policy", "capabilities", "named", "note"),
    [
        (AHEAD, {"complete": True}, True, "prepareAhead does nothing: the host does not declare requestCompaction"),
        ({**AHEAD, "preset": "tools"}, CAN, True, "prepareAhead does nothing: no compaction is asked for"),
        (AHEAD, CAN, False, "prepareAhead wrote nothing: Nothing to compact: no entry that the kept part"),
        (AHEAD, CAN, True, "prepareAhead wrote nothing: no model wrote it"),
    ],
)
def test_why_nothing_was_written_ahead(policy: Fields, capabilities: Fields, named: bool, note: str) -> None:
    talk, make = Talk(policy, capabilities=capabilities), Messages()
    ahead(talk, make, named)
    talk.model(lambda params: {"text": "", "stopReason": "error"})
    assert [one for one in talk.status()["notes"] if one.startswith(note)]
