"""A preset plans by its own set of rules: nothing below it takes another in silence."""

import pytest

from ctxmgr.engine.conversation.index import ConversationIndex
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.invariants.rule import Rule
from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.presets.strategy import Delta, Incoming, Inputs
from ctxmgr.engine.pressure.zone import Gauge, thresholds
from ctxmgr.model.policy import Policy
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import Meter, ModelSpec, State
from tests.notation import a, indexed, quarters, talk, u
from tests.unit.engine.projections import kept
from tests.unit.engine.stepwise import looked

WINDOW = 8_000
LISTS = {  # each preset's, of which it leaves messages out
    "balanced": talk(u("go"), *(one for number in range(60) for one in looked(number, 60)), u("more"), a("two")),
    "turns": talk(*(one for number in range(60) for one in (u(f"go {number}"), *looked(number, 60)))),
}


class AllStay(Rule):
    """Nothing leaves, in steps or turns."""

    name = "all stay"

    def may_cut_at(self, conversation: ConversationIndex, turn_number: int) -> bool:
        return False

    def must_stay(self, conversation: ConversationIndex) -> frozenset[int]:
        return frozenset(range(conversation.size))


@pytest.mark.parametrize("name", LISTS)
def test_a_preset_with_one_rule_more_goes_by_it(name: str) -> None:
    base = type(PRESETS[name])
    stricter = Invariants(*base.invariants.rules, AllStay())
    own = type("Own", (base,), {"invariants": stricter})()
    gauge = Gauge(Meter(), thresholds(Policy(), WINDOW), "quarters/m", 0)
    left_out = []
    for preset in (PRESETS[name], own):
        state = State("s", ModelSpec("m", WINDOW), reopen="policy")
        inputs = Inputs(Policy(), gauge, quarters, Ledger(), {})
        found = preset.project(Incoming(indexed(LISTS[name]), Delta(0)), state, inputs)
        left_out.append(len(LISTS[name]) - len(kept(found.plan)))
    assert left_out[0] > 0 == left_out[1]
