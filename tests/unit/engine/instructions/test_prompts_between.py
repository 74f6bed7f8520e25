"""What an operator says in a system message between turns stays, or stands word for word in the packet."""

import json
from typing import Any

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


def test_it_stays_or_stands_word_for_word_in_the_packet() -> None:
    for said in (
        {0: ENVIRONMENT, 2: RULE, 5: [{"type": "text", "text": TOLD}, {"type": "text", "text": RULE}]},
        {1: RULES_REMINDED},
    ):
        for preset in ("balanced", "turns"):
            text = sent(preset, turns(14, said))
            for each in said.values():
                for part in [each] if isinstance(each, str) else [block["text"] for block in each]:
                    for line in filter(None, part.removeprefix("<system-reminder>").split("\n")):
                        assert json.dumps(line)[1:-1] in text, line


def test_one_that_is_larger_than_its_budget_is_told_by_how_it_begins() -> None:
    for preset in ("balanced", "turns"):
        long = "# Environment\n" + "\n".join(f"- note {line} of this machine, in words" for line in range(900))
        text = sent(preset, turns(14, {0: long}))
        assert "- note 7 of this machine" in text, preset
        assert "- note 890 of this machine" not in text, preset


def test_what_a_host_only_reminds_of_leaves_with_its_step() -> None:
    for preset in ("balanced", "turns"):
        assert REMINDER.removeprefix("<system-reminder>") not in sent(preset, turns(14, {1: REMINDER})), preset
