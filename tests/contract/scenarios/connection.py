"""A connection as a whole: what it says of itself, and how it ends."""

from ctxmgr.wire.methods import TABLE
from tests.contract.behaviours import behaviour
from tests.contract.talk import Talk


@behaviour(
    "connection/describes-itself",
    "rpc.discover answers the table of methods as an OpenRPC document.",
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
    "`exit` ends the process at once, with code 0 after `shutdown` and 1 without.",
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
