"""Which messages of an answer may end with a cache mark, and how many content blocks lie between two."""

from typing import Any

import pytest

from ctxmgr.engine.invariants import FRESH
from ctxmgr.model.projection import BlockEdit, Keep, Packet, Plan
from ctxmgr.session.context.committing import AnsweredMessages
from ctxmgr.session.projection import Projection, Replacements
from tests.notation import Said, a, call, indexed, r, talk, think, u


def answered(*said: Said, pieces: tuple[Any, ...] = ()) -> AnsweredMessages:
    conversation = indexed(talk(*said))
    plan = Plan(pieces or (Keep(0, conversation.size),), "green", 0, 0, 0, {})
    put = Replacements({piece.message_index: b"{}" for piece in pieces if isinstance(piece, BlockEdit)}, b"{}")
    return AnsweredMessages(Projection(conversation, plan, FRESH, replacements=put))


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


TALK = (u("go"), a(think("hm"), "well", call("read", path="x")), r("x"), a("done"))


def edit(index: int, block: int = 0) -> BlockEdit:
    return BlockEdit(index, block, "pruned", "[pruned]", "k", 5, 2)


def test_blocks_are_counted_in_the_list_that_is_sent() -> None:
    whole = answered(*TALK)
    assert (whole.count, whole.blocks(0, 4), whole.blocks(1, 2), whole.blocks(2, 2)) == (4, 6, 3, 0)
    short = answered(*TALK, pieces=(Keep(0, 1), Packet("left", 3), edit(2), Keep(3, 4)))
    assert (short.count, short.blocks(0, 4)) == (4, 4)
    assert all(map(short.may_bear, range(4)))


def test_a_message_with_two_edits_is_one_message() -> None:
    assert answered(*TALK, pieces=(Keep(0, 1), edit(1, 1), edit(1, 2), Keep(2, 4))).count == 4
