"""The conformance kit without processes: its sides against each other, ctxmgr, and peers that are wrong."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.study.conformance.following import reason
from ctxmgr.study.conformance.golden import read
from ctxmgr.study.conformance.host_side import GoldenHost
from ctxmgr.study.conformance.server_side import GoldenServer
from ctxmgr.study.spawning import Driver
from ctxmgr.wire.framing import Framer, frame
from tests.unit.study.goldens import (
    APPEND,
    COMPACTION,
    LATCH,
    NAMES,
    SIX,
    both,
    change,
    doctored,
    golden,
    path,
    twice,
    without,
)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "values"])
@pytest.mark.parametrize("name", NAMES)
def test_the_kit_speaks_with_itself(name: str, exact: bool) -> None:
    host, server = both(golden(name), golden(name), exact, "content-length" if exact else "ndjson")
    assert (host.findings, server.findings) == ([], [])
    assert server.matched_lines == server.host_lines
    assert host.compared > 0


@pytest.mark.parametrize("name", [name for name in NAMES if reason(golden(name), True, False) is None])
def test_ctxmgr_in_process_says_what_is_recorded(name: str) -> None:
    side = GoldenHost(golden(name), "content-length", True, "/state")
    found = {
        line.fields["session"]: SnapshotLoaded(tuple(map(bytes, line.fields["lines"]))) for line in restored(name)
    }
    driver = Driver(found=found)
    said = side.begin()
    while said:
        bodies = driver.feed(said)
        said = side.feed(b"".join(b"".join(frame("content-length", [body])) for body in bodies)) if bodies else b""
    assert side.finish("nothing more") == []
    assert side.compared > 0


def restored(name: str) -> list[Any]:
    """The first of each session: what comes later is what the process itself has saved."""
    found = [line for line in golden(name).lines if line.kind == "restored"]
    return [line for at, line in enumerate(found) if line.fields["session"] not in
            {one.fields["session"] for one in found[:at]}]  # fmt: skip


# planted faults: a ctxmgr that is wrong


@pytest.mark.parametrize(
    ("name", "doctor", "line", "where"),
    [
        ("pruning/status", change(5, "result", "status", "zone", to="red"), 5, "$.result.status.zone"),
        ("pruning/status", change(5, "result", "odd", to=1), 5, "$.result.odd"),
        ("errors/unknown-session", change(7, "error", "code", to=-32603), 7, "$.error.code"),
        (SIX, change(11, "result", "messages", 1, "content", to="A"), 11, "$.result.messages[1].content"),
        (LATCH, without(7), 7, "$"),
        (LATCH, twice(7), 0, "$"),
        (LATCH, without(10), 10, "$"),
        (LATCH, change(7, "params", "tokens", to=130_001), 7, "$.params.tokens"),
        (LATCH, change(7, "method", to="complete"), 7, "$.method"),
    ],
)
def test_a_wrong_ctxmgr_is_caught(
    name: str, doctor: Callable[[list[dict[str, Any]]], None], line: int, where: str
) -> None:
    host, _ = both(golden(name), doctored(name, doctor))
    assert (host.findings[0].line_number, host.findings[0].path) == (line, where)
    exact, _ = both(golden(name), doctored(name, doctor), exact=True)
    assert exact.findings


def test_a_kept_message_that_is_spelled_anew_is_caught() -> None:
    """As values it is the same; a host was promised its bytes."""
    content = path(SIX).read_bytes()
    at = content.index(b'"result":{"messages":[')
    spelled = content[:at] + content[at:].replace(b'{"role":"user","content":', b'{"role":"user", "content":', 1)
    assert spelled != content
    host, _ = both(golden(SIX), read(SIX, spelled))
    assert [found.path.startswith("$.result.messages[1], $ (same values") for found in host.findings] == [True]


ODD = "fidelity/unknown-things-pass-through"
PLAN = "compaction/plan"
DESCRIBED = "connection/describes-itself"
ENDED = "connection/exit"


def reencoded(body: bytes, **spelling: Any) -> bytes:
    """What a proxy makes of an answer by taking its JSON apart and writing it anew."""
    message = json.loads(body)
    held = message.get("result") if isinstance(message, dict) else None
    if not isinstance(held, dict) or not {"messages", "preparation"} & set(held):
        return body
    return json.dumps(message, ensure_ascii=False, **spelling).encode()


def said_by_a_proxy(name: str, exact: bool, proxy: Callable[[bytes], bytes]) -> list[Any]:
    """The findings, where all that is recorded goes through a proxy."""
    side, server, framer = (
        GoldenHost(golden(name), "content-length", exact, "/state"),
        GoldenServer(golden(name)),
        Framer(),
    )
    said = side.begin()
    while said:
        bodies = [proxy(body) for body in framer.feed(server.feed(said)) if isinstance(body, bytes)]
        said = side.feed(b"".join(b"".join(frame("content-length", [body])) for body in bodies)) if bodies else b""
    return side.finish("nothing more")


COMPACT = (",", ":")


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "values"])
@pytest.mark.parametrize(
    ("name", "proxy", "came"),
    [
        (ODD, lambda body: reencoded(body, separators=COMPACT), "no strict JSON: Infinity"),
        (SIX, lambda body: reencoded(body), ""),
        (PLAN, lambda body: reencoded(body), ""),
        (ODD, lambda body: body.replace(b"1e400", b"null"), "null"),
        (ODD, lambda body: body.replace(b"1e400", b"1e999"), "1e999"),
        (ODD, lambda body: body.replace(b"1e400", b"NaN"), "no strict JSON: NaN"),
        (ODD, lambda body: body.replace(b"\\u00e9", "é".encode()), "é"),
        (ODD, lambda body: body.replace(b'"timestamp":1.0', b'"timestamp":1'), "1"),
        (ODD, lambda body: body.replace(b'"role": "user"', b'"role":"user"'), ""),
        (ODD, lambda body: body.replace(b',{"role":"hologram"', b',7,{"role":"hologram"'), "7"),
        (LATCH, lambda body: b"\xef\xbb\xbf" + body, "no strict JSON"),
        (LATCH, lambda body: body.decode().encode("utf-16"), "no strict JSON"),
    ],
)
def test_a_proxy_that_spells_anew_is_caught(
    name: str, exact: bool, proxy: Callable[[bytes], bytes], came: str
) -> None:
    assert said_by_a_proxy(name, exact, lambda body: body) == []
    found = said_by_a_proxy(name, exact, proxy)
    assert found
    assert came in found[0].received


def test_lists_of_another_length_are_not_the_same() -> None:
    """Also where nothing else would tell: kept messages are compared one by one."""
    side = GoldenHost(golden(SIX), "ndjson", False, "/state")
    was = b'{"result":{"messages":[{"a":1},{"b":2}]}}'
    for now in (b'{"result":{"messages":[{"a":1}]}}', b'{"result":{"messages":{"a":1}}}', b'{"result":7}', b"{"):
        assert side._kept(was, now) is not None
    assert side._kept(was, b'{"result": {"messages":[{"a":1},{"b":2}]}}') is None


def test_a_host_that_says_no_strict_json_is_caught() -> None:
    """1e400 and Infinity are the same to a lenient reader, and to a strict one the latter is nothing at all."""
    lines = [line.body for line in golden(ODD).lines if line.sender == "host"]
    for doctor, expected in ((lambda body: body, 0), (lambda body: body.replace(b"1e400", b"Infinity"), 1)):
        server = GoldenServer(golden(ODD))
        for body in map(doctor, lines):
            server.feed(body + b"\n")
        assert len(server.findings) == expected


def test_what_a_ctxmgr_may_choose_is_not_compared() -> None:
    """Names, bases and ids of its own; the host says those, not the recorded ones."""

    def other(lines: list[dict[str, Any]]) -> None:
        for line in lines:
            message = line.get("message")
            if isinstance(message, dict):
                spell(message, line["from"])

    def spell(message: dict[str, Any], sender: str) -> None:
        result = message.get("result")
        if str(message.get("id")).startswith("ctxmgr-"):
            message["id"] = 1000 + int(message["id"].removeprefix("ctxmgr-"))
        if sender == "ctxmgr" and isinstance(result, dict):
            if "serverInfo" in result:
                result |= {"serverInfo": {"name": "another", "version": "7"}, "capabilities": {}}
            if "base" in result:
                result["base"] = f"own-{result['base']}"
        if "error" in message:
            message["error"]["message"] = "in other words"
        append = (message.get("params") or {}).get("append") if isinstance(message.get("params"), dict) else None
        if append and "." in append["base"]:
            append["base"] = f"own-{append['base']}"

    for name in (APPEND, COMPACTION, LATCH, "errors/unknown-session"):
        host, server = both(golden(name), doctored(name, other))
        assert (host.findings, server.findings) == ([], [])
        exact, _ = both(golden(name), doctored(name, other), exact=True)
        assert exact.findings


@pytest.mark.parametrize(
    ("name", "to", "same"),
    [("summary", "in other words", True), ("params", [], True), ("name", "session_begin", False)],
)
def test_a_description_names_the_methods_and_words_them_as_it_likes(name: str, to: Any, same: bool) -> None:
    wrong = doctored(DESCRIBED, change(7, "result", "methods", 0, name, to=to))
    host, _ = both(golden(DESCRIBED), wrong)
    assert (host.findings == []) is same
    exact, _ = both(golden(DESCRIBED), wrong, exact=True)
    assert exact.findings


def test_a_host_that_said_exit_is_not_waited_for() -> None:
    server = GoldenServer(golden(ENDED))
    for line in golden(ENDED).lines:
        assert not server.ended
        if line.sender == "host":
            server.feed(line.body + b"\n")
    assert server.ended
    assert server.finish("") == []


def test_an_answer_in_another_framing_is_caught() -> None:
    side = GoldenHost(golden(LATCH), "content-length", False, "/state")
    side.begin()
    side.feed(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
    assert [(found.recorded, found.received) for found in side.findings] == [("content-length", "ndjson")]
    assert side.done


def test_output_that_is_no_message_is_caught() -> None:
    side = GoldenHost(golden(LATCH), "content-length", False, "/state")
    side.begin()
    side.feed(b"Traceback: something\r\n\r\n")
    assert "none: " in side.findings[0].received


# planted faults: a host that says something else


@pytest.mark.parametrize(
    ("doctor", "line", "where"),
    [
        (change(4, "params", "model", "contextWindow", to=7), 4, "$.params.model.contextWindow"),
        (change(4, "params", "extra", to=7), 4, "$.params.extra"),
        (change(6, "method", to="turn_begin"), 6, "$"),
        (change(6, "id", to=9), 6, "$"),  # a request, where a notification is recorded
        (change(8, "result", "accepted", to=False), 8, "$.result.accepted"),
        (without(6), 6, "$"),
        (without(8), 8, "$"),
        (without(9), 9, "$"),
        (twice(9), 0, "getStatus 3"),
    ],
)
def test_a_wrong_host_is_caught(doctor: Callable[[list[dict[str, Any]]], None], line: int, where: str) -> None:
    _, server = both(doctored(LATCH, doctor), golden(LATCH))
    found = server.findings[0]
    assert found.line_number == line
    assert where in (found.path, found.what)


def test_a_host_has_ids_and_names_of_its_own() -> None:
    """Whatever it calls its requests and its session, it is answered by that; `initialized` may be said."""
    server, framer = GoldenServer(golden(LATCH)), Framer()
    answers: list[dict[str, Any]] = []

    def say(**message: Any) -> None:
        said = server.feed(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        answers.extend(json.loads(body) for body in framer.feed(said) if isinstance(body, bytes))

    lines = [line for line in golden(LATCH).lines if line.sender == "host"]
    params = [json.loads(line.body).get("params") for line in lines]
    own = {"clientInfo": {"name": "mine"}, "stateDir": "/mine"}
    say(id="a", method="initialize", params={**params[0], **own})
    say(method="initialized")
    say(id="b", method="session_start", params={**params[1], "sessionId": "mine"})
    say(method="turn_end", params={**params[2], "sessionId": "mine"})
    asked = answers[-1]
    assert (asked["method"], asked["params"]["sessionId"]) == ("requestCompaction", "mine")
    say(id="c", method="getStatus", params={"sessionId": "mine"})  # before its answer: that is the host's choice
    say(id=asked["id"], result={"accepted": True})
    say(id="d", method="session_shutdown", params={"sessionId": "mine"})
    say(id="e", method="shutdown")
    say(method="exit")
    assert [one["id"] for one in answers if "method" not in one] == ["a", "b", "c", "d", "e"]
    assert server.ended
    assert server.finish("") == []


def test_who_is_out_of_step_is_refused_and_never_waits() -> None:
    server = GoldenServer(golden(LATCH))
    said = server.feed(b'{"jsonrpc":"2.0","id":1,"method":"getStatus"}\n{"jsonrpc":"2.0","id":2,"method":"x"}\n')
    assert [json.loads(line)["error"]["code"] for line in said.splitlines()] == [-32803, -32803]
    assert len(server.finish("the host ended")) == 1


def test_a_mark_lets_the_host_choose() -> None:
    wrong = change(4, "params", "model", "contextWindow", to=7)
    _, server = both(doctored(LATCH, wrong), golden(LATCH))
    assert server.findings

    def marked(lines: list[dict[str, Any]]) -> None:
        lines[0]["ctxmgr"]["any"] = ["$.params.model.contextWindow"]

    _, server = both(doctored(LATCH, wrong), doctored(LATCH, marked))
    assert server.findings == []
