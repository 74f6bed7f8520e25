"""Chooser and checker ask the same rules: with one of them removed, both allow what it forbids.

By all rules a plan is sound; by all but one it breaks that one and no other, and those that are left find nothing.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.engine.invariants import STEPS, TURNS, Invariants
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy, TurnsKept, WorkingSet
from ctxmgr.model.projection import Decision, Keep, Plan
from tests import translation
from tests.notation import Said, a, call, indexed, r, summary, talk, think, u
from tests.unit.engine.projections import plan_of, planned
from tests.unit.engine.stepwise import NOTHING, code, looked, projected, without

FEW = WorkingSet(results=0, tokens=1)
HEAVY = ("[ctxmgr packet]".ljust(9_000, "."), 2_250)
STEP = looked(1)
NEWEST = [*looked(7, 1), *looked(8, 1)]
PROMPT = {"role": "developer", "content": "be kind"}
Made = tuple[tuple[Message, ...], Plan]
Chooser = Callable[[Invariants], Made]


def by_steps(said: list[Said], **keys: Any) -> Chooser:
    """An epoch is opened over the list."""
    keys = {"keep": NOTHING, "reopen": "compaction", "working_set": FEW, **keys}
    return lambda rules: (talk(*said), projected(talk(*said), rules=rules, **keys).plan)


def epoch_over(messages: tuple[Message, ...], rules: Invariants, keep: float = NOTHING) -> Made:
    return messages, projected(messages, rules=rules, keep=keep, working_set=FEW, reopen="compaction").plan


def by_turns(said: list[Said], **keys: Any) -> Chooser:
    """Red: the newest turn alone is kept."""
    keys = {"zone": "red", **keys}
    return lambda rules: (talk(*said), planned(talk(*said), rules=rules, **keys))


def answer_of_items() -> tuple[Message, ...]:
    """An answer of reasoning, a long text and a short one; then others."""
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "eHh4"},
        {"type": "message", "role": "assistant", "content": [text("word " * 80)]},
        {"type": "message", "role": "assistant", "content": [text("func_2_2 is in src/x_y.py")]},
        {"type": "message", "role": "user", "content": "on"},
        {"type": "message", "role": "assistant", "content": [text("so")]},
        {"type": "message", "role": "user", "content": "on"},
        {"type": "message", "role": "assistant", "content": [text("so")]},
    ]
    return translation.read("responses", [msgspec.json.encode(one) for one in items])


def several_items(rules: Invariants) -> Made:
    messages = answer_of_items()
    return epoch_over(messages, rules, keep=4.0)


def text(said: str) -> dict[str, str]:
    return {"type": "output_text", "text": said}


def signed_result(rules: Invariants) -> Made:
    messages = list(talk(u("go"), *looked(1, 200), u("on"), a("ok")))
    block = msgspec.structs.replace(messages[2].view.blocks[0], signed=True)
    messages[2] = msgspec.structs.replace(
        messages[2], view=msgspec.structs.replace(messages[2].view, blocks=(block,))
    )
    policy = Policy(recent_user_turns=TurnsKept(red=2))
    return tuple(messages), planned(tuple(messages), rules=rules, zone="red", policy=policy)


def prompted(rules: Invariants) -> Made:
    said = translation.TO["openai"](translation.said(u("go " * 300), a("ok"), u("on"), a("ok")))
    messages = translation.read("openai", [msgspec.json.encode(one) for one in (PROMPT, *said)])
    return messages, planned(messages, rules=rules, zone="red")


def loading_left(rules: Invariants) -> Made:
    """The step in which a tool was loaded, with its turn where turns leave."""
    messages = list(talk(u("go"), *STEP, u("on"), a("ok")))
    block = msgspec.structs.replace(messages[2].view.blocks[0], loads=("post",))
    view = msgspec.structs.replace(messages[2].view, blocks=(block,))
    messages[2] = msgspec.structs.replace(messages[2], view=view)
    if any(rule.name == "loaded tools" for rule in rules.rules):
        return tuple(messages), plan_of(messages, Keep(0, 5))
    heads = () if rules.by_turns else (Keep(0, 1),)
    return tuple(messages), plan_of(messages, *heads, Keep(3, 5))


def thought_left(rules: Invariants) -> Made:
    """The step that the newest turn begins with left to fit."""
    thought = a(think("hm"), call("bash", command="make"))
    messages = talk(u("go"), *STEP, u("on"), thought, r("ok"), *looked(9, 60))
    if any(rule.name == "thinking" for rule in rules.rules):
        return messages, plan_of(messages, Keep(0, len(messages)))
    dropped = {indexed(messages).key(index): Decision("dropped", to_fit=True) for index in (4, 5)}
    plan = plan_of(messages, Keep(0, 4), Keep(6, len(messages)))
    return messages, msgspec.structs.replace(plan, decisions=dropped)


LONG_USER = u(f"see {code(5, 60)}")
OVERWRITTEN = [
    u("go"),
    a(think("hm"), "func_2_2 is in src/x_y.py", call("write", path="a.py", content=code(3, 60))),
    r("ok"),
    a(call("write", path="a.py", content=code(4, 2))),
    r("ok"),
]
ALL: dict[str, Any] = {"usable": 2_000.0}
# rules, name of the one that is removed, how the plan is made
TABLE: list[tuple[Invariants, str, Chooser]] = [
    (STEPS, "step", several_items),
    (STEPS, "users", by_steps([u("go"), LONG_USER, *STEP, *NEWEST, u("on")], weigh=lambda text: 9_999, **ALL)),
    (STEPS, "newest user", by_steps([u("go"), *STEP, LONG_USER, *NEWEST], **ALL)),
    (STEPS, "signed", by_steps([*OVERWRITTEN, *looked(9, 1_000), *NEWEST], keep=30.0)),
    (STEPS, "start", by_steps([LONG_USER, a("func_2_2 is in src/x_y.py"), *NEWEST, u("on")], keep=5.0, **ALL)),
    (STEPS, "weight", by_steps([u("go"), *STEP, *NEWEST], facts=lambda stands_for: HEAVY[0])),
    (STEPS, "loaded tools", loading_left),
    (STEPS, "thinking", thought_left),
    (TURNS, "pairs", by_turns([u("go " * 900), a(call("read", path="x")), u("on"), r("text"), a("ok")])),
    (TURNS, "signed", signed_result),
    (TURNS, "start", by_turns([summary("short"), a("ok"), u("on")], zone="green", packet=None)),
    (TURNS, "weight", by_turns([u("go " * 900), a("ok"), u("on"), a("ok")], packet=lambda budget: HEAVY)),
    (TURNS, "prompts", prompted),
    (TURNS, "loaded tools", loading_left),
    (TURNS, "thinking", thought_left),
]


def test_with_a_rule_removed_chooser_and_checker_allow_what_it_forbids() -> None:
    for rules, name, chooser in TABLE:
        messages, plan = chooser(rules)
        assert rules.check(indexed(messages), plan)[0] == (), name
        less = without(rules, name)
        messages, plan = chooser(less)
        assert rules.check(indexed(messages), plan)[0] == (name,), name
        assert less.check(indexed(messages), plan)[0] == (), name
