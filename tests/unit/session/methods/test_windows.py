"""A refusal as too long teaches a smaller window of that model; the next list fits it."""

import pytest

from tests.contract.talk import Fields, Messages, Talk

NAMED = "prompt is too long: 60123 tokens > 60000 maximum"


def filled(make: Messages) -> list[Fields]:
    """About 70,000 tokens of which none may leave but by being cut."""
    messages = [make.user("Go on.")]
    for number in range(10):
        lines = "\n".join(f"line {line} of part {number} of the file" for line in range(700))
        messages += [make.reply("", make.call("read", path=f"f{number}.py")), make.result(lines)]
    return messages


def refused(talk: Talk, make: Messages, error: str) -> Fields:
    status: Fields = talk.turn_end(make.reply("", stopReason="error", errorMessage=error))["status"]
    return status


@pytest.mark.parametrize("preset", ["tools", "turns", "balanced"])
def test_the_next_list_fits_the_window_that_was_taught(preset: str) -> None:
    talk, make = Talk({"preset": preset, "costVersusRecall": 1.0}, 200_000, version="1.1"), Messages()
    messages = filled(make)
    assert talk.context(messages)["report"]["tokens"] > 60_000
    assert refused(talk, make, NAMED)["learnedWindow"] == 60_000
    report = talk.context(messages)["report"]
    assert report["checks"] == []
    assert report["tokens"] <= 45_000  # less the reserve of a quarter


def test_without_a_number_it_goes_by_what_was_sent() -> None:
    talk, make = Talk({"preset": "tools"}, 200_000, version="1.1"), Messages()
    talk.context([make.user("Fill it.")])
    talk.turn_end(make.reply("Done."), tokens=150_000)
    status = refused(talk, make, "Your input exceeds the context window of this model.")
    assert 142_000 <= status["learnedWindow"] <= 143_000
    assert any(note.endswith("tokens, not 200000") for note in status["notes"])


def test_without_a_count_it_goes_down_by_steps_to_half_at_least() -> None:
    talk, make = Talk({"preset": "tools"}, 200_000, version="1.1"), Messages()
    talk.context([make.user("Fill it.")])
    said = [refused(talk, make, "context_length_exceeded")["learnedWindow"] for _ in range(9)]
    assert said[:3] == [180_000, 162_000, 145_800]
    assert said[-1] == 100_000


def test_a_request_of_too_many_bytes_teaches_nothing() -> None:
    talk, make = Talk(version="1.1"), Messages()
    talk.context([make.user("Fill it.")])
    assert refused(talk, make, "413 request_too_large: Request exceeds the maximum size")["learnedWindow"] is None


def test_another_word_of_the_host_for_the_window_ends_it() -> None:
    talk, make = Talk(version="1.1"), Messages()
    talk.context([make.user("Fill it.")])
    assert refused(talk, make, NAMED)["learnedWindow"] == 60_000
    talk.call("model_select", sessionId="s", model={"id": "model-1", "contextWindow": 64_000})
    assert talk.status()["learnedWindow"] is None
