"""Which messages of an answer may end with a cache mark, and how many content blocks lie between two."""

from typing import Any

import pytest

from ctxmgr.engine.invariants import FRESH
from ctxmgr.model.projection import Keep, Plan
from ctxmgr.session.context.marking import AnsweredMessages
from ctxmgr.session.projection import Projection
from tests.notation import Said, a, call, indexed, talk, think, u


def answered(*said: Said, pieces: tuple[Any, ...] = ()) -> AnsweredMessages:
    conversation = indexed(talk(*said))
    plan = Plan(pieces or (Keep(0, conversation.size),), "green", 0, 0, 0, {})
    return AnsweredMessages(Projection(conversation, plan, FRESH))


@pytest.mark.parametrize(
    ("newest", "bears"),
    [
        (u("go"), True),
        (u(""), False),
        (a("done"), True),
        (a("well", call("read", path="x")), True),
        (a("well", think("hm")), False),
        (a("half of it", stopReason="error"), False),
        (a("half of it", stopReason="aborted"), False),
        (a(), False),
    ],
)
def test_a_message_bears_a_mark_where_its_last_block_can(newest: Said, bears: bool) -> None:
    assert answered(newest).may_bear(0) is bears
