"""The host's end of a session finds what is wrong with an answer: each fault planted in a canned one."""

import json
from typing import Any, cast

from ctxmgr.study.driving.host import ReplayHost
from ctxmgr.study.driving.outcomes import ReplayResult
from ctxmgr.study.recordings.pi_host import item
from ctxmgr.study.spawning import RpcClient, RpcFailure

USER = b'{"role":"user","content":"go","timestamp":1}'
REPORT: dict[str, Any] = {
    "rawTokens": 10,
    "tokens": 10,
    "zone": "green",
    "turnsDropped": 0,
    "resultsDistilled": 0,
    "resultsPruned": 0,
    "packetTokens": 0,
    "checks": [],
    "reason": "nothing to leave out",
}


class Canned:
    """A client whose server says what it is told to, and keeps what was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []

    def request_raw(self, method: str, params: bytes) -> bytes:
        self.asked.append((method, json.loads(params)))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return json.dumps(answer).encode()


def side(*answers: Any, append: bool = False) -> tuple[ReplayHost, Canned]:
    canned = Canned(*answers)
    made = ReplayHost(cast(RpcClient, canned), "s", ReplayResult("f", "turns", 1_000), append)
    made.items = [item("1", USER)]
    return made, canned


def answer(**changes: Any) -> dict[str, Any]:
    outer = {"unchanged": True, "base": "b", "seq": 0}
    outer.update({name: changes.pop(name) for name in list(changes) if name in ("seq", "messages")})
    return {**outer, "report": {**REPORT, **changes}}


def test_what_is_right_is_no_failure() -> None:
    host, _ = side(answer())
    host.context(5)
    assert host.outcome.failures == []
    assert host.outcome.calls[0].before_tokens == 10


def test_each_planted_fault_is_named() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"seq": 1}, "answered seq 1, 0 events have taken effect"),
        ({"seq": None}, "answered seq None"),
        ({"checks": ["pairs"]}, "broken checks: pairs"),
        ({"reason": "internal fault: KeyError"}, "fell back: internal fault: KeyError"),
        ({"tokens": 11}, "11 tokens answered of 10"),
    ]
    for changes, words in cases:
        host, _ = side(answer(**changes))
        host.context(5)
        assert any(words in text for text in host.outcome.failures), host.outcome.failures


def test_an_answer_that_was_not_sent_is_named() -> None:
    wrong = answer()
    del wrong["unchanged"]
    host, _ = side({**wrong, "messages": [{"role": "user", "content": "other"}]})
    host.context(5)
    assert "none that was sent" in host.outcome.failures[0]


def test_events_that_count_raise_the_expected_seq() -> None:
    host, _ = side({"status": {}, "seq": 1}, {"status": {}, "seq": 1})
    host.ask("model_select", {}, counted=True)
    assert host.outcome.failures == []
    host.ask("model_select", {}, counted=True)
    assert host.outcome.failures == ["call 0: model_select answered seq 1, 2 events have taken effect"]


def test_append_sends_what_is_new_and_all_after_a_refusal() -> None:
    host, canned = side(answer(), RpcFailure(-32801, "stale"), answer(), append=True)
    host.context(5)
    host.items.append(item("2", USER))
    host.context(6)
    new = canned.asked[1][1]["append"]
    assert (new["after"], new["base"], len(new["messages"])) == (1, "b", 1)
    assert len(canned.asked[2][1]["messages"]) == 2
    assert host.outcome.failures == ["call 1: append was refused though nothing was changed: stale"]


def test_a_list_written_anew_is_sent_whole() -> None:
    host, canned = side(answer(), answer(), append=True)
    host.context(5)
    host.rewritten()
    host.context(6)
    assert "append" not in canned.asked[1][1]
    assert host.outcome.failures == []


def test_commands_are_counted_and_unknown_ones_named() -> None:
    command = {"method": "requestCompaction", "params": {"reason": "threshold"}}
    status = {"zone": "red", "tokens": 900}
    host, _ = side({"commands": [command, {**command, "method": "dance"}], "status": status, "seq": 1})
    host.turn_end(b"{}")
    assert host.outcome.requested == 1
    assert host.outcome.failures == ["call 0: an unknown command dance"]
    assert host.outcome.marks[0].text == "red at 900 tokens: threshold"
