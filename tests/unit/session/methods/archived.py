"""Sessions whose messages were archived."""

from typing import Any

from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import ArchiveAnswer
from ctxmgr.server import effects as do
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.recovery import RETRIEVE


def ready(**capabilities: Any) -> Talk:
    return Talk(capabilities=capabilities or RETRIEVE)


def failing(talk: Talk) -> list[do.PutRows | do.GetRow]:
    """From here on the disk is full; what the archive was asked."""
    asked: list[do.PutRows | do.GetRow] = []

    def archive(effect: do.PutRows | do.GetRow) -> ArchiveAnswer:
        asked.append(effect)
        return ArchiveAnswer(fault="the disk is full")

    talk.driver.archive = archive  # type: ignore[method-assign]
    return asked


def context(talk: Talk, make: Messages) -> Fields:
    return talk.context([make.user("Go on.")])


def page(talk: Talk, name: str, **params: Any) -> Fields:
    answer: Fields = talk.call("retrieve", sessionId="s", handle=handle(name), **params)
    return answer
