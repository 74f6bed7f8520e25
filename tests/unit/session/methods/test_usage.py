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


@pytest.mark.parametrize("tokens", [12, WINDOW + 1])
def test_the_last_good_count_stands(tokens: int) -> None:
    talk, make = Talk(window=WINDOW, version="1.1"), Messages()
    messages = grown(make)
    good = ended(talk, make, messages, 17_000)["status"]
    assert (good["tokens"], good["countedBy"], good["notes"]) == (17_000, "usage", [])
    more = ended(talk, make, messages, tokens)["status"]
    assert more["tokens"] == 17_000
    assert more["countedBy"] == "usage"
    assert "once" in more["notes"][0]


def test_members_that_nobody_knows_are_named_once() -> None:
    talk, make = Talk(window=WINDOW, version="1.1"), Messages()
    for fields in ({"foo": 1}, {"foo": 1}, {"tokens": 17_000, "cache_hits_of_ours": 900}):
        talk.context(grown(make))
        talk.call("turn_end", sessionId="s", message=make.reply("Done."), usage=fields)
    notes = [note for note in talk.status()["notes"] if "unknown members" in note]
    told = "usage has unknown members, which are not counted: "
    assert notes == [f"{told}foo", f"{told}cache_hits_of_ours"]


def test_a_count_of_more_than_the_list_weighs_is_believed_for_prompt_and_tools() -> None:
    talk, make = Talk(window=WINDOW, version="1.1"), Messages()
    told = ended(talk, make, [make.user("hello")], 14_000)["status"]
    assert (told["tokens"], told["countedBy"], told["notes"]) == (14_000, "usage", [])


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
