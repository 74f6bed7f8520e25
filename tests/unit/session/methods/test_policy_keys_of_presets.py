"""A key of the policy means something in the preset in force, or `status.notes` says that it does not."""

from typing import Any

import pytest

from ctxmgr.engine.presets import KEY_PRESETS, PRESETS
from ctxmgr.model import Policy
from tests.contract.talk import Fields, Messages, Talk

SET: Fields = {
    "cacheTtlMs": 1_000,
    "distill": {"green": 500},
    "idle": "prune",
    "keep": "lean",
    "packetTokens": 1_000,
    "prices": {"input": 3},
    "protectedTools": ["lookup"],
    "protectedTurns": 1,
    "prunableTools": ["read"],
    "pruneMinimum": 10,
    "pruneProtect": 10,
    "recentUserTurns": {"green": 4},
    "resumeTokens": 2_000,
}
LONG = "\n".join(f"line {number} of the long output" for number in range(300))


def test_a_key_that_was_set_and_does_nothing_is_told() -> None:
    for preset in PRESETS:
        notes = [one for one in Talk({"preset": preset, **SET}).status()["notes"] if "policy key" in one]
        idle = [key for key in SET if preset not in KEY_PRESETS[key]]
        assert notes == [f"the policy key {key} does nothing in preset {preset}" for key in idle]


BASE: Fields = {
    "keep": 40,
    "pruneProtect": 2_000,
    "pruneMinimum": 500,
    "protectedTurns": 1,
    "compaction": {"enabled": False},
}
OTHER: Fields = SET | {
    "cacheTtlMs": 3_600_000,
    "keep": 1,
    "distill": {"green": 50_000, "yellow": 50_000, "red": 50_000, "compact": 50_000},
    "packetTokens": 20,
    "prices": {"input": 3, "output": 15, "cacheRead": 3, "cacheWrite": 3},
    "protectedTurns": 4,
    "pruneMinimum": 100_000,
    "pruneProtect": 100_000,
    "recentUserTurns": {"green": 2, "yellow": 2, "red": 2, "compact": 2},
    "resumeTokens": 30,
}
SEEN_WITH: Fields = {"idle": {"keep": 1_000_000}}  # else a cold list is short as it is
SUMMARY = "## Goal\nThe port.\n\n## Critical Context\n" + "\n".join(
    f"- Part {number} of the parser holds what was found about its tokens and their places." for number in range(40)
)


def named(number: int) -> str:
    """A file whose lines have names of their own, so that each is worth something."""
    return "\n".join(f"value_{number}_{line} = {line} of the long output" for line in range(220))


def lists_of(preset: str, policy: Fields) -> list[Any]:
    """A session's lists: as it grows, cold and warm, after a forced prune, after a compaction, once it was
    answered, and with notes of the model's."""
    talk, make = Talk({"preset": preset, **BASE, **policy}, 100_000), Messages()
    lists, said, at = [], [make.user("Port the parser. Never touch the schema.")], 0
    for number in range(14):
        at += 600_000 if number % 5 == 4 else 1_000
        if number == 10:
            talk.call("prune", sessionId="s")
        said += [
            make.reply("I look.", make.call("lookup", key=f"s{number}")),
            make.result(f"{number} {LONG[:6_000]}"),
        ]
        said += [make.reply("And here.", make.call("read", path=f"f{number}.py")), make.result(named(number))]
        said += [make.reply("That is done."), make.user(f"Question {number}: what of f{number // 2}.py?")]
        lists.append(talk.context(said, at=at)["list"])
        talk.call("turn_end", sessionId="s", message=said[-2])
    talk.call(
        "session_compact", sessionId="s", compactionEntry={"type": "compaction", "id": "c", "summary": SUMMARY}
    )
    said = [make.summary(SUMMARY), *said[-13:]]
    lists.append(talk.context(said, at=at)["list"])
    said += [make.reply("That is done."), make.user("And now?")]
    talk.call("turn_end", sessionId="s", message=said[-2])
    lists.append(talk.context(said, at=at)["list"])
    notes = {"op": "overwrite", "text": "The port is 9090. " * 20}
    talk.call("editScratchpad", sessionId="s", operations=[notes])
    return [*lists, talk.context(said, at=at)["list"]]


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS)
def test_a_key_changes_lists_where_it_is_said_to_and_nowhere_else(preset: str) -> None:
    as_set = lists_of(preset, {})
    changing = set()
    for key, value in OTHER.items():
        beside = SEEN_WITH.get(key, {})
        before = lists_of(preset, beside) if beside else as_set
        if lists_of(preset, {**beside, key: value}) != before:
            changing.add(key)
    assert changing == {key for key, names in KEY_PRESETS.items() if preset in names}


def test_get_policy_tells_which_preset_a_key_belongs_to() -> None:
    talk = Talk(start=False)
    talk.call("initialize", protocolVersion="1.1", capabilities={}, policy={})
    talk.call("session_start", sessionId="s", model={"id": "m", "contextWindow": 9_000})
    answer = talk.call("getPolicy", sessionId="s")
    assert answer["presets"] == {key: list(names) for key, names in KEY_PRESETS.items()}
    assert answer["presets"]["pruneMinimum"] == ["tools"]
    assert set(KEY_PRESETS) == set(SET)
    assert set(KEY_PRESETS) < set(Policy.__struct_encode_fields__)
