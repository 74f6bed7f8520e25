"""What a provider says is believed with sense: far below what was sent no more than above the window, after another
model was chosen too; `status` says what it goes by."""

import pytest

from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.recovery import session_of

WINDOW = 30_000
LONG = "some words of a file\n" * 4_000  # about 20,000 tokens


def ended(talk: Talk, make: Messages, messages: list[Fields], tokens: int) -> Fields:
    talk.context(messages)
    return talk.turn_end(make.reply("Done."), tokens=tokens)


def grown(make: Messages) -> list[Fields]:
    return [make.user(LONG)]


@pytest.mark.parametrize("tokens", [12, 4_000, WINDOW + 1])
def test_a_count_that_makes_no_sense_changes_nothing_and_the_estimate_stands(tokens: int) -> None:
    talk, make = Talk(window=WINDOW, version="1.1"), Messages()
    answer = ended(talk, make, grown(make), tokens)
    told = answer["status"]
    assert (told["tokens"], told["zone"], told["countedBy"]) == (None, "compact", "estimate")
    assert [command["params"]["reason"] for command in answer["commands"]] == ["threshold"]
    (note,) = told["notes"]
    assert note.startswith(f"usage was not believed once, the last was {tokens} tokens for a ")


def test_after_another_model_its_own_bounds_and_ratio_hold() -> None:
    talk, make = Talk(window=WINDOW, version="1.1"), Messages()
    messages = grown(make)
    weight = session_of(talk).reader.weigh(LONG)
    ended(talk, make, messages, int(0.3 * weight))  # of an unknown model: believed
    assert talk.status()["countedBy"] == "usage"
    talk.call("model_select", sessionId="s", model={"id": "claude-opus-5-5", "contextWindow": WINDOW})
    assert (talk.status()["countedBy"], talk.status()["ratio"]) == ("estimate", 1.25)
    assert ended(talk, make, messages, int(0.3 * weight))["status"]["countedBy"] == "estimate"
    assert ended(talk, make, messages, weight)["status"]["countedBy"] == "usage"
