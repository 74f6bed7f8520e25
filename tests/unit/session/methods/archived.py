"""Sessions whose messages were archived."""

from typing import Any

import pytest

from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import ArchiveAnswer
from ctxmgr.server import effects as do
from tests.contract.talk import Failed, Fields, Messages, Talk
from tests.unit.session.recovery import RETRIEVE


def ready(**capabilities: Any) -> Talk:
    return Talk(capabilities=capabilities or RETRIEVE)


def failing(talk: Talk, fault: str | None = "the disk is full") -> list[do.PutRows | do.GetRow]:
    """From here on the archive answers this fault; what it was asked."""
    asked: list[do.PutRows | do.GetRow] = []

    def archive(effect: do.PutRows | do.GetRow) -> ArchiveAnswer:
        asked.append(effect)
        if fault is None:
            raise RuntimeError("planted")
        return ArchiveAnswer(fault=fault)

    talk.driver.archive = archive  # type: ignore[method-assign]
    return asked


def context(talk: Talk, make: Messages) -> Fields:
    return talk.context([make.user("Go on.")])


def page(talk: Talk, name: str, **params: Any) -> Fields:
    answer: Fields = talk.call("retrieve", sessionId="s", handle=handle(name), **params)
    return answer


def error(talk: Talk, name: str, **params: Any) -> Fields:
    with pytest.raises(Failed) as failed:
        page(talk, name, **params)
    return failed.value.error
