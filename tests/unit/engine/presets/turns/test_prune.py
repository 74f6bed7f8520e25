"""Tool-output pruning (rule 6), read as conversations. A word weighs one token here."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets.turns.packets import Folding
from ctxmgr.engine.presets.turns.project import TurnsInputs, project
from ctxmgr.engine.presets.turns.prune import Pruning, prune
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.rewriting.rewrite import rewriter
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import BlockEdit, Decision
from tests.conversations import any_list
from tests.notation import Said, a, branch, call, err, indexed, quarters, r, summary, talk, u, words

small = partial(Policy, working_set=WorkingSet(0, 0))
SMALL = small(preset="tools", prune_protect=100, prune_minimum=50)


def out(tokens: int) -> str:
    return "w " * tokens


def did(tool: str, tokens: int, **arguments: Any) -> list[Said]:
    return [a(call(tool, **arguments)), r(out(tokens))]


def failed(tool: str, tokens: int) -> list[Said]:
    return [a(call(tool)), err(out(tokens))]


def pruned(said: list[Said], policy: Policy = SMALL, done: Sequence[int] = (), force: bool = False) -> Pruning:
    messages = talk(*said, weigh=words)
    index = indexed(messages)
    policy = msgspec.structs.replace(policy, protected_instructions=False)
    return prune(Protection(index, policy), {index.key(at): Decision("pruned") for at in done}, force)


RECENT = [u("and now"), a("ok"), u("go on")]  # the two turns that are safe

# name, conversation before the two safe turns, policy keys that differ, indices of what is pruned
TABLE: list[tuple[str, list[Said], dict[str, Any], list[int]]] = [
    ("the newest output is safe", [u("go"), *did("read", 100)], {}, []),
    ("what is older is not", [u("go"), *did("read", 60), *did("read", 100)], {}, [2]),
    ("the one that straddles stays", [u("go"), *did("read", 60), *did("read", 60), *did("read", 60)], {}, [2]),
    ("one larger than the protection stays", [u("go"), *did("read", 60), *did("read", 500)], {}, [2]),
    ("under the minimum nothing goes", [u("go"), *did("read", 49), *did("read", 100)], {}, []),
    ("at the minimum all of it goes", [u("go"), *did("read", 25), *did("ls", 25), *did("read", 100)], {}, [4, 2]),
    ("errors never", [u("go"), *failed("bash", 500), *did("read", 60), *did("read", 100)], {}, [4]),
    (
        "errors do not use up the protection",
        [u("go"), *did("read", 60), *failed("bash", 500), *did("read", 100)],
        {},
        [2],
    ),
    (
        "protected tools never",
        [u("go"), *did("read", 60), *did("ls", 60), *did("read", 100)],
        {"protected_tools": ("read",)},
        [],
    ),
    (
        "tools that are not named",
        [u("go"), *did("skill", 500), *did("read", 100)],
        {"prunable_tools": ("read", "bash")},
        [],
    ),
    ("no list names all", [u("go"), *did("skill", 500), *did("exec_command", 100)], {}, [2]),
    (
        "in whatever case they are named",
        [u("go"), *did("Read", 500), *did("READ", 100)],
        {"prunable_tools": ("rEad",)},
        [2],
    ),
    (
        "nothing before a compaction",
        [u("go"), *did("read", 500), summary("s"), *did("read", 60), *did("read", 100)],
        {},
        [5],
    ),
    ("a branch summary is no boundary", [u("go"), *did("read", 500), branch("s"), *did("read", 100)], {}, [2]),
    (
        "markers of ours",
        [
            u("go"),
            a(call("read")),
            r('[output pruned — ~500 tokens | read path="' + out(250) + '"]'),
            *did("read", 100),
        ],
        {},
        [],
    ),
    ("a result without a call", [u("go"), r(out(500), "c9"), *did("read", 100)], {}, [1]),
    ("without a user message before", [*did("read", 60), *did("read", 100)], {}, [1]),
    ("no protection", [u("go"), *did("read", 50)], {"prune_protect": 0}, [2]),
]


@pytest.mark.parametrize(("name", "said", "keys", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_what_is_pruned(name: str, said: list[Said], keys: dict[str, Any], expected: list[int]) -> None:
    policy = small(**{"preset": "tools", "prune_protect": 100, "prune_minimum": 50, **keys})
    assert [target.ref.message_index for target in pruned([*said, *RECENT], policy).targets] == expected


OLD = [u("1"), *did("read", 60), u("2"), *did("read", 60), u("3"), *did("read", 60), u("4")]


@pytest.mark.parametrize(
    ("safe", "expected"), [(0, [8, 5, 2]), (1, [8, 5, 2]), (2, [5, 2]), (3, [2]), (4, []), (9, [])]
)
def test_the_newest_user_turns_are_safe(safe: int, expected: list[int]) -> None:
    policy = small(preset="tools", prune_protect=0, prune_minimum=0, protected_turns=safe)
    assert [target.ref.message_index for target in pruned(OLD, policy).targets] == expected


def test_a_headless_turn_counts_as_no_user_turn() -> None:
    policy = small(preset="tools", prune_protect=0, prune_minimum=0)
    assert pruned([*did("read", 60), u("1"), u("2")], policy).targets
    assert not pruned([*did("read", 60), u("1")], policy).targets


def test_what_is_pruned_already_is_no_reason_to_stop() -> None:
    """The original stops at the first result it pruned before, and never comes to what is older."""
    said = [u("go"), *did("read", 60), *did("read", 70), *did("read", 100), *RECENT]
    assert [target.ref.message_index for target in pruned(said, done=[4]).targets] == [2]
    assert [target.ref.message_index for target in pruned(said, done=[2, 4]).targets] == []


def test_force_goes_past_the_minimum_but_not_past_the_protection() -> None:
    said = [u("go"), *did("read", 10), *failed("bash", 90), *did("read", 100), *RECENT]
    assert [target.ref.message_index for target in pruned(said, force=True).targets] == [2]
    assert pruned([u("go"), *RECENT], force=True).targets == ()


def test_what_is_counted() -> None:
    said = [u("go"), *did("read", 30), *failed("ls", 7), *did("read", 40), *did("read", 100), *RECENT]
    found = pruned(said)
    assert (found.scanned_tokens, found.protected_tokens, found.prunable_tokens) == (170, 100, 70)
    assert [target.weight for target in found.targets] == [40, 30]
    below = pruned(said, small(preset="tools", prune_protect=100, prune_minimum=71))
    assert (below.targets, below.scanned_tokens, below.protected_tokens, below.prunable_tokens) == (
        (),
        170,
        100,
        70,
    )


@pytest.mark.parametrize(("protected", "expected"), [((), [2]), (("READ",), [])])
def test_the_newest_turn_spares_protected_tools_too(protected: tuple[str, ...], expected: list[int]) -> None:
    """Rule 3 of the projection squeezes it; names are the same in whatever case there as well."""
    messages = talk(u("go"), *did("Read", 4_000), *did("ls", 10), *did("ls", 10))
    ask = TurnsInputs(
        zone="compact",
        protection=Protection(indexed(messages), small(protected_tools=protected)),
        floor=0,
        decisions={},
        folding=Folding(None, lambda at: False),
        rules=TURNS,
        newest_limit=100,
        rewrite=rewriter(indexed(messages), quarters),
    )
    edits = [piece for piece in project(indexed(messages), ask).pieces if isinstance(piece, BlockEdit)]
    assert [edit.message_index for edit in edits] == expected


@given(any_list, st.integers(0, 300), st.integers(0, 300), st.integers(0, 4), st.booleans())
def test_pruning_keeps_its_rules_on_any_list(
    messages: tuple[Message, ...], protect: int, minimum: int, safe: int, force: bool
) -> None:
    named = ("Read", "bash", "grep")
    policy = small(prune_protect=protect, prune_minimum=minimum, protected_turns=safe, prunable_tools=named)
    index = indexed(messages)
    found = prune(Protection(index, policy), {}, force)
    users = [at for at, message in enumerate(messages) if message.view.opens_turn]
    limit = 0 if safe > len(users) else users[len(users) - safe] if safe else len(messages)
    for target in found.targets:
        block = messages[target.ref.message_index].view.blocks[target.ref.block_index]
        assert target.ref.message_index < limit
        assert block.kind == "result"
        assert not block.is_error
        assert block.tool.lower() in ("read", "bash", "grep")
        assert not any(message.view.summary == "compaction" for message in messages[target.ref.message_index :])
    if found.prunable_tokens:  # what is protected is a floor, and no more than its last result passes it
        heaviest = max(weight for message in messages for weight in message.weights)
        assert protect <= found.protected_tokens < protect + max(1, heaviest)
    assert found.protected_tokens + found.prunable_tokens == found.scanned_tokens
    assert sum(target.weight for target in found.targets) == (found.prunable_tokens if found.targets else 0)
    assert force or not found.targets or found.prunable_tokens >= minimum
    again = prune(Protection(index, policy), {target.key: Decision("pruned") for target in found.targets}, force)
    assert not {target.ref.message_index for target in again.targets} & {
        target.ref.message_index for target in found.targets
    }
