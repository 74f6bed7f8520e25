"""A connection as a whole: what it says of itself, and how it ends."""

from ctxmgr.wire.methods import TABLE
from tests.contract.behaviours import behaviour
from tests.contract.talk import Fields, Talk


@behaviour(
    "connection/describes-itself",
    "rpc.discover returns the table of methods as an OpenRPC document.",
    "OpenRPC 1.3, service discovery method",
)
def discovered() -> Talk:
    talk = Talk()
    document = talk.call("rpc.discover")
    assert [method["name"] for method in document["methods"]] == [row.name for row in TABLE]
    assert document["openrpc"].startswith("1.")
    return talk


@behaviour(
    "connection/exit",
    "`exit` ends the process at once, with code 0 after `shutdown` and 1 without it.",
    "design 2, protocol; LSP 3.17, exit",
)
def ended() -> Talk:
    hasty = Talk()
    assert hasty.tell("exit") == []
    assert hasty.driver.exit_code == 1
    talk = Talk()
    assert talk.call("shutdown") is None
    assert talk.driver.exit_code != 0  # still there
    assert talk.tell("exit") == []
    assert talk.driver.exit_code == 0
    return talk


LOG = "".join(f"test_login_{number} ok\n" for number in range(120)) + "test_reset FAILED: token expired\n"


def _called(id: str, command: str) -> Fields:
    call = {"id": id, "type": "function", "function": {"name": "bash", "arguments": f'{{"command":"{command}"}}'}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@behaviour(
    "connection/five-messages",
    "Five messages make a host: it sends a list, reports the outcome, sends only what is new, and gets and "
    "reports a compaction.",
    "design 2",
)
def five_messages() -> Talk:
    talk = Talk(start=False)
    talk.call(
        "initialize",
        protocolVersion="1.1",
        clientInfo={"name": "guide"},
        messageFormat="openai",
        capabilities={"requestCompaction": "whenIdle"},
        policy={"preset": "turns", "tokenizer": "estimate", "workingSet": {"results": 0, "tokens": 0}},
    )
    talk.call("session_start", sessionId="s", model={"id": "model-1", "contextWindow": 32_000})
    first: list[Fields] = [{"role": "user", "content": "Mend the login. Never touch the schema."}]
    answer = talk.context(first, answer="edits")
    assert answer["unchanged"]

    reply, result = _called("c1", "pytest -q"), {"role": "tool", "tool_call_id": "c1", "content": LOG}
    done = talk.turn_end(reply, result, usage={"prompt_tokens": 2_100, "completion_tokens": 40})
    assert done["commands"] == []
    last = {"role": "assistant", "content": "It is the token's age."}
    talk.turn_end(last, usage={"prompt_tokens": 2_900, "completion_tokens": 12})

    new = [reply, result, last, {"role": "user", "content": "Then mend that."}]
    append = {"after": 1, "base": answer["base"], "messages": new}
    answer = talk.call("context", sessionId="s", append=append, answer="edits")
    kept = [edit["keep"] for edit in answer["edits"] if "keep" in edit]
    (put,) = [edit["put"] for edit in answer["edits"] if "put" in edit]
    assert kept == [[0, 2], [3, 5]]
    assert "FAILED: token expired" in put["content"]
    assert len(put["content"]) < len(LOG)

    over = talk.turn_end({"role": "assistant", "content": "It is mended."}, usage={"total_tokens": 27_000})
    assert [command["method"] for command in over["commands"]] == ["requestCompaction"]
    entry = {"id": "e9", "summary": "The login is mended: the token's age was wrong."}
    status = talk.call("session_compact", sessionId="s", compactionEntry=entry)["status"]
    assert status["latch"]["state"] == "idle"
    return talk
