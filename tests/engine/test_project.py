"""The projection: each rule as a conversation, then what holds for any list."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.check import check
from ctxmgr.engine.project import rewriter
from ctxmgr.engine.prune import prune
from ctxmgr.engine.turns import key
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES, DistillOver, Policy, TurnsKept, Zone
from ctxmgr.model.projection import Decision, Edit, Packet
from tests.conversations import any_list, legal, pairs, text_of
from tests.engine.projections import LEAST, edited, kept, planned, sent
from tests.notation import (
    Said,
    a,
    branch,
    call,
    err,
    indexed,
    note,
    packet,
    r,
    read,
    sh,
    summary,
    talk,
    u,
    words,
)

READ = call("read", path="x")
BULKY = text_of(200)  # 1 689 characters: distilled in every zone
LONG = u("please " + "do " * 200)


def turns(count: int, said: Said = LONG) -> list[Said]:
    """Turns of two messages."""
    return [one for _ in range(count) for one in (said, a("ok"))]


# name, conversation, what differs in the ask, indices that stay, is there a packet?
KEPT: list[tuple[str, list[Said], dict[str, Any], list[int], bool]] = [
    ("nothing", [], {}, [], False),
    ("a short list stays whole", turns(6), {}, list(range(12)), False),
    ("green keeps six turns", turns(8), {}, list(range(4, 16)), True),
    ("yellow three", turns(8), {"zone": "yellow"}, list(range(10, 16)), True),
    ("red one", turns(8), {"zone": "red"}, [14, 15], True),
    ("compact one", turns(8), {"zone": "compact"}, [14, 15], True),
    ("as many as the policy says", turns(8), {"policy": Policy(recent_user_turns=TurnsKept(2))}, [12, 13, 14, 15], True),
    ("the first kept turn never moves back", turns(8), {"floor": 10}, list(range(10, 16)), True),
    ("it may move on", turns(8), {"floor": 2}, list(range(4, 16)), True),
    ("no turn is dropped where none may be", turns(8), {"drop_turns": False}, list(range(16)), False),
    ("but what was left out stays out", turns(8), {"drop_turns": False, "floor": 10}, list(range(10, 16)), True),
    ("summaries leave", [summary(BULKY), u("go"), a("ok")], {}, [1, 2], True),
    ("of both kinds, anywhere", [u("go"), branch(BULKY), a("ok"), summary(BULKY)], {}, [0, 2], True),
    ("not before they are folded", [summary(BULKY), u("go")], {"folded": lambda at: False}, [0, 1], False),
    ("packets that come back are replaced", [packet("p" * 400), u("go"), a("ok")], {}, [1, 2], True),
    ("wherever they stand", [u("go"), a("ok"), packet("p" * 400), u("go")], {}, [0, 1, 3], True),
    ("no packet for what weighs less", [u("go"), packet("p")], {}, [0], False),
    ("a headless start stays as it came", [a(READ), r("x"), u("go")], {}, [0, 1, 2], False),
    ("a headless start leaves whole", [a(LONG.fields["content"]), *turns(6)], {}, list(range(1, 13)), True),
    ("a summary before an assistant message", [summary(BULKY), a("ok"), u("go")], {}, [1, 2], True),
    ("stays where no packet can stand for it", [summary(BULKY), a("ok"), u("go")], {"packet": None}, [0, 1, 2], False),
    ("but before a user message it leaves", [summary(BULKY), u("go")], {"packet": None}, [1], False),
    ("a light one stays too", [summary("s"), a("ok")], {"packet": lambda budget: ("", 0)}, [0, 1], False),
    ("a packet before an assistant message", [packet("p"), a("ok"), u("go")], {}, [0, 1, 2], False),
    ("is replaced where there is room", [packet("p" * 400), a("ok"), u("go")], {}, [1, 2], True),
    ("little is not worth leaving out", turns(8, u("go")), {"zone": "red"}, list(range(16)), False),
    ("where much is, no packet is no reason", turns(8), {"zone": "red", "packet": lambda budget: ("", 0)}, [14, 15], False),
    ("nor where packets are switched off", turns(8, u("go")), {"zone": "red", "packet": None}, [14, 15], False),
    (
        "what was left out before stays out though it is little",
        turns(2, u("go")),
        {"floor": 2, "packet": lambda budget: ("", 0)},
        [2, 3],
        False,
    ),
    (
        "a cut would part a pair",
        [LONG, a("ok"), LONG, a(READ), LONG, r("x"), LONG],
        {"policy": Policy(recent_user_turns=TurnsKept(2))},
        [2, 3, 4, 5, 6],
        True,
    ),
    (
        "a late result brings its turn back",
        [LONG, a("ok"), LONG, a(READ), LONG, r("x")],
        {"floor": 4, "zone": "red"},
        [2, 3, 4, 5],
        True,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "said", "keys", "stays", "with_packet"), KEPT, ids=[row[0] for row in KEPT])
def test_what_stays(name: str, said: list[Said], keys: dict[str, Any], stays: list[int], with_packet: bool) -> None:
    messages = talk(*said)
    plan = planned(messages, **keys)
    assert kept(plan) == stays
    assert any(isinstance(piece, Packet) for piece in plan.pieces) == with_packet
    assert not plan.pieces or with_packet == isinstance(plan.pieces[0], Packet)
    assert check(messages, indexed(messages), plan)[0] == ()


def did(text: str, **path: Any) -> list[Said]:
    return [a(call("read", **path)), r(text)]


OLDER = [u("go"), *did(BULKY), u("more"), *did(BULKY)]
TWO_STEPS = [*did("x"), *did("y")]

# name, conversation, what differs in the ask, index -> edit
EDITS: list[tuple[str, list[Said], dict[str, Any], dict[int, str]]] = [
    ("bulky results of older turns", OLDER, {}, {2: "distilled"}),
    ("not those that are short", [u("go"), *did(text_of(100)), u("more")], {}, {}),
    ("in yellow shorter ones too", [u("go"), *did(text_of(100)), u("more")], {"zone": "yellow"}, {2: "distilled"}),
    ("as the policy says", [u("go"), *did(text_of(100)), u("more")], {"policy": Policy(distill=DistillOver(300))}, {2: "distilled"}),
    ("errors only when they are long", [u("go"), a(READ), err(BULKY), u("more")], {}, {}),
    ("long errors", [u("go"), a(READ), err(BULKY * 2), u("more")], {}, {2: "distilled"}),
    ("not the user's own bash run", [u("go"), sh("cat x", BULKY), u("more")], {}, {}),
    ("not notes", [u("go"), note(BULKY), u("more")], {}, {}),
    ("not what is a marker already", [u("go"), *did(f"[output distilled — ~9 tokens | read]\n{BULKY}"), u("more")], {}, {}),
    ("nothing in preset tools", OLDER, {"drop_turns": False}, {}),
    ("the newest turn is lossless in red", [u("go"), *did(BULKY), *TWO_STEPS], {"zone": "red", "newest_limit": 0}, {}),
    ("in compact its old steps lose output", [u("go"), *did(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 0}, {2: "pruned"}),
    ("not where it fits", [u("go"), *did(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 9_999}, {}),
    ("the last two steps never", [u("go"), *did(BULKY), *did(BULKY)], {"zone": "compact", "newest_limit": 0}, {}),
    ("nor errors", [u("go"), a(READ), err(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 0}, {}),
    ("oldest first, no more than needed", [u("go"), *did(BULKY), *did(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 600}, {2: "pruned"}),
    (
        "older turns do not count against the newest",
        [u("a"), a("b" * 9_000), u("go"), *did(BULKY), *TWO_STEPS],
        {"zone": "compact", "newest_limit": 600, "policy": Policy(recent_user_turns=TurnsKept(6, 3, 2, 2))},
        {},
    ),
    ("what does not fit the window is distilled", [u("go"), *did(BULKY * 2)], {"window_limit": 600}, {2: "distilled"}),
    ("the largest first", [u("go"), *did(BULKY * 2), *did(BULKY * 3)], {"window_limit": 1_500}, {4: "distilled"}),
    ("then the next", [u("go"), *did(BULKY * 2), *did(BULKY * 3)], {"window_limit": 1_000}, {2: "distilled", 4: "distilled"}),
    ("errors too", [u("go"), a(READ), err(BULKY * 2)], {"window_limit": 600}, {2: "distilled"}),
    ("not without need", [u("go"), *did(BULKY * 2)], {"window_limit": 6_000}, {}),
    ("a result without a call", [u("go"), r(BULKY, "c9"), u("more")], {}, {1: "distilled"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "said", "keys", "expected"), EDITS, ids=[row[0] for row in EDITS])
def test_what_is_edited(name: str, said: list[Said], keys: dict[str, Any], expected: dict[int, str]) -> None:
    messages = talk(*said)
    plan = planned(messages, **keys)
    assert edited(plan) == expected
    assert (plan.distilled, plan.pruned) == (
        list(expected.values()).count("distilled"),
        list(expected.values()).count("pruned"),
    )
    assert check(messages, indexed(messages), plan)[0] == ()


def test_a_distilled_result_says_what_it_was() -> None:
    plan = planned(talk(u("go"), *did(BULKY, path="x.log"), u("more")))
    (edit,) = (piece for piece in plan.pieces if isinstance(piece, Edit))
    head, first, *_, last = edit.text.splitlines()
    assert head == '[output distilled — ~423 tokens | read path="x.log"]'
    assert (first, last) == ("line 0", "line 199")
    assert 900 < len(edit.text) <= len(head) + 1_000


def test_a_better_zone_does_not_undo_an_edit() -> None:
    messages = talk(*OLDER)
    red = planned(messages, zone="red", policy=Policy(recent_user_turns=TurnsKept(6, 3, 2)))
    assert list(red.decisions.values()) == [Decision("distilled", 300)]
    green = planned(messages, decisions=red.decisions)
    assert sent(messages, green) == sent(messages, red)
    assert green.decisions == red.decisions


def test_a_worse_zone_tightens_it() -> None:
    messages = talk(*OLDER)
    green = planned(messages)
    assert list(green.decisions.values()) == [Decision("distilled", 1_000)]
    yellow = planned(messages, zone="yellow", decisions=green.decisions)
    assert list(yellow.decisions.values()) == [Decision("distilled", 400)]
    assert yellow.weight < green.weight


def test_what_was_pruned_is_not_distilled_again() -> None:
    messages = talk(*OLDER)
    done = {key(indexed(messages), messages, 2): Decision("pruned")}
    assert edited(planned(messages, decisions=done)) == {2: "pruned"}


def test_an_edit_of_the_newest_turn_holds_when_the_zone_is_better() -> None:
    messages = talk(u("go"), *did(BULKY), *TWO_STEPS)
    compact = planned(messages, zone="compact", newest_limit=0)
    assert edited(planned(messages, decisions=compact.decisions)) == {2: "pruned"}


def test_nothing_is_edited_that_would_be_heavier() -> None:
    """With words as the weight, a text of one long word weighs less than its own marker."""
    messages = talk(u("go"), *did("x" * 5_000), u("more"), weigh=words)
    plan = planned(messages, rewrite=rewriter(messages, indexed(messages), words))
    assert (edited(plan), plan.decisions) == ({}, {})


def test_targets_of_pruning_are_edited_where_they_are_kept() -> None:
    messages = talk(*turns(1), *did(BULKY), *turns(8))
    policy = Policy(prune_protect=0, prune_minimum=0)
    targets = prune(messages, indexed(messages), policy, (), False).targets
    assert edited(planned(messages, targets=targets, drop_turns=False)) == {3: "pruned"}
    assert edited(planned(messages, targets=targets)) == {}


def test_what_a_plan_says_of_itself() -> None:
    messages = talk(*turns(2), LONG, *did(BULKY), summary(BULKY), *turns(2))
    plan = planned(messages, zone="yellow")
    assert (plan.turns_kept, plan.turns_dropped, plan.summaries_filtered) == (3, 2, 1)
    assert (plan.floor, plan.packet_weight, plan.excess) == (4, 50, 0)
    assert plan.raw_weight == sum(message.weight for message in messages)
    assert plan.weight == sum(message.weight for message in read(sent(messages, plan)))
    assert planned(messages, window_limit=10).excess > 0


# what holds for any list

zones = st.sampled_from(ZONES)
limits = st.none() | st.integers(0, 3_000)


@st.composite
def asks(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "zone": draw(zones),
        "drop_turns": draw(st.sampled_from((True, True, False))),
        "newest_limit": draw(limits),
        "window_limit": draw(limits),
        "floor": draw(st.sampled_from((0, 0, 3, 9))),
    }


def fitting(messages: tuple[Message, ...], keys: dict[str, Any]) -> dict[str, Any]:
    """A floor is the start of a turn that may start the kept part."""
    starts = [turn.start for turn in indexed(messages).turns if turn.cut]
    return {**keys, "floor": max((start for start in starts if start <= keys["floor"]), default=0)}


@settings(max_examples=200)
@given(any_list, asks())
def test_no_promise_is_broken(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    plan = planned(messages, **fitting(messages, keys))
    assert check(messages, indexed(messages), plan)[0] == ()


@settings(max_examples=200)
@given(any_list, asks())
def test_order_pairs_and_turns(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    """Told again from the messages that leave, without the index or the checks."""
    plan = planned(messages, **fitting(messages, keys))
    stays = kept(plan)
    assert stays == sorted(set(stays))
    for (at, _), asked in pairs(messages).items():
        assert (at in stays) == (asked in stays)
    ordinary = [at for at, message in enumerate(messages) if message.view.role not in ("summary", "packet")]
    first = min((at for at in ordinary if at in stays), default=len(messages))
    assert [at for at in ordinary if at >= first] == [at for at in stays if at in ordinary]
    dropped = [at for at in ordinary if at < first]
    assert not dropped or messages[first].view.opens_turn
    users = [at for at in ordinary if messages[at].view.opens_turn]
    assert not users or users[-1] in stays


@settings(max_examples=200)
@given(any_list, asks())
def test_what_leaves_is_what_came_but_for_results(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    plan = planned(messages, **fitting(messages, keys))
    out = sent(messages, plan)
    packets = len(plan.pieces[:1]) and isinstance(plan.pieces[0], Packet)
    changed = edited(plan)
    assert len(out) == len(kept(plan)) + packets
    for raw, at in zip(out[packets:], kept(plan), strict=True):
        assert raw == messages[at].raw or (at in changed and messages[at].view.role == "result")
    assert plan.weight == sum(message.weight for message in read(out))


@settings(max_examples=200)
@given(any_list, asks())
def test_a_plan_never_weighs_more_than_what_came(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    plan = planned(messages, **fitting(messages, keys))
    assert plan.weight <= plan.raw_weight == sum(message.weight for message in messages)
    left_out = set(range(len(messages))) - set(kept(plan))
    assert plan.packet_weight <= sum(messages[at].weight for at in left_out)
    edits = [piece for piece in plan.pieces if isinstance(piece, Edit)]
    assert all(edit.after < edit.before for edit in edits)


@settings(max_examples=150)
@given(any_list, zones)
def test_the_newest_turn_is_the_same_bytes(messages: tuple[Message, ...], zone: Zone) -> None:
    """Without a limit that rules 3 and 4 act on; summaries and packets inside it leave."""
    plan = planned(messages, zone=zone)
    newest = indexed(messages).turns[-1:]
    for turn in newest:
        inside = [at for at in range(turn.start, turn.end) if messages[at].view.role not in ("summary", "packet")]
        assert not set(inside) & set(edited(plan))
        assert set(inside) <= set(kept(plan))


@settings(max_examples=150)
@given(any_list, st.integers(0, 3_000))
def test_in_compact_only_old_steps_of_the_newest_turn_lose_output(
    messages: tuple[Message, ...], limit: int
) -> None:
    plan = planned(messages, zone="compact", newest_limit=limit)
    if not messages:
        return
    start = indexed(messages).turns[-1].start
    replies = [at for at in range(start, len(messages)) if messages[at].view.role == "assistant"]
    lossless = replies[-2] if len(replies) > 1 else start
    for at, kind in edited(plan).items():
        if at >= start:
            assert kind == "pruned"
            assert replies[0] < at < lossless
            assert not messages[at].view.units[0].is_error


@settings(max_examples=150)
@given(any_list, asks())
def test_projecting_a_projection_changes_nothing_more(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    """With the same ask, but for the floor and the decisions: they belong to the list that was rewritten."""
    once = sent(messages, planned(messages, **fitting(messages, keys)))
    again = read(once)
    assert sent(again, planned(again, **{**keys, "floor": 0})) == once


@settings(max_examples=150)
@given(any_list, asks())
def test_the_same_ask_has_the_same_plan(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    keys = fitting(messages, keys)
    plan = planned(messages, **keys)
    assert planned(messages, **keys) == plan
    follow = planned(messages, **{**keys, "floor": plan.floor, "decisions": plan.decisions})
    assert sent(messages, follow) == sent(messages, plan)


@settings(max_examples=150)
@given(any_list)
def test_a_worse_zone_keeps_a_subset(messages: tuple[Message, ...]) -> None:
    plans = [planned(messages, zone=zone) for zone in ZONES]
    for better, worse in zip(plans, plans[1:], strict=False):
        assert worse.floor >= better.floor
        assert set(kept(worse)) <= set(kept(better))
        assert {at for at in edited(better) if at in kept(worse)} <= {*edited(worse), *newest(messages)}


def newest(messages: tuple[Message, ...]) -> range:
    turns = indexed(messages).turns
    return range(turns[-1].start, len(messages)) if turns else range(0)


@settings(max_examples=100)
@given(legal, st.lists(zones, min_size=1, max_size=8))
def test_over_a_session_the_first_kept_turn_never_moves_back(
    messages: tuple[Message, ...], course: list[Zone]
) -> None:
    """The list grows while the zone changes at random; an edit, once made, holds or tightens."""
    floor, decisions = 0, dict[str, Decision]()
    for number, zone in enumerate(course):
        shown = messages[: len(messages) * (number + 1) // len(course)]
        plan = planned(shown, zone=zone, floor=floor, decisions=decisions)
        assert plan.floor >= floor
        for at, decision in decisions.items():
            held = plan.decisions[at]
            assert (held.kind, held.limit) <= ("pruned", decision.limit) or held == decision
            assert decision.kind != "pruned" or held == decision
        floor, decisions = plan.floor, plan.decisions
        assert check(shown, indexed(shown), plan)[0] == ()


@settings(max_examples=150)
@given(any_list, st.lists(zones, min_size=1, max_size=8))
def test_only_a_late_result_moves_it_back(messages: tuple[Message, ...], course: list[Zone]) -> None:
    floor, decisions = 0, dict[str, Decision]()
    for number, zone in enumerate(course):
        shown = messages[: len(messages) * (number + 1) // len(course)]
        plan = planned(shown, zone=zone, floor=floor, decisions=decisions)
        parted = any(asked < floor <= at for (at, _), asked in pairs(shown).items())
        assert plan.floor >= floor or parted
        assert check(shown, indexed(shown), plan)[0] == ()
        floor, decisions = plan.floor, plan.decisions


def test_least_is_less_than_a_folded_summary_weighs() -> None:
    """Else the tables above would show no packet."""
    assert talk(summary(BULKY))[0].weight > LEAST
