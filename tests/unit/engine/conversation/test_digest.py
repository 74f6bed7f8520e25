"""Digests: the same message in another spelling has the same one, another message another."""

from ctxmgr.engine.conversation.index import digest
from ctxmgr.model.messages import Block, View
from tests.notation import a, call, r, talk, u


def test_pinned() -> None:
    """Snapshots remember decisions by digest: another way to make it would orphan them."""
    assert digest(View("user", (Block("text", text="go"),))) == "c2fb873dc945a19a"


def test_a_calls_arguments_are_digested_by_what_they_say() -> None:
    def asked(**arguments: object) -> str:
        return talk(a(call("read", "c1", **arguments)))[0].digest

    one = asked(path="x", limit=10, more={"b": [1.0, 2], "a": None})
    assert asked(more={"a": None, "b": [1, 2.0]}, limit=10.0, path="x") == one
    assert asked(path="x", limit=10.5, more={"b": [1, 2], "a": None}) != one
    assert asked(path="x", limit=10, more={"b": [2, 1], "a": None}) != one
    assert asked(path="x", limit="10", more={"b": [1, 2], "a": None}) != one


def test_arguments_that_no_json_says_are_digested_as_they_stand() -> None:
    asked = [Block("call", text=text, tool="read", arguments={"n": object()}) for text in ("one", "two")]
    assert len({digest(View("assistant", (block,))) for block in asked}) == 2


def test_what_makes_a_digest() -> None:
    said = [u("go"), u("went"), a("go"), r("go", "c1"), r("go", "c2"), a(call("read", "c1", path="x"))]
    said += [a(call("read", "c2", path="x")), a(call("read", "c1", path="y")), a("go", "went"), a("gowent")]
    digests = [message.digest for message in talk(*said)]
    assert len(set(digests)) == len(digests)
    assert all(len(one) == 16 and set(one) <= set("0123456789abcdef") for one in digests)
