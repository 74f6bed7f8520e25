"""When a summary is asked for at the end of the host's list, and what a host may do with that call."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.scenarios.compaction.trees import LONG, MODEL, OURS, SMALL, structured, turn_part, work
from tests.contract.talk import Fields, Messages, Talk
from tests.contract.tree import Tree

HOUR_MS = 3_600_000
TTL_MS = 300_000


class Host:
    """A host whose model can be asked at the end of its list, after a session of six turns."""

    def __init__(self, preset: str = "off", **keys: Any) -> None:
        capabilities = {**MODEL, "completeOnContext": True}
        policy = {
            **OURS,
            "preset": preset,
            **keys,
            "compaction": {**OURS["compaction"], **keys.get("compaction", {})},
        }
        self.talk = Talk(policy, capabilities=capabilities, version="1.1")
        self.make, self.tree = Messages(), Tree()
        self.messages = work(self.make, 6)
        self.tree.say(self.messages)
        self.talk.play(self.messages, tokens=4_000)

    def say(self, message: Fields) -> Fields:
        self.messages.append(message)
        self.tree.say([message])
        return message

    def asks(self) -> list[Fields]:
        return [request["params"] for request in self.talk.asked("complete")]

    def compact(self, answer: Callable[[Fields], Any] | None = None, **params: Any) -> tuple[list[bool], Fields]:
        """Of each call whether it was at the list's end; and what the compaction says of itself."""
        asked: list[bool] = []

        def answered(given: Fields) -> Any:
            asked.append("instruction" in given)
            return (answer or _good)(given)

        id = self.talk.ask("compact", sessionId="s", entries=self.tree.entries, settings=SMALL, **params)
        self.talk.model(answered)
        details: Fields = self.talk.result(id)["compaction"]["details"]["ctxmgr"]
        return asked, details


def _good(params: Fields) -> str:
    if params["purpose"] == "turn-prefix":
        return turn_part("Mend it", "Mended")
    return structured("Mend all parts", "Six are mended")


@pytest.mark.parametrize("after", [TTL_MS, HOUR_MS])
def test_the_time_of_the_call_tells_a_pause_that_no_message_tells(after: int) -> None:
    """Somebody comes back to a session and compacts it before a word is said."""
    host = Host()
    sent = host.say(host.make.user("And now?"))["timestamp"]
    host.talk.context(host.messages, at=sent)
    host.talk.turn_end(host.say(host.make.reply("All is well.")), tokens=4_100)
    _, details = host.compact(at=sent + after)
    assert (" read " in details["bill"]["arithmetic"].split(";")[0]) == (after == TTL_MS)


def test_a_host_that_is_late_gets_a_summary_without_a_model() -> None:
    host = Host(compaction={"deadlineMs": 5_000})
    id = host.talk.ask("compact", sessionId="s", entries=host.tree.entries, settings=SMALL)
    (request,) = host.talk.asked("complete")
    (wake,) = [wake for wake in host.talk.driver.wakes if wake.delay_ms == 5_000]
    host.talk.wake(wake.ticket)
    assert host.talk.asked("complete") == []  # it was taken back, and no copy is asked for
    details = host.talk.result(id)["compaction"]["details"]["ctxmgr"]
    assert (details["strategy"], details["calls"]) == ("extractive", 0)
    assert host.talk.reply(request, {"text": _good(request["params"]), "stopReason": "stop"}) == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"text": structured("Mend all", "Six"), "stopReason": "length"}, "truncated"),
        ({"text": structured("Mend all", "Six"), "stopReason": "toolUse"}, "called a tool"),
        ({"text": "I go on with part 7.", "stopReason": "stop"}, "no sections"),
        ({"text": 3, "stopReason": "stop"}, "failed"),
        ({"stopReason": "stop"}, "empty"),
    ],
)
def test_what_can_not_be_used_is_followed_by_a_copy(bad: Fields, reason: str) -> None:
    asked, details = Host().compact(lambda params: bad if "instruction" in params else _good(params))
    assert asked[0]
    assert set(asked[1:]) == {False}
    assert details["warmFallback"]["reason"] == reason
    assert details["strategy"] == "single-shot"
    assert "I go on" not in str(details)


def test_of_another_branch_that_is_given_as_a_plan_a_copy_is_asked_for() -> None:
    """The plan says what is removed and not what stays, and none of it was in the list that was sent."""
    host = Host()
    other = Tree()
    make = Messages()
    other.say([one for number in range(6) for one in (make.user(f"Tell me of {number}."), make.reply(LONG * 5))])
    plan = host.talk.call("planCompaction", entries=other.entries, settings=SMALL)["preparation"]
    id = host.talk.ask("session_before_compact", sessionId="s", preparation=plan)
    assert {"instruction" in params for params in host.asks()} == {False}
    host.talk.model(_good)
    assert "bill" not in host.talk.result(id)["compaction"]["details"]["ctxmgr"]


CANCELLED = {"text": "", "stopReason": "aborted"}


def test_who_cancels_is_not_asked_again_with_a_copy() -> None:
    asked, details = Host().compact(lambda params: CANCELLED)
    assert asked == [True]
    assert details["strategy"] == "extractive"
    assert details["fallback"]["reason"] == "cancelled"
    assert "warmFallback" not in details
