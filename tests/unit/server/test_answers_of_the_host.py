"""What a host answers to `complete`: the first answer counts, one that is none is an error, one that does not come
is waited for until the deadline; the call that waits for it is answered once in each case."""

from typing import Any

from ctxmgr.server import effects as do
from tests.unit.server.host import LONG, Host, a, call, code_of, u

TREE = [
    {"type": "message", "id": f"e{number}", "parentId": f"e{number - 1}" if number else None, "message": message}
    for number, message in enumerate([u(LONG), a(LONG)] * 4)
]
POLICY = {"compaction": {"by": "ctxmgr", "keepRecentTokens": 200, "reserveTokens": 4_000}}
SECTIONS = "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"
SUMMARY = "## Goal\nThe owl's summary of all that was said.\n" + "".join(
    f"\n## {one}\n- none\n" for one in SECTIONS
)
TEXT = {"text": SUMMARY, "stopReason": "stop"}


def asked() -> tuple[Host, list[Any]]:
    """A host whose model is asked to write a compaction, and the ids of what it was asked."""
    host = Host().ready("s", complete=True)
    host.call("policy", "setPolicy", sessionId="s", policy=POLICY)
    sent = host.write(call("compact", "compact", sessionId="s", entries=TREE, deadlineMs=5_000))
    ids = [one["id"] for one in sent if one.get("method") == "complete"]
    assert ids
    return host, ids


def answers(host: Host) -> list[dict[str, Any]]:
    return [one for one in host.sent if one.get("id") == "compact"]


def until_answered(host: Host, **members: Any) -> None:
    """Gives each `complete` this answer, those that come of it too."""
    told = 0
    while told < len(ids := [one["id"] for one in host.sent if one.get("method") == "complete"]):
        host.write({"jsonrpc": "2.0", "id": ids[told], **members})
        told += 1
    assert len(answers(host)) == 1


def test_both_result_and_error_is_an_error() -> None:
    host, _ = asked()
    until_answered(host, result=TEXT, error={"code": -1, "message": "and an error"})
    (answer,) = answers(host)
    assert "owl's summary" not in answer["result"]["compaction"]["summary"]
    assert host.call("alive", "getStatus", sessionId="s")["result"]


def test_an_answer_of_no_version_is_an_error_too() -> None:
    host, _ = asked()
    until_answered(host, jsonrpc="1.0", result=TEXT)
    assert "owl's summary" not in answers(host)[0]["result"]["compaction"]["summary"]


def test_the_second_answer_is_passed_over() -> None:
    host, (id, *_) = asked()
    until_answered(host, result=TEXT)
    sent = len(host.sent)
    host.write({"jsonrpc": "2.0", "id": id, "result": {"text": "another", "stopReason": "stop"}})
    host.write({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "x"}})
    assert len(host.sent) == sent
    assert host.said.count("the host answered a request that is not open") == 2


def test_none_is_waited_for_until_the_deadline_and_what_comes_late_is_passed_over() -> None:
    host, ids = asked()
    (wake,) = [one for one in host.log if isinstance(one, do.StartTimer)]
    assert wake.delay_ms == 5_000
    host.carry_out(host.connection.resume(wake.ticket, None))
    (answer,) = answers(host)
    assert code_of(answer) is None
    assert [one["params"]["id"] for one in host.sent if one.get("method") == "$/cancelRequest"] == ids
    host.write(*({"jsonrpc": "2.0", "id": id, "result": TEXT} for id in ids))
    assert answers(host) == [answer]
