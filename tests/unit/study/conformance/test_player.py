"""What a script means: lines that hold, and what fails with which line and path."""

import json
import re
from typing import Any

import pytest

from ctxmgr.study.conformance.script import ExpectationFailed
from tests.unit.study.conformance.scripts import (
    START,
    STATE_DIR,
    answer,
    ask,
    asked,
    error,
    exits,
    note,
    play,
    process,
    reply,
    script,
)

ANY, REST = {"$any": True}, {"$rest": True}
STATUS = ask(3, "getStatus", sessionId="s")
BAD = ask(3, "setPolicy", policy={"colour": "red"})
AT_39000 = {"sessionId": "s", "message": {"role": "assistant", "content": []}, "usage": {"tokens": 39_000}}
PRESSED = note("turn_end", **AT_39000)
MESSAGES = [
    message
    for turn in range(1, 5)
    for message in (
        {"role": "user", "content": "Mend it.", "timestamp": turn * 2000},
        {"role": "assistant", "content": "Mended. " * 20, "stopReason": "stop", "timestamp": turn * 2000 + 1000},
    )
]
ENTRIES = [
    {
        "type": "message",
        "id": f"e{index}",
        "parentId": f"e{index - 1}" if index else None,
        "timestamp": 1,
        "message": message,
    }
    for index, message in enumerate(MESSAGES)
]
COMPACT = ask(3, "compact", sessionId="s", entries=ENTRIES)


HOLDING: list[tuple[Any, ...]] = [
    (answer(2, {"restored": False}), STATUS, answer(3, {"zone": {"$type": "string"}})),
    (STATUS, ask(4, "getStatus", sessionId="none"), error(4, {"code": -32001}), answer(3, {"mode": "on"})),
    (STATUS, ask(3, "getStatus", sessionId="none"), answer(3, ANY), error(3, ANY)),  # one id twice: in order
    (ask("x", "getStatus", sessionId="s"), answer("x", ANY)),
    (answer(2, {"seq": {"$capture": "seq"}}), STATUS, answer(3, {"seq": {"$ref": "seq"}})),
    ({"from": "host", "broken": '{"id": 9, '}, error(9, {"code": -32700})),
    ({"from": "host", "broken": "nonsense"}, error(None, {"code": -32700})),
    ({"from": "host", "message": [STATUS["message"]]}, error(None, {"code": -32600})),
    (PRESSED, asked({"$capture": "it"}, "requestCompaction", {"tokens": 39_000}), reply({"$ref": "it"}, {})),
    (process("kill"), *START, answer(2, {"restored": True})),
    (STATUS, process("kill"), *START),  # what was open is lost
    (process("close"), exits(0), *START, answer(2, {"restored": True})),
    (process("close"), *START, answer(2, {"restored": True})),
    (ask(3, "shutdown"), note("exit"), exits(0)),
    (note("exit"), exits({"$not": 0})),
    (process("close"), exits(ANY)),
    (ask(3, "rpc.discover"), answer(3, {"openrpc": ANY})),
    (note("initialized"),),
    (COMPACT, *(asked(ANY, "complete", ANY) for _ in range(2)), process("kill")),
]


def test_what_holds() -> None:
    for lines in HOLDING:
        assert play(script(*START, *lines)).sent_count >= 2


FAILING: list[tuple[tuple[Any, ...], int, str, str | None]] = [
    ((STATUS, answer(3, {"zone": "red"})), 5, "answer to id 3 is not what was expected", "$.result.zone"),
    ((STATUS, error(3, ANY)), 5, "not what was expected", "$.error"),
    ((BAD, answer(3, {})), 5, "not what was expected", "$.result"),
    ((BAD, error(3, {"code": -32001})), 5, "not what was expected", "$.error.code"),
    ((BAD, note("initialized")), 4, "`setPolicy` was answered with an error", "$"),
    ((answer(9, ANY),), 4, "answer to id 9 did not arrive within 1 s", None),
    ((asked(ANY, "requestCompaction", ANY),), 4, "request `requestCompaction` did not arrive", None),
    (({"from": "ctxmgr", "message": {"method": "$/progress"}},), 4, "notification `$/progress` did", None),
    ((note("exit"), answer(9, ANY)), 5, "answer to id 9: the process closed its output first", None),
    ((PRESSED,), 4, "request `requestCompaction` was not expected", "$"),
    ((PRESSED, asked(ANY, "requestCompaction", {"tokens": 1})), 5, "not what", "$.params.tokens"),
    ((process("kill"), STATUS, process("kill"), answer(3, ANY)), 7, "no process runs", None),
    ((process("kill"), process("kill")), 5, "no process runs", None),
    ((process("kill"), process("close")), 5, "no process runs", None),
    ((process("kill"), exits(0)), 5, "no process runs", None),
    ((ask(3, "shutdown"), note("exit"), exits(3)), 6, "the exit code is not what was expected", "$"),
    (({"from": "host", "broken": "nonsense"},), 4, "answer to id null was not expected", "$"),
]


