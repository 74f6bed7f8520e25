"""A session that also goes to a store: what its host is told of that."""

from ctxmgr.model.saved import Stored
from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk

OFFLINE = (
    "nothing goes to the store for now, as it has no such bucket: what is new is kept here, and goes there later"
)
FENCED = "another machine has gone on with this session: nothing more of it is saved in the store from here"


def _told(talk: Talk, seq: int | None, note: str | None = None) -> None:
    talk.driver.stored("s", Stored(seq, note))


@behaviour(
    "store/durable-is-what-is-safe-there",
    "`status.durable` is the newest event that the store has, by its `seq`; before it has any, and without a "
    "store, there is none.",
    "design 2, getStatus",
)
def durable() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    assert talk.status().get("durable") is None
    talk.turn_end(make.reply("One."), tokens=5_000)
    _told(talk, 1)
    talk.turn_end(make.reply("Two."), tokens=5_000)
    status = talk.status()
    assert (status["seq"], status["durable"]) == (2, 1)
    _told(talk, 2)
    assert talk.status()["durable"] == 2
    return talk


@behaviour(
    "store/flush-waits-for-it",
    "`getStatus` with `flush` is answered once the store has what was saved before it; what is asked of the "
    "session after it is answered after it.",
    "design 2, getStatus",
)
def flush() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    talk.turn_end(make.reply("One."), tokens=5_000)
    talk.driver.hold = True
    asked = talk.ask("getStatus", sessionId="s", flush=True)
    after = talk.ask("getScratchpad", sessionId="s")
    assert not talk.answered(asked)
    assert not talk.answered(after)
    _told(talk, 1)
    talk.release()
    assert talk.result(asked)["durable"] == 1
    assert talk.answered(after)
    return talk


@behaviour(
    "store/what-is-wrong-is-a-note",
    "While nothing goes to the store the status says so and why, and the calls go on; when it goes there again the "
    "note is gone. Each is said once to people.",
    "design 2, getStatus",
)
def notes() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    _told(talk, None, OFFLINE)
    for number in range(3):
        talk.turn_end(make.reply(f"{number}."), tokens=5_000)
        _told(talk, None, OFFLINE)
    assert talk.status()["notes"] == [OFFLINE]
    assert talk.said == [OFFLINE]
    _told(talk, 3)
    assert talk.status()["notes"] == []
    return talk


@behaviour(
    "store/who-was-fenced-goes-on-alone",
    "A session that another machine has taken over goes on here: the status says that nothing more of it is saved "
    "there, and `durable` stays where it was.",
    "design 2, getStatus",
)
def fenced() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    talk.turn_end(make.reply("One."), tokens=5_000)
    _told(talk, 1)
    _told(talk, 1, FENCED)
    answer = talk.turn_end(make.reply("Two."), tokens=5_000)
    assert answer["seq"] == 2
    status = talk.status()
    assert (status["seq"], status["durable"], status["notes"]) == (2, 1, [FENCED])
    assert talk.said == [FENCED]
    return talk
