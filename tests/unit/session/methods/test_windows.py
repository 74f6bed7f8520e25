"""A refusal as too long teaches a smaller window of that model; the next list fits it."""

import itertools

import pytest

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Messages, Talk


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


def test_without_a_count_it_goes_down_by_steps_to_half_at_least() -> None:
    talk, make = Talk({"preset": "tools"}, 200_000, version="1.1"), Messages()
    talk.context([make.user("Fill it.")])
    said = [refused(talk, make, "context_length_exceeded")["learnedWindow"] for _ in range(9)]
    assert said[:3] == [180_000, 162_000, 145_800]
    assert said[-1] == 100_000


def test_a_request_of_too_many_bytes_teaches_no_window() -> None:
    talk, make = Talk(version="1.1"), Messages()
    talk.context([make.user("Fill it.")])
    assert refused(talk, make, "413 request_too_large: Request exceeds the maximum size")["learnedWindow"] is None


@pytest.mark.parametrize("preset", ["tools", "turns", "balanced"])
@pytest.mark.parametrize(
    "error",
    ["context_length_exceeded", "prompt is too long: 900000 tokens > 190000 maximum", "413 Payload Too Large"],
)
def test_a_list_that_fits_by_our_count_and_was_refused_goes_out_shorter_each_time(preset: str, error: str) -> None:
    talk, make = Talk({"preset": preset, "keep": 20_000}, 200_000, version="1.1"), Messages()
    messages = filled(make)
    sent = [talk.context(messages)["report"]["tokens"]]
    for _ in range(3):
        refused(talk, make, error)
        sent.append(talk.context(messages)["report"]["tokens"])
    assert all(after < 0.7 * before for before, after in itertools.pairwise(sent))


@pytest.mark.parametrize("tokens", [None, 20_000], ids=["one as large", "the provider's count"])
def test_a_list_that_is_taken_ends_it(tokens: int | None) -> None:
    talk, make = Talk({"preset": "tools"}, 200_000, version="1.1"), Messages()
    messages = filled(make)
    whole = talk.context(messages)["report"]["tokens"]
    refused(talk, make, "context_length_exceeded")
    short = talk.context(messages)["report"]["tokens"]
    reply = make.reply("Done.")
    talk.turn_end(reply) if tokens is None else talk.turn_end(reply, tokens=tokens)
    then = talk.context([*messages, reply, make.user("x " * 30_000)])["report"]["tokens"]
    assert (then > 0.65 * whole) == (tokens is not None)
    assert short < 0.65 * whole


def test_a_restart_remembers_the_list_that_was_refused() -> None:
    talk, make = Talk({"preset": "tools"}, 200_000, version="1.1"), Messages()
    messages = filled(make)
    whole = talk.context(messages)["report"]["tokens"]
    refused(talk, make, "context_length_exceeded")
    after = Talk({"preset": "tools"}, 200_000, version="1.1", found=SnapshotLoaded(tuple(talk.saved)))
    assert after.context(messages)["report"]["tokens"] < 0.7 * whole
