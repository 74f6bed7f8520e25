"""The conformance kit without processes: its sides against each other, ctxmgr, and peers that are wrong."""

import json
from collections.abc import Callable
from typing import Any

from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.study.conformance.golden import Golden, read, reason
from ctxmgr.study.conformance.host_side import GoldenHost, kept_difference
from ctxmgr.study.conformance.server_side import GoldenServer
from ctxmgr.study.spawning import InProcessDriver
from ctxmgr.wire.framing import Framer, frame
from tests.unit.study.goldens import (
    APPEND,
    COMPACTION,
    LATCH,
    NAMES,
    SIX,
    Served,
    both,
    change,
    doctored,
    golden,
    path,
    twice,
    without,
)

ODD = "fidelity/unknown-things-pass-through"
PLAN = "compaction/plan"
DESCRIBED = "connection/describes-itself"
ENDED = "connection/exit"

Lines = list[dict[str, Any]]


def test_the_kit_speaks_with_itself() -> None:
    for name in NAMES:
        host, server = both(golden(name), golden(name), "ndjson")
        assert (host.findings, server.findings) == ([], []), name
        assert server.matched_lines == server.host_lines, name
        assert host.compared_count > 0, name


def test_ctxmgr_in_process_says_what_is_recorded() -> None:
    """One of each area; `tests/contract` replays all."""
    followed = {name.split("/")[0]: name for name in NAMES if reason(golden(name), snapshots=True) is None}
    for name in followed.values():
        played = golden(name)
        sidecar = InProcessDriver()
        for line in reversed(played.lines):
            if line.kind == "restored":  # of each session the first: later ones are what the process itself saved
                lines = tuple(map(bytes, line.fields["lines"]))
                sidecar.snapshots[line.fields["session"]] = SnapshotLoaded(lines)
        sidecar._save = super(InProcessDriver, sidecar)._save  # type: ignore[method-assign]
        host = GoldenHost(played, sidecar, "/state")
        assert host.play() == [], name
        assert host.compared_count > 0, name


# planted faults: a ctxmgr that is wrong


def test_a_wrong_ctxmgr_is_caught() -> None:
    cases: list[tuple[str, Callable[[Lines], Any], int, str]] = [
        ("pruning/status", change(5, "result", "status", "zone", to="red"), 5, "$.result.status.zone"),
        ("pruning/status", change(5, "result", "odd", to=1), 5, "$.result.odd"),
        ("errors/unknown-session", change(7, "error", "code", to=-32603), 7, "$.error.code"),
        (SIX, change(11, "result", "messages", 1, "content", to="A"), 11, "$.result.messages[1].content"),
        (LATCH, without(7), 7, "$"),
        (LATCH, twice(7), 0, "$"),
        (LATCH, without(10), 10, "$"),
        (LATCH, change(7, "params", "tokens", to=130_001), 7, "$.params.tokens"),
        (LATCH, change(7, "method", to="complete"), 7, "$.method"),
    ]
    for name, doctor, line, where in cases:
        host, _ = both(golden(name), doctored(name, doctor))
        assert (host.findings[0].line_number, host.findings[0].path) == (line, where)


def test_a_kept_message_that_is_spelled_anew_is_caught() -> None:
    """As values it is the same; a host was promised its bytes."""
    content = path(SIX).read_bytes()
    at = content.index(b'"result":{"messages":[')
    spelled = content[:at] + content[at:].replace(b'{"role":"user","content":', b'{"role":"user", "content":', 1)
    assert spelled != content
    host, _ = both(golden(SIX), read(SIX, spelled))
    assert [found.path.startswith("$.result.messages[1], $ (same values") for found in host.findings] == [True]


def reencoded(body: bytes, **spelling: Any) -> bytes:
    """What a proxy makes of an answer by taking its JSON apart and writing it anew."""
    message = json.loads(body)
    held = message.get("result") if isinstance(message, dict) else None
    if not isinstance(held, dict) or not {"messages", "preparation"} & set(held):
        return body
    return json.dumps(message, ensure_ascii=False, **spelling).encode()


