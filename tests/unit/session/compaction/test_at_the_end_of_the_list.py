"""When a summary is asked for at the end of the host's list, and what a host may do with that call."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.scenarios.compaction.trees import MODEL, OURS, SMALL, structured, turn_part, work
from tests.contract.talk import Fields, Messages, Talk
from tests.contract.tree import Tree


class Host:
    """A host whose model can be asked at the end of its list, after a session of six turns."""

    def __init__(self) -> None:
        capabilities = {**MODEL, "completeOnContext": True}
        self.talk = Talk({**OURS, "preset": "off"}, capabilities=capabilities, version="1.1")
        self.tree, messages = Tree(), work(Messages(), 6)
        self.tree.say(messages)
        self.talk.play(messages, tokens=4_000)

    def compact(self, answer: Callable[[Fields], Any]) -> tuple[list[bool], Fields]:
        """Of each call whether it was at the list's end; and what the compaction says of itself."""
        asked: list[bool] = []

        def answered(given: Fields) -> Any:
            asked.append("instruction" in given)
            return answer(given)

        id = self.talk.ask("compact", sessionId="s", entries=self.tree.entries, settings=SMALL)
        self.talk.model(answered)
        details: Fields = self.talk.result(id)["compaction"]["details"]["ctxmgr"]
        return asked, details


def _good(params: Fields) -> str:
    if params["purpose"] == "turn-prefix":
        return turn_part("Mend it", "Mended")
    return structured("Mend all parts", "Six are mended")


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


CANCELLED = {"text": "", "stopReason": "aborted"}


def test_who_cancels_is_not_asked_again_with_a_copy() -> None:
    asked, details = Host().compact(lambda params: CANCELLED)
    assert asked == [True]
    assert details["strategy"] == "extractive"
    assert details["fallback"]["reason"] == "cancelled"
    assert "warmFallback" not in details
