"""Replay of transcripts: the same is the same, a planted difference is found and named."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ctxmgr.study.conformance import replay
from ctxmgr.study.recordings.recording import UnreadableRecording
from ctxmgr.wire import transcript
from ctxmgr.wire.transcript import RULES
from tests.inprocess import InProcess

USER = {"role": "user", "content": "Goal: mend the report", "timestamp": 1}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "stopReason": "stop", "timestamp": 2}


def talk(host: InProcess) -> None:
    host.request("context", sessionId="s", messages=[USER])
    host.notify("turn_end", sessionId="s", message=REPLY, usage={"tokens": 190_000})
    for asked in host.requests:
        host.answer(asked, {"accepted": True})
    host.request("session_shutdown", sessionId="s")


def recorded(host: InProcess) -> bytes:
    return b"".join(line + b"\n" for line in host.recorded)


@pytest.fixture
def conversation() -> bytes:
    host = InProcess()
    talk(host)
    return recorded(host)


def test_the_same_version_says_the_same(conversation: bytes) -> None:
    result = replay("t", conversation)
    assert result.findings == ()
    assert (result.host_lines, result.compared_count) == (6, 5)
    assert result.text == conversation


def changed(content: bytes, change: Callable[[dict[str, Any]], bool]) -> bytes:
    """The transcript with the first message of ctxmgr changed for which `change` says so."""
    lines = content.splitlines()
    for index, line in enumerate(lines):
        body = json.loads(line)
        if body.get("from") == "ctxmgr" and "message" in body and change(body["message"]):
            lines[index] = json.dumps(body, separators=(",", ":")).encode()
            return b"\n".join(lines) + b"\n"
    raise AssertionError("nothing was changed")


def plant_report(message: dict[str, Any]) -> bool:
    if "report" not in message.get("result", {}):
        return False
    message["result"]["report"]["tokens"] += 1
    return True


def plant_reason(message: dict[str, Any]) -> bool:
    if message.get("method") != "requestCompaction":
        return False
    message["params"]["reason"] = "overflow"
    return True


def plant_version(message: dict[str, Any]) -> bool:
    if "serverInfo" not in message.get("result", {}):
        return False
    message["result"]["serverInfo"]["version"] = "0.0.0"
    return True


@pytest.mark.parametrize(
    ("plant", "path"), [(plant_report, "$.result.report.tokens"), (plant_reason, "$.params.reason")]
)
def test_a_planted_difference_is_named(
    conversation: bytes, plant: Callable[[dict[str, Any]], bool], path: str
) -> None:
    (finding,) = replay("t", changed(conversation, plant)).findings
    assert finding.path == path
    assert finding.line_number > 1


def test_another_version_is_no_difference(conversation: bytes) -> None:
    assert replay("t", changed(conversation, plant_version)).findings == ()


def test_an_answer_too_few_and_one_too_many(conversation: bytes) -> None:
    lines = conversation.splitlines()
    last = next(line for line in lines if b'"result":{"restored"' in line)
    fewer = b"\n".join(line for line in lines if line != last)
    (finding,) = replay("t", fewer).findings
    assert (finding.line_number, finding.recorded) == (0, "nothing")
    again = last.replace(b'"id":2', b'"id":99')
    assert again != last
    (finding,) = replay("t", conversation + again).findings
    assert finding.received == "nothing"
    assert finding.line_number == len(lines) + 1


def test_progress_is_not_compared(conversation: bytes) -> None:
    progress = transcript.line("ctxmgr", b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":1}}')
    assert replay("t", conversation + progress).findings == ()


def test_host_lines_alone_make_a_transcript(conversation: bytes) -> None:
    lines = [line for line in conversation.splitlines() if line.startswith(b'{"from":"host"')]
    made = replay("t", b"\n".join(lines), rewrite=True)
    assert made.text == conversation


def test_what_was_restored_is_restored_again() -> None:
    first = InProcess()
    talk(first)
    second = InProcess(snapshots={"s": first.open("s")})
    talk(second)
    content = recorded(second)
    assert b'"restored":"s"' in content
    assert replay("t", content).findings == ()
    without = b"\n".join(line for line in content.splitlines() if b'"restored":"s"' not in line)
    paths = [finding.path for finding in replay("t", without).findings]
    assert "$.result.restored" in paths


def test_a_cancel_meets_the_work_it_met_then() -> None:
    host = InProcess(hold=True)
    big = {"role": "user", "content": "word " * 200_000, "timestamp": 1}
    id = host.ask("context", sessionId="s", messages=[big])
    host.notify("$/cancelRequest", id=id)
    host.work()
    host.request("getStatus", sessionId="s")
    content = recorded(host)
    assert b"-32800" in content
    assert replay("t", content).findings == ()


def test_a_message_without_jsonrpc_was_said_in_lines() -> None:
    host = InProcess(framing="ndjson")
    host.send({"id": 77, "method": "getStatus", "params": {"sessionId": "s"}})
    host.receive(b"{broken")
    content = recorded(host)
    assert b'"broken":' in content
    assert replay("t", content).findings == ()


HEADER = b'{"ctxmgr":{"rules":%d,"tokenizer":"%%s"}}\n' % RULES


def test_a_broken_transcript_is_said() -> None:
    for content, says in ((HEADER % b"estimate" + b"rubbish\n", "t, line 2"), (HEADER % b"no_such", "no_such")):
        with pytest.raises(UnreadableRecording, match=says):
            replay("t", content)