def test_a_proxy_that_spells_anew_is_caught() -> None:
    cases: list[tuple[str, Callable[[bytes], bytes], str]] = [
        (ODD, lambda body: reencoded(body, separators=(",", ":")), "not valid JSON: Infinity"),
        (SIX, reencoded, ""),
        (PLAN, reencoded, ""),
        (ODD, lambda body: body.replace(b"1e400", b"null"), "null"),
        (ODD, lambda body: body.replace(b"1e400", b"1e999"), "1e999"),
        (ODD, lambda body: body.replace(b"\\u00e9", "é".encode()), "é"),
        (ODD, lambda body: body.replace(b'"timestamp":1.0', b'"timestamp":1'), "1"),
        (ODD, lambda body: body.replace(b'"role": "user"', b'"role":"user"'), ""),
        (ODD, lambda body: body.replace(b',{"role":"hologram"', b',7,{"role":"hologram"'), "7"),
        (LATCH, lambda body: b"\xef\xbb\xbf" + body, "not valid JSON"),
        (LATCH, lambda body: body.decode().encode("utf-16"), "not valid JSON"),
    ]
    for name, proxy, came in cases:
        server, framer = GoldenServer(golden(name)), Framer()

        def through(
            chunk: bytes,
            server: GoldenServer = server,
            framer: Framer = framer,
            proxy: Callable[[bytes], bytes] = proxy,
        ) -> bytes:
            bodies = [proxy(body) for body in framer.feed(server.feed(chunk)) if isinstance(body, bytes)]
            return b"".join(part for body in bodies for part in frame("content-length", [body]))

        found = GoldenHost(golden(name), Served(through), "/state").play()
        assert found, name
        assert came in found[0].received


def test_lists_of_another_length_are_not_the_same() -> None:
    """Also where nothing else would tell: kept messages are compared one by one."""
    was = b'{"result":{"messages":[{"a":1},{"b":2}]}}'
    for now in (b'{"result":{"messages":[{"a":1}]}}', b'{"result":{"messages":{"a":1}}}', b'{"result":7}', b"{"):
        assert kept_difference(was, now, [was]) is not None
    assert kept_difference(was, b'{"result": {"messages":[{"a":1},{"b":2}]}}', [was]) is None
    assert kept_difference(was, b'{"result":{"messages":[{"a": 1},{"b":2}]}}', []) is None  # the host never said it


def other(lines: Lines) -> None:
    """The same ctxmgr with names, bases and ids of its own."""
    for line in lines:
        message = line.get("message")
        if not isinstance(message, dict):
            continue
        result = message.get("result")
        if str(message.get("id")).startswith("ctxmgr-"):
            message["id"] = 1000 + int(message["id"].removeprefix("ctxmgr-"))
        if line["from"] == "ctxmgr" and isinstance(result, dict):
            if "serverInfo" in result:
                result |= {"serverInfo": {"name": "another", "version": "7"}, "capabilities": {}}
            if "base" in result:
                result["base"] = f"own-{result['base']}"
        if "error" in message:
            message["error"]["message"] = "in other words"
        append = (message.get("params") or {}).get("append") if isinstance(message.get("params"), dict) else None
        if append and "." in append["base"]:
            append["base"] = f"own-{append['base']}"


def test_what_a_ctxmgr_may_choose_is_not_compared() -> None:
    for name in (APPEND, COMPACTION, LATCH, "errors/unknown-session"):
        host, server = both(golden(name), doctored(name, other))
        assert (host.findings, server.findings) == ([], []), name
    for member, to, same in (("summary", "in other words", True), ("params", [], True), ("name", "begin", False)):
        host, _ = both(golden(DESCRIBED), doctored(DESCRIBED, change(7, "result", "methods", 0, member, to=to)))
        assert (host.findings == []) is same