def test_what_fails() -> None:
    for lines, number, words, path in FAILING:
        with pytest.raises(ExpectationFailed, match=re.escape(words)) as caught:
            play(script(*START, *lines))
        assert caught.value.number == number
        assert (caught.value.mismatch and caught.value.mismatch.path) == path


def test_a_script_that_sends_nothing_starts_nothing() -> None:
    assert play(script({"comment": "nothing"})).sidecar is None


def test_without_match_in_the_header_a_line_is_compared_whole() -> None:
    with pytest.raises(ExpectationFailed) as caught:
        play(script(*START, STATUS, answer(3, {"mode": "on"}), match=None))
    assert caught.value.mismatch is not None
    mismatch = caught.value.mismatch
    assert (mismatch.path, mismatch.recorded, mismatch.received) == ("$.result.preset", "nothing", '"balanced"')


def test_initialize_gets_the_state_directory_where_it_names_none() -> None:
    bodies: list[bytes] = []
    play(script(START[0]), on_message=lambda sender, body: bodies.append(body))
    own = ask(1, "initialize", protocolVersion="1.0", stateDir="/own")
    play(script(own), on_message=lambda sender, body: bodies.append(body))
    directories = [json.loads(body)["params"]["stateDir"] for body in bodies if b'"initialize"' in body]
    assert directories == [STATE_DIR, "/own"]


def test_what_is_captured_is_sent() -> None:
    bodies: list[bytes] = []
    line = ask(3, "getStatus", sessionId="s", a={"$ref": "mode"}, b={"$ref": "stateDir"}, c={"$literal": {"$x": 1}})
    capturing = answer(2, {"status": {"mode": {"$capture": "mode"}}})
    play(script(*START, capturing, line, answer(3, ANY)), on_message=lambda sender, body: bodies.append(body))
    (sent,) = [json.loads(body)["params"] for body in bodies if b"getStatus" in body]
    assert sent == {"sessionId": "s", "a": "on", "b": STATE_DIR, "c": {"$x": 1}}


def test_what_stands_on_the_output_and_is_no_message_is_a_failure() -> None:
    for tail in (b"Traceback: owl\r\n\r\n", b"Content-Length: 3\r\n\r\n[1]", b"Content-Length: 3\r\n\r\n{}}"):
        with pytest.raises(ExpectationFailed, match="the output is not a message: n"):
            play(script(*START), tail=tail)


def test_an_answer_in_the_other_framing_is_a_failure() -> None:
    with pytest.raises(ExpectationFailed, match="the host sends ndjson, it was answered in content-length"):
        play(script(note("initialized")), framing="ndjson", tail=b"Content-Length: 2\r\n\r\n{}")


def test_a_cancelled_request_is_awaited() -> None:
    taken = [asked(ANY, "complete", ANY), asked(ANY, "complete", ANY)]
    cancel = note("$/cancelRequest", id=3)
    back = {"from": "ctxmgr", "message": {"method": "$/cancelRequest"}}
    assert play(script(*START, COMPACT, *taken, cancel, error(3, {"code": -32800}), back, back)).matched_count == 5
    unexpected = play(script(*START, COMPACT, *taken, cancel, error(3, {"code": -32800})))
    assert unexpected.matched_count == 3  # notifications that no line expects are passed over
    with pytest.raises(ExpectationFailed, match="`compact` was answered with an error"):
        play(script(*START, COMPACT, *taken, cancel))
