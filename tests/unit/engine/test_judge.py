"""The checker says of any plan what a judge says that shares nothing with it."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.invariants import STEPS, TURNS
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import BlockEdit, Decision, Keep, Packet, Piece, Plan
from tests import translation
from tests.conversations import legal
from tests.notation import indexed
from tests.unit.engine import stepwise
from tests.unit.engine.judge import judged
from tests.unit.engine.projections import plan_of, planned
from tests.unit.formats.engine.engine_runs import conversation

PROMPT = b'{"type":"message","role":"system","content":"be kind"}'


def items(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same conversation in a format whose answers have several items, and prompts among them."""
    came = translation.raws("responses", conversation(messages))
    return translation.read("responses", [PROMPT, *came[:5], PROMPT, *came[5:]])


any_list = st.one_of(stepwise.any_list, legal, legal.map(items))


@st.composite
def plans(draw: st.DrawFn) -> tuple[tuple[Message, ...], Plan]:
    """A list and any orderly plan of it: some messages, some of them edited, a packet or two; of those that are not
    there some were dropped because they did not fit."""
    messages = draw(any_list)
    pieces: list[Piece] = []
    chance = draw(st.randoms(use_true_random=False))
    packets, gone, edited = (chance.choice((0.0, 0.02, share)) for share in (0.1, 0.3, 0.1))
    to_fit, conversation = chance.choice((0.0, 0.9, 1.0)), indexed(messages)
    decisions: dict[str, Decision] = {}
    for at, message in enumerate(messages):
        if chance.random() < packets:
            pieces.append(Packet("p", 1))
        if chance.random() < gone:
            if chance.random() < to_fit:
                decisions[conversation.key(at)] = Decision("dropped", to_fit=True)
            continue
        edits = _edits(chance, at, message) if chance.random() < edited else []
        pieces += edits or [Keep(at, at + 1)]
    plan = plan_of(messages, *_together(pieces), off=chance.choice((0, 0, 0, 0, 1)))
    return messages, msgspec.structs.replace(plan, decisions=decisions)


def _edits(chance: Random, at: int, message: Message) -> list[BlockEdit]:
    """Of what the message holds, some as a plan may edit it and some not."""
    found = []
    for number, block in enumerate(message.view.blocks):
        kind: Any = "shortened" if block.kind == "call" else "pruned"
        if block.kind in ("call", "result") or chance.random() < 0.1:
            weight = message.weights[number]
            found.append(BlockEdit(at, number, kind, "x", "k", weight, weight // 2))
    return found


def _together(pieces: list[Piece]) -> list[Piece]:
    """Kept messages that follow one another as one piece."""
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if isinstance(last, Keep) and isinstance(piece, Keep) and last.end == piece.start:
            out[-1] = Keep(last.start, piece.end)
        else:
            out.append(piece)
    return out


@given(plans())
def test_of_any_plan_checker_and_judge_say_the_same(given: tuple[tuple[Message, ...], Plan]) -> None:
    messages, plan = given
    assert set(STEPS.check(indexed(messages), plan)[0]) == judged(messages, plan, by_steps=True)
    assert set(TURNS.check(indexed(messages), plan)[0]) == judged(messages, plan, by_steps=False)


@given(any_list, st.sampled_from(ZONES), st.sampled_from((0.0, 300.0, 2_000.0)))
def test_the_judge_finds_no_fault_with_what_is_chosen(
    messages: tuple[Message, ...], zone: Any, usable: float
) -> None:
    for reopen in ("forced", "compaction"):
        plan = stepwise.projected(messages, reopen=reopen, zone=zone, usable=usable).plan
        assert judged(messages, plan, by_steps=True) == set()
    assert judged(messages, planned(messages, zone=zone), by_steps=False) == set()