def test_what_is_no_message_of_the_host_s_framing_ends_it() -> None:
    for chunk, words in (
        (b'{"jsonrpc":"2.0","id":1,"result":{}}\n', ("content-length", "ndjson")),
        (b"Traceback: something\r\n\r\n", ("a message", "none: ")),
    ):
        (found, *_) = GoldenHost(golden(LATCH), Served(lambda said, chunk=chunk: chunk), "/state").play()  # type: ignore[misc]
        assert (found.recorded, found.received[: len(words[1])]) == words


# planted faults: a host that says something else


def test_a_wrong_host_is_caught() -> None:
    cases: list[tuple[Callable[[Lines], Any], int, str]] = [
        (change(4, "params", "model", "contextWindow", to=7), 4, "$.params.model.contextWindow"),
        (change(4, "params", "extra", to=7), 4, "$.params.extra"),
        (change(6, "method", to="turn_begin"), 6, "$"),
        (change(6, "id", to=9), 6, "$"),  # a request, where a notification is recorded
        (change(8, "result", "accepted", to=False), 8, "$.result.accepted"),
        (without(6), 6, "$"),
        (without(8), 8, "$"),
        (without(9), 9, "$"),
        (twice(9), 0, "getStatus 3"),
    ]
    for doctor, line, where in cases:
        _, server = both(doctored(LATCH, doctor), golden(LATCH))
        found = server.findings[0]
        assert found.line_number == line
        assert where in (found.path, found.what)


def heard(played: Golden, spell: Callable[[bytes], bytes] = lambda body: body) -> GoldenServer:
    """A server that was told all the host's lines."""
    server = GoldenServer(played)
    for line in played.lines:
        assert not server.ended
        if line.sender == "host":
            server.feed(spell(line.body) + b"\n")
    return server


def test_a_host_that_says_no_strict_json_is_caught() -> None:
    """1e400 and Infinity are the same to a lenient reader, and to a strict one the latter is nothing at all."""
    assert heard(golden(ODD)).findings == []
    assert len(heard(golden(ODD), lambda body: body.replace(b"1e400", b"Infinity")).findings) == 1


def test_a_host_that_said_exit_is_not_waited_for() -> None:
    server = heard(golden(ENDED))
    assert server.ended
    assert server.finish("") == []


def test_a_host_has_ids_and_names_of_its_own() -> None:
    """Whatever it calls its requests and its session, it is answered by that; `initialized` may be said."""
    server, framer = GoldenServer(golden(LATCH)), Framer()
    answers: list[dict[str, Any]] = []

    def say(**message: Any) -> None:
        said = server.feed(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        answers.extend(json.loads(body) for body in framer.feed(said) if isinstance(body, bytes))

    params = [json.loads(line.body).get("params") for line in golden(LATCH).lines if line.sender == "host"]
    say(id="a", method="initialize", params={**params[0], "clientInfo": {"name": "mine"}, "stateDir": "/mine"})
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
    assert [answer["id"] for answer in answers if "method" not in answer] == ["a", "b", "c", "d", "e"]
    assert server.ended
    assert server.finish("") == []


def test_who_is_out_of_step_is_refused_and_never_waits() -> None:
    server = GoldenServer(golden(LATCH))
    said = server.feed(b'{"jsonrpc":"2.0","id":1,"method":"getStatus"}\n{"jsonrpc":"2.0","id":2,"method":"x"}\n')
    assert [json.loads(line)["error"]["code"] for line in said.splitlines()] == [-32803, -32803]
    assert len(server.finish("the host ended")) == 1


def test_a_mark_lets_the_host_choose() -> None:
    wrong = doctored(LATCH, change(4, "params", "model", "contextWindow", to=7))
    assert both(wrong, golden(LATCH))[1].findings

    def marked(lines: Lines) -> None:
        lines[0]["ctxmgr"]["any"] = ["$.params.model.contextWindow"]

    assert both(wrong, doctored(LATCH, marked))[1].findings == []
