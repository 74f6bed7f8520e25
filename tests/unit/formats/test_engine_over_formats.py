"""The same engine over all formats: what is decided of a conversation does not depend on how it is written down."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef, digest_of, extend
from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.ledger.extract import from_message
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.engine.presets.turns.whole_turns import kept_weight
from ctxmgr.engine.rewriting.prune import prune
from ctxmgr.formats import FORMATS
from ctxmgr.model.messages import PACKET_MARK, Message
from ctxmgr.model.policy import ZONES, Policy, TurnsKept, Zone
from ctxmgr.model.projection import Decision, Edit, Keep, Packet, Plan
from ctxmgr.session.ledger_updates import calls_of
from tests import translation
from tests.conversations import any_list, legal, text_of
from tests.legality import lists
from tests.notation import Said, a, call, err, indexed, quarters, r, think, u
from tests.translation import BACK, NAMES, RULES, Json, bare, plain, raws, read, sent
from tests.unit.engine import projections
from tests.unit.engine.projections import LEAST, MOST, kept

zones = st.sampled_from(ZONES)
limits = st.none() | st.integers(0, 3_000)
names = st.sampled_from(NAMES)
PROMPTS = {"openai": {"role": "system", "content": "Be kind. " * 9}}
PROMPTS["responses"] = {"type": "message", **PROMPTS["openai"]}


def rendered(budget: int) -> tuple[str, int]:
    """A packet with its mark on a line of its own: by that it is known again where no field can say it."""
    if budget < LEAST:
        return "", 0
    text = f"{PACKET_MARK}\n".ljust(4 * min(budget, MOST), ".")
    return text, quarters(text)


def planned(messages: tuple[Message, ...], **keys: Any) -> Plan:
    return projections.planned(messages, **{"packet": rendered, **keys})


@st.composite
def asks(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "zone": draw(zones),
        "drop_turns": draw(st.sampled_from((True, True, False))),
        "newest_limit": draw(limits),
        "window_limit": draw(limits),
    }


def conversation(messages: tuple[Message, ...]) -> list[Json]:
    return plain(json.loads(message.raw) for message in messages)


def decided(name: str, said: list[Json], **keys: Any) -> tuple[tuple[Message, ...], Plan]:
    messages = read(name, raws(name, said))
    return messages, planned(messages, **keys)


def told(name: str, messages: tuple[Message, ...], plan: Plan) -> list[Json]:
    """What leaves, as a plain conversation."""
    return bare(BACK[name](json.loads(raw) for raw in sent(name, messages, plan)))


# the translation itself


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


# the same decisions


@settings(max_examples=150)
@given(legal, names, asks())
def test_the_same_is_left_out_and_the_same_is_shortened(
    messages: tuple[Message, ...], name: str, keys: dict[str, Any]
) -> None:
    said = conversation(messages)
    here, plan = decided("pi", said, **keys)
    there, other = decided(name, said, **keys)
    assert told(name, there, other) == told("pi", here, plan)
    same = ("weight", "raw_weight", "turns_kept", "turns_dropped", "distilled", "pruned", "packet_weight", "excess")
    assert [getattr(other, field) for field in same] == [getattr(plan, field) for field in same]


@settings(max_examples=100)
@given(legal, names, st.integers(0, 300), st.integers(0, 300), st.integers(0, 4), st.booleans())
def test_the_same_is_pruned(
    messages: tuple[Message, ...], name: str, protect: int, minimum: int, safe: int, force: bool
) -> None:
    said = conversation(messages)
    policy = Policy(prune_protect=protect, prune_minimum=minimum, protected_turns=safe)
    found = []
    for each in ("pi", name):
        there = read(each, raws(each, said))
        pruning = prune(indexed(there), policy, (), force)
        ids = [indexed(there).block(one.ref).call_id for one in pruning.targets]
        found.append((ids, pruning.scanned, pruning.protected, pruning.prunable))
        again = prune(indexed(there), policy, {one.key for one in pruning.targets}, force)
        assert not {one.key for one in again.targets} & {one.key for one in pruning.targets}
    assert found[0] == found[1]


@settings(max_examples=60)
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


# the promises, in each format by its own checker


@settings(max_examples=150)
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


@settings(max_examples=100)
@given(legal, names, asks())
def test_what_is_kept_is_byte_for_byte(messages: tuple[Message, ...], name: str, keys: dict[str, Any]) -> None:
    there, plan = decided(name, conversation(messages), **keys)
    out = sent(name, there, plan)
    packets = [piece for piece in plan.pieces if isinstance(piece, Packet)]
    changed = {piece.index for piece in plan.pieces if isinstance(piece, Edit)}
    assert len(packets) <= 1
    assert len(out) == len(kept(plan)) + len(packets)
    for raw, at in zip(out[len(packets) :], kept(plan), strict=True):
        assert (raw == there[at].raw) != (at in changed)


@settings(max_examples=100)
@given(legal, names, asks())
def test_projecting_a_projection_changes_nothing_more(
    messages: tuple[Message, ...], name: str, keys: dict[str, Any]
) -> None:
    there, plan = decided(name, conversation(messages), **keys)
    once = sent(name, there, plan)
    again = read(name, once)
    assert sent(name, again, planned(again, **keys)) == once


# what only some formats have

LONG = "please " + "do " * 300
BULKY = text_of(200)
BOTH = [a(think("hm"), call("read", path="p"), call("bash", command="c")), r(BULKY), r(BULKY)]


def turns(count: int) -> list[Said]:
    return [one for _ in range(count) for one in (u(LONG), *BOTH, a("ok"))]


@pytest.mark.parametrize("name", sorted(PROMPTS))
@pytest.mark.parametrize("zone", ZONES)
def test_prompts_stay_where_they_stood(name: str, zone: Zone) -> None:
    """The one at the head before the packet, one of a turn that left too, one of a kept turn in its place."""
    came = raws(name, translation.said(*turns(8)))
    prompt = json.dumps(PROMPTS[name]).encode()
    came = [prompt, *came[:3], prompt, *came[3:-1], prompt, came[-1]]
    there = read(name, came)
    plan = planned(there, zone=zone)
    out = sent(name, there, plan)
    assert TURNS.check(indexed(there), plan)[0] == ()
    assert out[:2] == [prompt, prompt]
    assert RULES[name].is_packet(json.loads(out[2]))
    assert out[-2:] == came[-2:]
    assert plan.turns_kept == {"green": 6, "yellow": 3}.get(zone, 1)


def test_prompts_weigh_wherever_the_kept_part_begins() -> None:
    said = [PROMPTS["openai"], *translation.TO["openai"](translation.said(*turns(2)))]
    index = indexed(read("openai", [json.dumps(one).encode() for one in said]))
    second = index.turns[1].start
    assert kept_weight(index, second) == index.prompt_weight + index.turns[1].weight
    assert kept_weight(index, 0) == index.raw_weight


def test_prompts_alone_are_kept() -> None:
    came = [json.dumps(PROMPTS["openai"]).encode()] * 2
    there = read("openai", came)
    assert sent("openai", there, planned(there, zone="red")) == came


def test_several_results_of_one_message_are_decided_one_by_one() -> None:
    said = translation.said(u("go"), *BOTH, a("ok"), u("more"), a("ok"), u("and"))
    there = read("anthropic", raws("anthropic", said))
    index = indexed(there)
    first, second = (index.block_key(BlockRef(2, number)) for number in (0, 1))
    assert (first, second) == (there[2].digest, f"{there[2].digest}/1")
    assert {digest_of(at) for at in (first, second, f"{first}#1", f"{first}#1/1")} == {there[2].digest}
    policy = Policy(protected_tools=("read",), prune_protect=0, prune_minimum=0)
    (target,) = prune(index, policy, (), False).targets
    assert (target.ref, target.key) == (BlockRef(2, 1), second)
    plan = planned(there, drop_turns=False, decisions={second: Decision("pruned")})
    out = json.loads(sent("anthropic", there, plan)[2])["content"]
    assert out[0] == json.loads(there[2].raw)["content"][0]
    assert out[1]["content"] == [{"type": "text", "text": '[output pruned — ~423 tokens | bash command="c"]'}]


@pytest.mark.parametrize("name", NAMES)
def test_errors_stay_whole_where_others_are_pruned(name: str) -> None:
    said = translation.said(
        u("go"), a(call("bash", command="c")), err(BULKY), a(call("read", path="p")), r(BULKY), u("1"), u("2")
    )
    there = read(name, raws(name, said))
    pruning = prune(indexed(there), Policy(prune_protect=0, prune_minimum=0), (), False)
    assert len(pruning.targets) == 1
    assert there[pruning.targets[0].ref.message_index].view.units[0].call_id == "c2"


@pytest.mark.parametrize("name", ["openai", "responses"])
def test_what_may_be_an_error_is_protected_as_one(name: str) -> None:
    """From pruning, from the squeeze of the newest turn, and from distilling below the length of errors."""
    perhaps = f"{text_of(200)}\nno such file"
    steps = [a(call("bash", command="c")), r(perhaps), a(call("read", path="p")), r(BULKY)]
    there = read(name, raws(name, translation.said(u("go"), *steps, u("1"), u("2"))))
    (doubtful, fine) = (at for at, one in enumerate(there) if one.view.role == "result")
    assert there[doubtful].view.units[0].doubtful
    policy = Policy(prune_protect=0, prune_minimum=0)
    assert [one.ref.message_index for one in prune(indexed(there), policy, (), False).targets] == [fine]
    assert [piece.index for piece in planned(there).pieces if isinstance(piece, Edit)] == [fine]
    newest = read(name, raws(name, translation.said(u("go"), *steps, *BOTH, *BOTH)))
    squeezed = planned(newest, zone="compact", newest_limit=0)
    assert [piece.index for piece in squeezed.pieces if isinstance(piece, Edit)] == [fine]


@pytest.mark.parametrize("name", NAMES)
def test_facts_are_the_same(name: str) -> None:
    said = translation.said(
        u("Build the parser. Never touch config.py."),
        a("I decided to use regex.", call("read", path="a.py"), call("bash", command="make")),
        r("text"),
        err("make: *** no rule"),
    )
    found = []
    for each in ("pi", name):
        there = read(each, raws(each, said))
        calls = calls_of(there)
        facts = [
            fact
            for one in there
            for fact in from_message(one.view, stamp=Stamp("", 0), calls=calls, opening=one.view.opens_turn)
        ]
        found.append([(fact.slot, fact.key, fact.text, fact.status) for fact in facts])
    assert found[0] == found[1]
    assert {slot for slot, *_ in found[0]} >= {"goal", "constraint", "decision", "file", "command"}


def test_items_of_one_answer_are_one_step() -> None:
    """Else the two newest steps, which are lossless, would be two items of the newest answer."""
    said = translation.said(u("go"), *BOTH, *BOTH, *BOTH)
    keys: dict[str, Any] = {"zone": "compact", "newest_limit": 0}
    there, plan = decided("responses", said, **keys)
    edits = [piece.index for piece in plan.pieces if isinstance(piece, Edit)]
    assert edits == [4, 5]
    assert [there[at].view.role for at in edits] == ["result", "result"]


def test_a_result_beside_a_users_words_is_no_place_to_cut() -> None:
    """A host that puts queued words beside the results: the turn that they open can not be the first kept."""
    came: list[Json] = [
        {"role": "user", "content": LONG},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": LONG},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "x"},
                {"type": "text", "text": "wait, not that one"},
            ],
        },
        {"role": "assistant", "content": "ok"},
    ]
    there = read("anthropic", [json.dumps(one).encode() for one in came])
    assert [turn.separable for turn in indexed(there).turns] == [True, True, False]
    plan = planned(there, zone="red", policy=Policy(recent_user_turns=TurnsKept(1, 1, 1)))
    assert kept(plan) == [2, 3, 4, 5]
    assert lists.faults(RULES["anthropic"], [one.raw for one in there], sent("anthropic", there, plan)) == []


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
