"""The last list: its tag, and where an answer first differs from the one before."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import BlockEdit, Keep, Packet, Piece, Plan
from ctxmgr.session.context.comparing import first_changed
from ctxmgr.session.context.projecting import indexed
from ctxmgr.session.projection import Projection, Replacements, hashed, tag_of
from tests.conversations import any_list
from tests.notation import a, talk, u
from tests.notation import indexed as index_of
from tests.unit.engine.projections import planned, sent


def of(pieces: Iterable[Piece], replacements: dict[int, bytes] | None = None, packet: bytes = b"") -> Projection:
    """A projection that answered these pieces; without bytes given, a piece's text is what is put in."""
    plan = Plan(tuple(pieces), "green", 0, 0, 0, {})
    texts = {piece.message_index: piece.text.encode() for piece in plan.pieces if isinstance(piece, BlockEdit)}
    packets = [piece.text.encode() for piece in plan.pieces if isinstance(piece, Packet)]
    return Projection(
        plan=plan,
        replacements=Replacements(texts if replacements is None else replacements, packet or b"".join(packets)),
    )


@given(any_list, st.integers(0, 24), st.sampled_from(ZONES), st.sampled_from(ZONES))
def test_it_is_where_the_bytes_differ(messages: tuple[Message, ...], split: int, one: str, two: str) -> None:
    shown = messages[:split]
    old = planned(shown, zone=one)
    new = planned(messages, zone=two, floor=old.floor, decisions=old.decisions)
    before, after = sent(shown, old), sent(messages, new)
    found = first_changed(of(old.pieces), of(new.pieces), len(shown))
    differ = [at for at, raw in enumerate(before) if after[at : at + 1] != [raw]]
    if not differ:
        assert found == -1
    elif old.floor == new.floor:
        assert found == differ[0]
    else:
        assert found <= differ[0]


def test_a_tag_stands_for_the_whole_list_however_it_came() -> None:
    messages = talk(u("1"), a("2"), u("3"))
    at_once = tag_of(hashed(None, messages), 3)
    first = hashed(None, messages[:1])
    assert tag_of(hashed(first, messages[1:]), 3) == at_once
    assert tag_of(first, 1) == tag_of(hashed(None, messages[:1]), 1)  # the first hash is as it was
    assert tag_of(hashed(None, messages[::-1]), 3) != at_once
    assert tag_of(hashed(None, messages[:2]), 2) != at_once


def test_the_index_is_extended_only_of_the_same_list() -> None:
    messages = talk(u("1"), a("2"), u("3"))
    last = Projection(conversation=index_of(messages[:2]))
    assert indexed(last, messages, 2) == index_of(messages)
    assert indexed(last, messages[1:], 0) == index_of(messages[1:])


P, Q = Packet("p", 1), Packet("q", 1)


def edit(index: int, text: str = "x") -> BlockEdit:
    return BlockEdit(index, 0, "pruned", text, "k", 9, 1)


CHANGES: list[tuple[list[Piece], list[Piece], int, int]] = [
    ([], [Keep(0, 3)], 0, -1),
    ([Keep(0, 3)], [Keep(0, 3)], 3, -1),
    ([Keep(0, 3)], [Keep(0, 5)], 3, -1),
    ([Keep(0, 3)], [Keep(0, 3), edit(3), Keep(4, 5)], 3, -1),
    ([Keep(0, 3)], [Keep(0, 2), edit(2), Keep(3, 5)], 3, 2),
    ([Keep(0, 2), edit(2), Keep(3, 5)], [Keep(0, 5)], 5, 2),
    ([Keep(0, 2), edit(2)], [Keep(0, 2), edit(2), Keep(3, 5)], 3, -1),
    ([Keep(0, 2), edit(2)], [Keep(0, 2), edit(2, "y"), Keep(3, 5)], 3, 2),
    ([Keep(0, 9)], [P, Keep(6, 9)], 9, 0),
    ([P, Keep(2, 5)], [P, Keep(2, 6)], 5, -1),
    ([P, Keep(2, 5)], [Q, Keep(2, 6)], 5, 0),
    ([P, Keep(2, 5)], [P, Keep(3, 6)], 5, 1),
    ([Keep(0, 5)], [Keep(0, 5)], 3, 3),
    ([Keep(0, 5)], [Keep(0, 5)], 0, 0),
    ([P, Keep(2, 5)], [P, Keep(2, 5)], 4, 3),
    ([Keep(0, 5)], [Keep(0, 3)], 3, 3),
    ([P, Keep(2, 5)], [P], 5, 1),
]


@pytest.mark.parametrize(("old", "new", "prefix", "place"), CHANGES)
def test_where_an_answer_first_differs(old: list[Piece], new: list[Piece], prefix: int, place: int) -> None:
    assert first_changed(of(old), of(new), prefix) == place
