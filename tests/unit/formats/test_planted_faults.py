"""Faults planted in a list are found in each format."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import extend
from ctxmgr.engine.invariants import TURNS
from ctxmgr.formats import FORMATS
from ctxmgr.model.messages import PACKET_MARK, Message
from ctxmgr.model.policy import Zone
from ctxmgr.model.projection import Keep, Packet
from tests import translation
from tests.conversations import legal
from tests.legality import lists
from tests.notation import indexed
from tests.translation import RULES, raws, read
from tests.unit.formats.engine.engine_runs import PROMPTS, conversation, planned, turns, zones


@pytest.mark.parametrize("name", FORMATS)
def test_planted_faults_are_found(name: str) -> None:
    """The host's check must be able to fail."""
    if name == "pi":  # judged by study/legal.py
        return
    came = raws(name, translation.said(*turns(2)))
    rules = RULES[name]
    packet = FORMATS[name].packet(f"{PACKET_MARK}\nfacts", 0)
    half = len(came) // 2
    assert lists.faults(rules, came, came) == []
    assert lists.faults(rules, came, [packet, *came[half:]]) == []
    for fault in (
        came[1:],  # begins with an answer
        came[:half],  # the newest user message is gone
        [*came[:-2], came[-1]],  # a result is gone
        [came[0], *came[2:]],  # a call, or the thought before it
        [packet, packet, *came[half:]],
        [*came[half:], *came[:half]],
        [came[0].replace(b"please", b"never"), *came[1:]],
    ):
        assert lists.faults(rules, came, fault) != []
    users = [at for at, raw in enumerate(came) if rules.is_users(json.loads(raw))]
    turn = range(users[0] + 1, users[1])
    without = [raw for at, raw in enumerate(came) if at not in turn]  # its steps
    assert lists.faults(rules, came, without, left_to_fit=len(turn)) == []
    assert lists.faults(rules, came, without, left_to_fit=len(turn) - 1) != []
    assert lists.faults(rules, came, without) != []
    assert (
        lists.faults(rules, came, came[: turn.stop], left_to_fit=len(came) - turn.stop) != []
    )  # a user's message, and newest
    assert (
        lists.faults(rules, came, came[: users[-1] + 1], left_to_fit=len(came) - users[-1] - 1) != []
    )  # the newest answer


def test_a_prompt_that_is_gone_is_found() -> None:
    said = [PROMPTS["openai"], *translation.TO["openai"](translation.said(*turns(2)))]
    there = read("openai", [json.dumps(one).encode() for one in said])
    index = indexed(there)
    plan = planned(there, zone="red")
    assert plan.pieces[0] == Keep(0, 1)
    for pieces in (plan.pieces[1:], (*plan.pieces[1:], plan.pieces[0])):
        broken = msgspec.structs.replace(plan, pieces=pieces, weight=plan.weight - there[0].weight)
        assert "prompts" in TURNS.check(index, broken)[0] or "order" in TURNS.check(index, broken)[0]
    inside = msgspec.structs.replace(plan, pieces=(*plan.pieces, Packet("p", 0)))
    assert "packet" in TURNS.check(index, inside)[0]


@given(legal, st.sampled_from(sorted(PROMPTS)), zones, st.integers(0, 30))
def test_checking_on_is_checking_from_scratch(
    messages: tuple[Message, ...], name: str, zone: Zone, split: int
) -> None:
    prompt = json.dumps(PROMPTS[name]).encode()
    came = raws(name, conversation(messages))
    there = read(name, [prompt, *came[:split], prompt, *came[split:]])
    before = there[: split + 1]
    plan = planned(before, zone=zone)
    _, carried = TURNS.check(indexed(before), plan)
    after = planned(there, zone=zone, floor=plan.floor, decisions=plan.decisions)
    assert TURNS.check(indexed(there), after, carried) == TURNS.check(indexed(there), after)
    assert extend(indexed(before), there) == indexed(there)
