"""No bad answer becomes a summary, and a second try is one."""

import json
from collections.abc import Callable

import pytest

from tests.model_server import ModelServer, Reply, Request
from tests.stdio.compacting_sidecar import BAD, KEY, Writer, endpoint, good, kind, turns, well
from tests.stdio.sidecar import SECRET

TOLD = {"retry-after": "0"}  # without it there are pauses
BAD_ANSWERS: list[tuple[str, str, Callable[[str], Reply]]] = [
    # name, reason given, reply with what a good text would be
    ("500", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=500, headers=TOLD)),
    ("401", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=401)),
    ("400", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=400, code="context_length_exceeded")),
    ("garbage", "failed", lambda text: Reply(text, way="garbage")),
    ("half JSON", "failed", lambda text: Reply(text, way="half-json")),
    ("garbled", "failed", lambda text: Reply(text, way="garbled")),
    ("other JSON", "failed", lambda text: Reply(text, way="other-json")),
    ("breaks off", "failed", lambda text: Reply(text, way="breaks-off")),
    ("unfinished", "failed", lambda text: Reply(text, way="unfinished")),
    ("error in the middle", "failed", lambda text: Reply(text, way="error-event")),
    ("compressed", "failed", lambda text: Reply(text, way="compressed")),
    ("filtered", "failed", lambda text: Reply(text, stop="content_filter")),
    ("empty", "empty", lambda text: Reply("")),
    ("white", "empty", lambda text: Reply(" \n\t\n")),
    ("cut at its limit", "truncated", lambda text: Reply(text, stop="length")),
    ("tool call", "called a tool", lambda text: Reply(text, stop="tool")),
    ("endless", "truncated", lambda text: Reply(text, way="endless")),
    ("far too long", "too long", lambda text: Reply(text + f"\n- {BAD} and more of it" * 600)),
]


SETTLED = {
    "500",
    "401",
    "400",
    "compressed",
}  # before an answer began: the device has tried as often as it is worth


@pytest.mark.parametrize("api", ["chat", "anthropic"])
@pytest.mark.parametrize(("name", "reason", "reply"), BAD_ANSWERS, ids=[name for name, _, _ in BAD_ANSWERS])
def test_bad_answer_never_becomes_a_summary(
    writer: Writer, name: str, reason: str, reply: Callable[[str], Reply], api: str
) -> None:
    with ModelServer.threaded(lambda request: reply(good(request.prompt, BAD))) as server:
        session = writer.started(f"bad {name} {api}", **endpoint(server, api=api))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert details["strategy"] == "extractive"
    assert (details["fallback"]["from"], details["fallback"]["reason"]) == ("single-shot", reason)
    assert (details["calls"], details["retries"]) == ((2, 0) if name in SETTLED else (4, 2))
    text = json.dumps(compaction)
    assert BAD not in text
    assert KEY not in text
    assert SECRET not in json.dumps(details)
    assert "mark-1-user" in compaction["summary"]
    assert writer.call("getStatus", sessionId=session)["mode"] == "on"


@pytest.mark.parametrize("api", ["chat", "anthropic"])
def test_half_an_outline_is_a_summary_with_what_it_lacks_added(writer: Writer, api: str) -> None:
    def half(request: Request) -> Reply:
        return Reply(good(request.prompt, "half of it").split("## Key")[0].split("## Progress So")[0])

    with ModelServer.threaded(half) as server:
        session = writer.started(f"half {api}", **endpoint(server, api=api))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert ("fallback" in details, details["retries"]) == (False, 0)
    written, heading, added = compaction["summary"].partition("## Added by ctxmgr")
    assert "half of it" in written
    assert heading
    assert "mark-1-user" in added


@pytest.mark.parametrize("api", ["chat", "anthropic"])
def test_prose_never_becomes_the_summary_and_stands_in_it_as_critical_context(writer: Writer, api: str) -> None:
    with ModelServer.threaded(lambda _: Reply(f"Sure, I can mend that for you! {BAD}")) as server:
        session = writer.started(f"prose {api}", **endpoint(server, api=api))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert details["strategy"] == "extractive"
    assert (details["fallback"]["reason"], details["calls"], details["retries"]) == ("no sections", 4, 2)
    before, heading, after = compaction["summary"].partition("## Critical Context")
    assert heading
    assert BAD not in before
    assert BAD in after
    assert "mark-1-user" in compaction["summary"]


def test_line_without_an_end_is_not_read_to_the_end(writer: Writer) -> None:
    with ModelServer.threaded(lambda request: Reply(way="endless-line")) as server:
        session = writer.started("endless line", retries=0, **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    assert compaction["details"]["ctxmgr"]["fallback"]["reason"] == "failed"


@pytest.mark.parametrize("api", ["chat", "anthropic"])
@pytest.mark.parametrize("first", ["refused", "failed", "too many"])
def test_second_try_is_a_summary(writer: Writer, first: str, api: str) -> None:
    """Of what a strategy asks again for it is told; what the server asked for a little later is one call."""
    replies = {
        "refused": Reply("Sure!"),
        "failed": Reply(BAD, way="breaks-off"),
        "too many": Reply(BAD, status=429, headers=TOLD),
    }
    seen: set[str] = set()

    def reply(request: Request) -> Reply:
        again = kind(request.prompt) in seen
        seen.add(kind(request.prompt))
        return well(request) if again else replies[first]

    with ModelServer.threaded(reply) as server:
        session = writer.started(f"again {first} {api}", **endpoint(server, api=api))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
        assert len(server.requests) == 4
    details = compaction["details"]["ctxmgr"]
    assert "fallback" not in details
    assert (details["calls"], details["retries"]) == ((2, 0) if first == "too many" else (4, 2))
    assert BAD not in compaction["summary"]
    assert "says a good model" in compaction["summary"]


def test_key_that_is_not_set_is_said_by_its_name(writer: Writer) -> None:
    with ModelServer.threaded([]) as server:
        session = writer.started("no key", **endpoint(server, apiKeyEnv="NO_SUCH_KEY"))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    assert "NO_SUCH_KEY" in compaction["details"]["ctxmgr"]["fallback"]["said"]
