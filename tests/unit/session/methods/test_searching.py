"""What left is searched by its words, or refused with a sentence."""

import pytest

from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.session.methods.archiving import MOST_HITS, USUAL_HITS
from tests.contract.talk import Failed, Fields, Messages, Talk
from tests.unit.session.methods.archived import context, failing, ready
from tests.unit.session.recovery import RETRIEVE, leaving, row


def found(talk: Talk, query: str, **params: object) -> list[str]:
    answer: Fields = talk.call("search", sessionId="s", query=query, **params)
    return [hit["handle"] for hit in answer["hits"]]


def refused(talk: Talk) -> Fields:
    with pytest.raises(Failed) as failed:
        found(talk, "owl")
    return failed.value.error


@pytest.mark.parametrize(
    ("params", "count"), [({}, USUAL_HITS), ({"limit": 3}, 3), ({"limit": 10**9}, MOST_HITS), ({"limit": 2.0}, 2)]
)
def test_so_many_are_found(params: Fields, count: int) -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row(f"n{number}", "the owl") for number in range(60)])
    assert len(found(talk, "owl", **params)) == count


def test_an_archive_at_fault_is_said_once_without_conversation() -> None:
    talk = ready()
    failing(talk)
    error = refused(talk)
    assert (error["code"], error["message"]) == (-32803, "the archive could not be searched now")
    assert refused(talk) == error
    assert talk.status()["notes"] == ["the archive could not be searched: the disk is full"]


def test_what_the_disk_did_not_take_is_found() -> None:
    talk = ready()
    real = talk.driver.archive
    with leaving(row("a", "the owl")):
        failing(talk)
        context(talk, Messages())
    talk.driver.archive = real  # type: ignore[method-assign]
    assert found(talk, "owl") == [handle("a")]
