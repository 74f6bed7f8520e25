"""What others told the model stays in view, in each preset, while the list around it leaves."""

import json
from typing import Any

import pytest

from tests.contract.talk import Fields
from tests.unit.session.context.epochs import talk_of
from tests.unit.session.context.test_respelling import step

WINDOW = 20_000  # tokens
RULE = "Rows of the schema are written by migrate_rows_42 alone."


def reading(format: str, path: str, text: str) -> list[Fields]:
    """As `step`, of this file."""
    spelled = json.dumps(step(format, 900)[-2:]).replace("src/mod_900.py", path)
    call, result = json.loads(spelled)
    for name in ("content", "output"):
        held = result.get(name)
        if isinstance(held, str):
            result[name] = text
        elif isinstance(held, list):
            held[0]["content" if "content" in held[0] else "text"] = text
    return [call, result]


def played(format: str, policy: dict[str, Any], told: list[Fields]) -> tuple[str, int]:
    """What the model is given last, and how many messages of the list are not in it."""
    talk = talk_of(window=WINDOW, format=format, pruneProtect=500, pruneMinimum=100, **policy)
    messages: list[Fields] = [{"role": "user", "content": "Go on with src/mod_1.py."}, *told]
    for number in range(40):
        messages += step(format, number, user=number % 3 == 2)
        answer = talk.context(messages, answer="messages", overheadTokens=0)
        assert answer["report"]["checks"] == []
    return json.dumps(answer["list"]), sum(one not in answer["list"] for one in messages)


@pytest.mark.parametrize(
    ("format", "preset"), [("anthropic", "balanced"), ("responses", "turns"), ("openai", "tools")]
)
def test_a_file_of_rules_stays_in_view(format: str, preset: str) -> None:
    """In place or word for word in the packet; as any output it leaves."""
    told = reading(format, "CLAUDE.md", f"{RULE}\n" + "Be brief. " * 80)
    shown, gone = played(format, {"preset": preset}, told)
    assert gone > 20
    assert RULE in shown
    assert RULE not in played(format, {"preset": preset, "protectedInstructions": False}, told)[0]


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_a_reminder_that_a_host_put_in_stays_in_view(preset: str) -> None:
    text = f"<system-reminder>\nContents of /p/AGENTS.md:\n{RULE}\n" + "Be brief. " * 500 + "</system-reminder>"
    told: list[Fields] = [{"role": "user", "content": text}]
    assert RULE in played("anthropic", {"preset": preset}, told)[0]


@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
def test_where_a_list_has_to_be_cut_to_fit_they_are_cut_last(preset: str) -> None:
    """Twenty results, each heavier than they are, at the first call: results are cut to less than they weigh."""
    rules = "\n".join(
        f"Rule {number}: rows of table_{number} are written by migrate_{number}." for number in range(60)
    )
    talk = talk_of(window=WINDOW, format="openai", preset=preset)
    messages = [{"role": "user", "content": "Go on."}, *reading("openai", "AGENTS.md", rules)]
    for number in range(20):
        call, result = step("openai", number)
        lines = "\n".join(f"line {line} of log {number}" for line in range(900))
        messages += [call, {**result, "content": lines}]
    answer = talk.context(messages, answer="messages", overheadTokens=0)
    told = [one["content"] for one in answer["list"] if one["role"] == "tool"]
    assert answer["report"]["checks"] == []
    assert told[0] == rules
    assert answer["list"] != messages
