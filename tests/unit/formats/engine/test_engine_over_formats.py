"""The same engine over all formats: what is decided of a conversation does not depend on how it is written down."""

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets.turns.prune import prune
from ctxmgr.engine.protection import Protection
from ctxmgr.model.messages import PACKET_MARK, Message
from ctxmgr.model.policy import Policy, Zone
from ctxmgr.model.projection import BlockEdit, Decision, Packet, Plan
from tests import translation
from tests.conversations import any_list, legal
from tests.legality import lists
from tests.notation import indexed
from tests.translation import BACK, NAMES, RULES, Json, bare, raws, read, sent
from tests.unit.engine.projections import kept
from tests.unit.formats.engine.engine_runs import PROMPTS, conversation, decided, planned, zones

limits = st.none() | st.integers(0, 3_000)
names = st.sampled_from(NAMES)


@st.composite
def asks(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "zone": draw(zones),
        "drop_turns": draw(st.sampled_from((True, True, False))),
        "newest_limit": draw(limits),
    }


def told(name: str, messages: tuple[Message, ...], plan: Plan) -> list[Json]:
    """What leaves, as a plain conversation."""
    return bare(BACK[name](json.loads(raw) for raw in sent(name, messages, plan)))


@given(any_list, names)
def test_there_and_back(messages: tuple[Message, ...], name: str) -> None:
    said = conversation(messages)
    assert bare(BACK[name](translation.TO[name](said))) == bare(said)


@given(legal, names)
def test_what_is_legal_in_pi_is_legal_there(messages: tuple[Message, ...], name: str) -> None:
    said = conversation(messages)
    assume(said and said[0]["role"] in ("user", "custom"))
    assert RULES[name].illegal(translation.TO[name](said)) == []


@given(legal, names)
def test_it_weighs_the_same(messages: tuple[Message, ...], name: str) -> None:
    said = conversation(messages)
    here, there = read("pi", raws("pi", said)), read(name, raws(name, said))
    assert sum(one.weight for one in here) == sum(one.weight for one in there)
    assert [turn.headless for turn in indexed(here).turns] == [turn.headless for turn in indexed(there).turns]
    assert [turn.weight for turn in indexed(here).turns] == [turn.weight for turn in indexed(there).turns]


def test_the_mark_is_the_engines() -> None:
    assert PACKET_MARK == translation.MARK


@given(legal, names, asks())
def test_the_same_is_left_out_and_the_same_is_shortened(
    messages: tuple[Message, ...], name: str, keys: dict[str, Any]
) -> None:
    said = conversation(messages)
    here, plan = decided("pi", said, **keys)
    there, other = decided(name, said, **keys)
    assert told(name, there, other) == told("pi", here, plan)
    same = ("weight", "raw_weight", "turns_kept", "turns_dropped", "distilled", "pruned", "packet_weight")
    assert [getattr(other, field) for field in same] == [getattr(plan, field) for field in same]


@given(legal, names, st.integers(0, 300), st.integers(0, 300), st.integers(0, 4), st.booleans())
def test_the_same_is_pruned(
    messages: tuple[Message, ...], name: str, protect: int, minimum: int, safe: int, force: bool
) -> None:
    said = conversation(messages)
    policy = Policy(prune_protect=protect, prune_minimum=minimum, protected_turns=safe)
    found = []
    for each in ("pi", name):
        there = read(each, raws(each, said))
        pruning = prune(Protection(indexed(there), policy), {}, force)
        ids = [indexed(there).block(one.ref).call_id for one in pruning.targets]
        found.append((ids, pruning.scanned_tokens, pruning.protected_tokens, pruning.prunable_tokens))
        done = {one.key: Decision("pruned") for one in pruning.targets}
        assert done.keys().isdisjoint(
            one.key for one in prune(Protection(indexed(there), policy), done, force).targets
        )
    assert found[0] == found[1]


@given(legal, names, st.lists(zones, min_size=1, max_size=6))
def test_the_same_over_a_session(messages: tuple[Message, ...], name: str, course: list[Zone]) -> None:
    """The list grows while the zone changes; decisions carry on, and the first kept turn never moves back."""
    said = conversation(messages)
    state: dict[str, tuple[int, dict[str, Decision]]] = {each: (0, {}) for each in ("pi", name)}
    for number, zone in enumerate(course):
        end = len(said) * (number + 1) // len(course)
        while end < len(said) and said[end]["role"] == "toolResult":  # some formats have them in one message
            end += 1
        shown = said[:end]
        lists = []
        for each in ("pi", name):
            floor, decisions = state[each]
            there, plan = decided(each, shown, zone=zone, floor=floor, decisions=decisions)
            assert plan.floor >= floor
            assert TURNS.check(indexed(there), plan)[0] == ()
            state[each] = plan.floor, plan.decisions
            lists.append(told(each, there, plan))
        assert lists[0] == lists[1]


@given(any_list, names, asks(), st.booleans())
def test_no_promise_is_broken(
    messages: tuple[Message, ...], name: str, keys: dict[str, Any], prompted: bool
) -> None:
    """Lists that only real hosts would dare to send too; with a prompt at the head and one inside."""
    came = raws(name, conversation(messages))
    prompt = PROMPTS.get(name)
    if prompted and prompt is not None:
        half = len(came) // 2
        came = [json.dumps(prompt).encode(), *came[:half], json.dumps(prompt).encode(), *came[half:]]
    there = read(name, came)
    plan = planned(there, **keys)
    assert TURNS.check(indexed(there), plan)[0] == ()
    out = sent(name, there, plan)
    assert plan.weight == sum(message.weight for message in read(name, out))
    assert [fault for fault in lists.faults(RULES[name], came, out) if "longer" not in fault] == []


@given(legal, names, asks())
def test_what_is_kept_is_byte_for_byte(messages: tuple[Message, ...], name: str, keys: dict[str, Any]) -> None:
    there, plan = decided(name, conversation(messages), **keys)
    out = sent(name, there, plan)
    packets = [piece for piece in plan.pieces if isinstance(piece, Packet)]
    changed = {piece.message_index for piece in plan.pieces if isinstance(piece, BlockEdit)}
    assert len(packets) <= 1
    assert len(out) == len(kept(plan)) + len(packets)
    for raw, at in zip(out[len(packets) :], kept(plan), strict=True):
        assert (raw == there[at].raw) != (at in changed)


@given(legal, names, asks())
def test_projecting_a_projection_changes_nothing_more(
    messages: tuple[Message, ...], name: str, keys: dict[str, Any]
) -> None:
    there, plan = decided(name, conversation(messages), **keys)
    once = sent(name, there, plan)
    again = read(name, once)
    assert sent(name, again, planned(again, **keys)) == once
