"""Which messages of an answer may end with a cache mark."""

from ctxmgr.engine.invariants import FRESH
from ctxmgr.model.projection import Keep, Plan
from ctxmgr.session.context.committing import AnsweredMessages
from ctxmgr.session.projection import Projection
from tests.notation import a, call, indexed, talk, think, u

BEARS = [
    (u("go"), True),
    (u(""), False),
    (a("well", call("read", path="x")), True),
    (a("well", think("hm")), False),
    (a("half of it", stopReason="error"), False),
    (a("half of it", stopReason="aborted"), False),
    (a(), False),
]


def test_a_message_bears_a_mark_where_its_last_block_can() -> None:
    for newest, bears in BEARS:
        plan = Plan((Keep(0, 1),), "green", 0, 0, 0, {})
        answered = AnsweredMessages(Projection(indexed(talk(newest)), plan, FRESH))
        assert answered.may_bear(0) is bears, newest
