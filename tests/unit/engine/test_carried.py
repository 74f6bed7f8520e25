"""What follows from a list is the same whether the list grew to its length, or came at once."""

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.instructions import instructions
from ctxmgr.engine.invariants import STEPS, TURNS
from ctxmgr.engine.invariants.promises import thought_in_turn
from ctxmgr.engine.presets.turns.prune import prune
from ctxmgr.engine.protection import Protection, pinned, returned_positions, summaries
from ctxmgr.engine.retention.layout import extended, lay_out
from ctxmgr.engine.retention.shown import of_no_step, shown
from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.engine.staleness import superseded
from ctxmgr.model import Decision, Message, Pin, Plan
from ctxmgr.model.policy import Policy
from tests.conversations import some, talk_of, wild
from tests.notation import Said, a, call, r, u
from tests.unit.engine.stepwise import terms

RULES = Policy(prune_protect=30, prune_minimum=0, protected_turns=1, protected_tools=("skill",))
TOOLS = Policy(protected_tools=("Read", "retrieve"))
FILES = ("AGENTS.md", "CLAUDE.md", "/w/src/a.py", "src/a.py", "/w/src/b.py", "src/b.py")


def of_file(name: str, path: str, **more: Any) -> list[Said]:
    return [a(call(name, path=path, **more)), r(f"text of {path}\n" * 30)]


READS = [of_file("read", path) for path in FILES]
PINS = [Pin("path", "a.py"), Pin("tool", "edit"), Pin("callId", "c2"), Pin("digest", talk_of(READS[:1])[0].digest)]
WRITES = [of_file("write", path, content="x") for path in FILES] + [of_file("edit", path) for path in FILES[2:]]
SETS = (FILES[:1], FILES[1:2], FILES[:2], ())


def told(paths: tuple[str, ...], text: str) -> list[Said]:
    files = "".join(f"Contents of /w/{path} (project instructions):\n{text}\n" for path in paths)
    return [u(f"<system-reminder>\n# claudeMd\n{files or text}</system-reminder>")]


TOLD = [told(paths, text) for paths in SETS for text in ("Use tabs.", "Use spaces.")]
BACK = handle("k")
RETURNS = [[a(call("retrieve", id=f"ctxmgr:{BACK}"), call("read", path="src/a.py")), r("what left"), r("x = 1")]]
filed = st.builds(talk_of, some(READS, WRITES, TOLD, READS, WRITES, RETURNS))
cuts = st.lists(st.integers(1, 6), max_size=30)

FUNCTIONS: dict[str, Callable[[ConversationIndex], Any]] = {
    "steps": STEPS.steps,
    "steps by turns": TURNS.steps,
    "thought in turn": thought_in_turn,
    "superseded": superseded,
    "instructions": lambda conversation: instructions(conversation, True),
    "instructions of a policy": lambda conversation: instructions(conversation, ("*.py",)),
    "of no step": lambda conversation: of_no_step(conversation, STEPS),
    "summaries": lambda conversation: summaries(conversation, tuple(conversation.digest_counts)[:4]),
    "protected tools": lambda conversation: (
        Protection(conversation, TOOLS).results(),
        Protection(conversation, TOOLS).calling(),
    ),
    "pins": lambda conversation: pinned(conversation, PINS),
    "what came back": lambda conversation: returned_positions(conversation, {BACK: 1}, 2),
    "what may be pruned": lambda conversation: prune(Protection(conversation, RULES), {}, working_set=40),
}


@settings(max_examples=40)
@given(st.one_of(wild, filed, filed), cuts)
def test_a_list_that_grew_is_as_one_that_came_at_once(messages: tuple[Message, ...], sizes: list[int]) -> None:
    grown = ConversationIndex()
    for size in (*sizes, len(messages)):
        grown = extend(grown, messages[: grown.size + size])
        anew = extend(ConversationIndex(), grown.messages)
        assert {name: ask(grown) for name, ask in FUNCTIONS.items()} == {
            name: ask(anew) for name, ask in FUNCTIONS.items()
        }


@settings(max_examples=25)
@given(wild, cuts, st.sets(st.integers(0, 20)), st.booleans())
def test_what_a_plan_shows_is_the_same(
    messages: tuple[Message, ...], sizes: list[int], gone: set[int], asked: bool
) -> None:
    first = min(len(messages), 12)
    grown = extend(ConversationIndex(), messages[:first])
    kinds: tuple[Any, ...] = ("dropped", "pruned", "distilled")
    decisions = {grown.key(index): Decision(kinds[index % 3]) for index in gone if index < first}
    layout = msgspec.structs.replace(terms(messages).layout, decisions=decisions)
    plan = lay_out(grown, "green", layout)
    for size in (*sizes, len(messages)):
        if asked:
            shown(grown, plan, STEPS)
        before, grown = grown.size, extend(grown, messages[: grown.size + size])
        plan = extended(plan, grown, before, "green", layout)
        same_as_anew(grown, plan)


def same_as_anew(grown: ConversationIndex, plan: Plan) -> None:
    anew = extend(ConversationIndex(), grown.messages)
    told, expected = shown(grown, plan, STEPS), shown(anew, plan, STEPS)
    assert told == expected
    for working_set in range(grown.size + 1):
        steps = [(step.message_indices[0], max(step.message_indices)) for step in STEPS.steps(anew).steps]
        old = [
            number for number, (start, end) in enumerate(steps) if start in expected.tokens and end < working_set
        ]
        assert [number for number, _ in told.old_steps(working_set)] == old
        assert told.words_before(working_set) == sum(words for _, words in told.old_steps(working_set))
