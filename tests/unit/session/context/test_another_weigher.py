"""A vocabulary that is there, or comes, or never does: pressure may go by it, and no list does."""

import pytest

from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.recovery import session_of

COMES = {"never": -1, "before all": 0, "in the middle": 11, "at the end": 22}  # before which call


def doubled(text: str) -> int:
    return len(text)


def lived(preset: str, comes: int, usage: bool) -> tuple[list[Fields], Talk]:
    """The answers of a session that outgrows its window."""
    policy = {
        "preset": preset,
        "tokenizer": "o200k_base",
        "hostReserve": 0,
        "pruneProtect": 4_000,
        "pruneMinimum": 0,
    }
    talk, make = Talk(policy, window=12_000), Messages()
    messages: list[Fields] = []
    answers: list[Fields] = []
    for number in range(24):
        if number == comes:
            talk.driver.use_weigher("o200k_base", doubled)
        messages.append(make.user(f"Question {number}."))
        step = make.reply("", make.call("read", path=f"src/mod_{number}.py"))
        messages += [step, make.result(f"def func_{number}(): pass\n" * 120)]
        answers.append(talk.context(messages, answer="messages"))
        reply = make.reply("That is done.")
        tokens = answers[-1]["report"]["tokens"] + 500 if usage else None
        talk.turn_end(reply, tokens=tokens)
        messages.append(reply)
    return answers, talk


@pytest.mark.parametrize(("preset", "usage"), [("tools", True), ("turns", False), ("balanced", True)])
def test_no_answer_hangs_on_when_it_is_there(preset: str, usage: bool) -> None:
    answers, talk = lived(preset, COMES["never"], usage)
    assert answers[-1]["report"]["tokens"] < answers[-1]["report"]["rawTokens"]
    for comes in ("before all", "in the middle", "at the end"):
        others, other = lived(preset, COMES[comes], usage)
        assert others == answers
        assert session_of(other).state == session_of(talk).state
        assert other.status()["weigher"] == "o200k_base"
