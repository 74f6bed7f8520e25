"""What each format has of its own: prompts, several results of one message, errors, items of one answer."""

import json
from typing import Any

from ctxmgr.engine.conversation import BlockRef, digest_of
from ctxmgr.engine.memory.extract import from_message
from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.presets.turns.prune import prune
from ctxmgr.engine.protection import Protection
from ctxmgr.model.policy import Policy, TurnsKept
from ctxmgr.model.projection import BlockEdit, Decision
from ctxmgr.session.ledger_updates import calls_of
from tests import translation
from tests.conversations import text_of
from tests.legality import lists
from tests.notation import a, call, err, indexed, r, u
from tests.translation import NAMES, RULES, Json, raws, read, sent
from tests.unit.engine.projections import kept
from tests.unit.formats.engine.engine_runs import BOTH, BULKY, LONG, decided, planned


def test_several_results_of_one_message_are_decided_one_by_one() -> None:
    said = translation.said(u("go"), *BOTH, a("ok"), u("more"), a("ok"), u("and"))
    there = read("anthropic", raws("anthropic", said))
    index = indexed(there)
    first, second = (index.block_key(BlockRef(2, number)) for number in (0, 1))
    assert (first, second) == (there[2].digest, f"{there[2].digest}/1")
    assert {digest_of(at) for at in (first, second, f"{first}#1", f"{first}#1/1")} == {there[2].digest}
    policy = Policy(protected_tools=("read",), prune_protect=0, prune_minimum=0)
    (target,) = prune(Protection(index, policy), {}, False).targets
    assert (target.ref, target.key) == (BlockRef(2, 1), second)
    plan = planned(there, drop_turns=False, decisions={second: Decision("pruned")})
    out = json.loads(sent("anthropic", there, plan)[2])["content"]
    assert out[0] == json.loads(there[2].raw)["content"][0]
    assert out[1]["content"] == [{"type": "text", "text": '[output pruned — ~423 tokens | bash command="c"]'}]


def test_what_may_be_an_error_is_protected_as_one() -> None:
    """From pruning, from the squeeze of the newest turn, and from distilling below the length of errors."""
    for name in ("openai", "responses"):
        perhaps = f"{text_of(200)}\nno such file"
        steps = [a(call("bash", command="c")), r(perhaps), a(call("read", path="p")), r(BULKY)]
        there = read(name, raws(name, translation.said(u("go"), *steps, u("1"), a("ok"), u("2"))))
        (doubtful, fine) = (at for at, one in enumerate(there) if one.view.role == "result")
        assert there[doubtful].view.blocks[0].doubtful, name
        policy = Policy(prune_protect=0, prune_minimum=0)
        assert [one.ref.message_index for one in prune(Protection(indexed(there), policy), {}, False).targets] == [
            fine
        ]
        assert [piece.message_index for piece in planned(there).pieces if isinstance(piece, BlockEdit)] == [fine]
        newest = read(name, raws(name, translation.said(u("go"), *steps, *BOTH, *BOTH)))
        squeezed = planned(newest, zone="compact", newest_limit=0)
        assert [piece.message_index for piece in squeezed.pieces if isinstance(piece, BlockEdit)] == [fine], name


def test_facts_are_the_same() -> None:
    for name in NAMES:
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
            found.append([(fact.kind, fact.key, fact.text, fact.status * (fact.kind != "said")) for fact in facts])
        # in `responses` words stand in an item of their own, and calls in others: nothing tells that a turn went on
        if name != "anthropic":  # no error flag: what does not tell how it ended is not known to have gone well
            found[0] = [(*fact, "unknown" if status == "ok" else status) for *fact, status in found[0]]
        assert found[0] == found[1], name
        assert {slot for slot, *_ in found[0]} >= {"goal", "request", "said", "file", "command"}, name


def test_items_of_one_answer_are_one_step() -> None:
    """Else the two newest steps, which are lossless, would be two items of the newest answer."""
    said = translation.said(u("go"), *BOTH, *BOTH, *BOTH)
    keys: dict[str, Any] = {"zone": "compact", "newest_limit": 0}
    there, plan = decided("responses", said, **keys)
    edits = [piece.message_index for piece in plan.pieces if isinstance(piece, BlockEdit)]
    assert edits == [4, 5]
    assert [there[at].view.role for at in edits] == ["result", "result"]


def test_a_result_beside_a_users_words_is_no_place_to_cut() -> None:
    """A host that puts queued words beside the results: the turn that they open cannot be the first kept."""
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
