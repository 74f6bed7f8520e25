"""Safety of answers: whatever goes wrong inside, the host gets a list that it can send."""

from unittest import mock

from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session.context import listing
from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk, roles

BIG = "word " * 400  # 500 tokens by characters / 4


def _fault(*_: object) -> None:
    raise ZeroDivisionError("planted")


@behaviour(
    "safety/a-fault-inside-answers-a-list-that-fits",
    "If the raw list has outgrown the window, a fault is answered with the last projection plus what came since.",
    "design 2, safety of answers",
    planted=True,
)
def fault() -> Talk:
    talk, make = Talk(window=6_000), Messages()
    messages = [message for number in range(20) for message in make.turn(f"Question {number}.", BIG)]
    messages.append(make.user("And now?"))
    good = talk.context(messages)
    assert good["report"]["rawTokens"] > 6_000
    reply = make.reply("So.")
    messages += [reply, make.user("And then?")]
    with mock.patch.object(listing, "projected", _fault):
        answer = talk.context(messages)
    assert answer["list"] == [*good["list"], *messages[-2:]]
    assert answer["report"]["reason"] == "internal fault: ZeroDivisionError"
    assert "planted" not in str(talk.sent)
    assert talk.context(messages)["report"].get("reason") is None
    return talk


@behaviour(
    "safety/a-fault-with-a-raw-list-that-fits",
    "If nothing was answered yet, a fault is answered with `unchanged` if the raw list fits, else with the turns "
    "that do.",
    "design 2, safety of answers",
    planted=True,
)
def first() -> Talk:
    talk, make = Talk(window=6_000), Messages()
    small = [make.user("Hello.")]
    large = [message for number in range(20) for message in make.turn(f"Question {number}.", BIG)]
    with mock.patch.object(listing, "projected", _fault):
        assert talk.context(small)["unchanged"]
        answer = talk.context([*large, make.user("And now?")])
    assert roles(answer["list"]).startswith("U")
    assert 4 < len(answer["list"]) < len(large)
    assert answer["list"] == [*large, answer["list"][-1]][-len(answer["list"]) :]
    return talk


@behaviour(
    "safety/a-list-without-a-user",
    "A list without a user message, and one with calls that have no results, are returned unchanged.",
    "design 4, always",
)
def headless() -> Talk:
    talk, make = Talk(), Messages()
    messages = [
        make.reply("", make.call("read", path="a.py")),
        make.result("ok"),
        make.reply("", make.call("bash")),
    ]
    assert talk.context(messages)["unchanged"]
    assert talk.context([])["unchanged"]
    return talk


@behaviour(
    "safety/a-restart-goes-on",
    "A new process on the same snapshot answers session_start with what the last answered turn_end knew.",
    "design 9",
)
def restart() -> Talk:
    before, make = Talk(), Messages()
    messages = [message for number in range(8) for message in make.turn(f"Never do thing {number}.")]
    before.play(messages, tokens=50_000)
    talk = Talk(found=SnapshotLoaded(tuple(before.saved)))
    assert talk.started["restored"] is True
    assert talk.started["seq"] == before.status()["seq"] == 16
    assert talk.started["status"]["tokens"] == 50_000
    assert talk.call("getLedger", sessionId="s")["facts"] == before.call("getLedger", sessionId="s")["facts"]
    answer = talk.context([*messages, make.user("And now?")])
    assert answer["report"]["turnsKept"] == 6
    return talk
