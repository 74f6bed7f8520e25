"""A host whose model has no tool for it may have what leaves archived all the same: no list changes by that."""

from tests.contract.talk import Fields, Messages, Talk

ALONE = {"requestCompaction": "whenIdle", "archive": True}
NONE = {"requestCompaction": "whenIdle"}


def lived(capabilities: Fields) -> tuple[Talk, list[Fields]]:
    """A session in which tool output leaves; each list as it was sent."""
    make = Messages()
    talk = Talk({"preset": "balanced", "effectiveWindow": 16_000}, capabilities=capabilities)
    messages: list[Fields] = []
    lists = []
    for number in range(14):
        messages += make.turn(f"Read {number}.", f"owl{number} " * 900, path=f"src/f{number}.py")
        lists.append(talk.context([*messages, make.user("And now?")], answer="messages")["list"])
    return talk, lists


def test_what_leaves_is_archived_and_the_lists_are_those_without() -> None:
    talk, lists = lived(ALONE)
    bare, plain = lived(NONE)
    assert lists == plain
    assert (len(bare.driver.archived.get("s", {})), len(talk.driver.archived["s"]) > 3) == (0, True)


def test_it_is_found_and_retrieved_by_people() -> None:
    talk, _ = lived(ALONE)
    (hit, *_) = talk.call("search", sessionId="s", query="path:src/f1.py owl1")["hits"]
    page = talk.call("retrieve", sessionId="s", handle=hit["handle"])
    assert page["text"].startswith("owl1 owl1")
