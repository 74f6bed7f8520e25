"""What an operator says in a system message between turns stays, or stands word for word in the packet."""

import json
from typing import Any

import pytest

from ctxmgr import Session

ENVIRONMENT = "# Environment\n" + "\n".join(
    f"- the operator's note number {line} of this machine" for line in range(60)
)
RULE = "From now on answer in French, and never call the Write tool."
TOLD = "The following agent types are available: explore, plan."
REMINDER = "<system-reminder>The file was shown in part.</system-reminder>"
RULES_REMINDED = "<system-reminder>\nContents of /app/CLAUDE.md:\n\nNever push.\n</system-reminder>"


def turns(count: int, said: dict[int, Any], calls: int = 6) -> list[Any]:
    """So many turns of `calls` steps; what is `said` by the operator behind the request of these turns."""
    messages: list[Any] = []
    for turn in range(count):
        messages.append({"role": "user", "content": f"Request {turn}: look at the modules of group {turn}."})
        if turn in said:
            messages.append({"role": "system", "content": said[turn]})
        for number in range(turn * calls, (turn + 1) * calls):
            call = {
                "type": "tool_use",
                "id": f"t{number}",
                "name": "Read",
                "input": {"file_path": f"/m{number}.py"},
            }
            lines = "\n".join(f"value_{number}_{line} = compute({line})" for line in range(120))
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": lines}
            words = {
                "type": "text",
                "text": f"Module {number} is next: " + "what it gives is used by others. " * 12,
            }
            messages.append({"role": "assistant", "content": [words, call]})
            messages.append({"role": "user", "content": [result]})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"Group {turn} is done."}]})
    return messages


def sent(preset: str, messages: list[Any], window: int = 40_000) -> str:
    """All of the last list that a host sends which grows to these messages, its marks of a quote taken off."""
    session = Session({"preset": preset}, model={"id": "m", "contextWindow": window}, format="anthropic")
    for end in range(3, len(messages) + 1, 4):
        listed = session.project(messages[:end], overhead_tokens=6_000)
    assert len(listed) < 0.8 * len(messages)
    return json.dumps(listed).replace("\\n> ", "\\n")


@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
@pytest.mark.parametrize(
    "said",
    [
        {0: ENVIRONMENT, 2: RULE, 5: [{"type": "text", "text": TOLD}, {"type": "text", "text": RULE}]},
        {1: RULES_REMINDED},
    ],
    ids=["several", "rules in a reminder"],
)
def test_it_stays_or_stands_word_for_word_in_the_packet(preset: str, said: dict[int, Any]) -> None:
    text = sent(preset, turns(14, said))
    for each in said.values():
        for part in [each] if isinstance(each, str) else [block["text"] for block in each]:
            for line in filter(None, part.removeprefix("<system-reminder>").split("\n")):
                assert json.dumps(line)[1:-1] in text, line


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_one_that_is_larger_than_its_budget_is_told_by_how_it_begins(preset: str) -> None:
    long = "# Environment\n" + "\n".join(f"- note {line} of this machine, in words" for line in range(900))
    text = sent(preset, turns(14, {0: long}))
    assert "- note 7 of this machine" in text
    assert "- note 890 of this machine" not in text


@pytest.mark.parametrize("preset", ["balanced", "turns", "tools"])
def test_what_a_host_only_reminds_of_leaves_with_its_step(preset: str) -> None:
    assert REMINDER.removeprefix("<system-reminder>") not in sent(preset, turns(14, {1: REMINDER}))


def test_steps_of_a_host_that_prompts_at_every_step_leave_and_all_its_words_stay() -> None:
    """Alone a prompt has no place that every provider accepts, so it cannot hold its step."""
    messages: list[Any] = []
    for message in turns(1, {}, calls=60):
        led = message["role"] == "assistant" and messages
        messages += [{"role": "system", "content": f"Rule {len(messages)}: never push."}] if led else []
        messages.append(message)
    session = Session({"preset": "balanced"}, model={"id": "m", "contextWindow": 40_000}, format="anthropic")
    for end in range(1, len(messages) + 1, 3):
        listed = session.project(messages[:end], overhead_tokens=6_000)
    assert session.report is not None
    assert session.report.checks == ()
    assert len(listed) < 0.5 * len(messages)
    assert "Rule 1: never push." in json.dumps(listed)
