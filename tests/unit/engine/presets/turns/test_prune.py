"""Tool-output pruning (rule 6), read as conversations. A word weighs one token here."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.presets.turns.prune import Pruning, prune
from ctxmgr.engine.protection import Protection
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import Decision
from tests.conversations import any_list
from tests.notation import Said, a, branch, call, err, indexed, r, talk, u, words

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
    ("a branch summary is no boundary", [u("go"), *did("read", 500), branch("s"), *did("read", 100)], {}, [2]),
    ("no protection", [u("go"), *did("read", 50)], {"prune_protect": 0}, [2]),
]


def test_what_is_pruned() -> None:
    for name, said, keys, expected in TABLE:
        policy = small(**{"preset": "tools", "prune_protect": 100, "prune_minimum": 50, **keys})
        assert [target.ref.message_index for target in pruned([*said, *RECENT], policy).targets] == expected, name


OLD = [u("1"), *did("read", 60), u("2"), *did("read", 60), u("3"), *did("read", 60), u("4")]


def test_the_newest_user_turns_are_safe() -> None:
    for safe, expected in (
        (0, [8, 5, 2]),
        (2, [5, 2]),
        (3, [2]),
    ):
        policy = small(preset="tools", prune_protect=0, prune_minimum=0, protected_turns=safe)
        assert [target.ref.message_index for target in pruned(OLD, policy).targets] == expected, safe


def test_what_is_pruned_already_is_no_reason_to_stop() -> None:
    said = [u("go"), *did("read", 60), *did("read", 70), *did("read", 100), *RECENT]
    assert [target.ref.message_index for target in pruned(said, done=[4]).targets] == [2]
    assert [target.ref.message_index for target in pruned(said, done=[2, 4]).targets] == []


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
