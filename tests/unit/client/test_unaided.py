"""What goes out without ctxmgr: which list, how much of it, and that no call is parted from its result."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.client.cutting import newest
from ctxmgr.client.unaided import SentList, room, tokens, unaided
from ctxmgr.formats import FORMATS

SYSTEM = {"role": "system", "content": "be brief"}
ASK, OLD = {"role": "user", "content": "ask"}, {"role": "user", "content": "old"}
ANSWER = {"role": "assistant", "content": "answer"}

STEPS: dict[str, Any] = {
    "pi": lambda id: [
        {
            "role": "assistant",
            "content": [{"type": "toolCall", "id": f"{id}1"}, {"type": "toolCall", "id": f"{id}2"}],
        },
        {"role": "toolResult", "toolCallId": f"{id}1"},
        {"role": "toolResult", "toolCallId": f"{id}2"},
    ],
    "openai": lambda id: [
        {"role": "assistant", "content": None, "tool_calls": [{"id": f"{id}1"}, {"id": f"{id}2"}]},
        {"role": "tool", "tool_call_id": f"{id}1"},
        {"role": "tool", "tool_call_id": f"{id}2"},
    ],
    "anthropic": lambda id: [
        {"role": "assistant", "content": [{"type": "thinking"}, {"type": "tool_use", "id": id}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id}, {"type": "text"}]},
    ],
    "responses": lambda id: [
        {"type": "reasoning"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text"}]},
        {"type": "function_call", "call_id": id},
        {"type": "function_call_output", "call_id": id},
    ],
}


def test_each_format_is_cut() -> None:
    assert set(STEPS) == set(FORMATS)


def cut(messages: list[Any], into: float) -> list[Any]:
    return [messages[place] for place in newest(messages, [1.0] * len(messages), into)]


@pytest.mark.parametrize("form", STEPS)
def test_a_turn_that_is_too_long_by_itself_is_cut_to_whole_steps(form: str) -> None:
    made = [STEPS[form](id) for id in ("a", "b", "c", "a")]  # ids may come again
    size = len(made[0])
    steps = [message for step in made for message in step]
    whole = [SYSTEM, OLD, ANSWER, ASK, *steps]

    def kept(count: int) -> list[Any]:
        return [SYSTEM, ASK, *steps[(4 - count) * size :]]

    assert cut(whole, len(whole)) == whole
    for into, wanted in (
        (len(whole) - 1, kept(4)),
        (2 + 4 * size, kept(4)),
        (1 + 4 * size, kept(3)),
        (2 + 3 * size, kept(3)),
        (1 + 2 * size, kept(1)),
        (0, kept(1)),
    ):
        assert cut(whole, into) == wanted, into


PACKET = {"role": "custom", "customType": "ctxmgr.packet"}
RESULT, OUTPUT = {"role": "toolResult"}, {"type": "function_call_output", "call_id": "c2"}
CALL = {"type": "function_call", "call_id": "c2"}


@pytest.mark.parametrize(
    ("messages", "into", "wanted"),
    [
        ([ASK, CALL, OLD, ANSWER, OUTPUT], 0, [OLD, ANSWER, OUTPUT]),
        ([ASK, CALL, RESULT, ANSWER, OUTPUT], 3, [ASK, CALL, RESULT, ANSWER, OUTPUT]),  # a result that comes late
        ([ASK, ANSWER, OUTPUT, None, 7, "x", ANSWER], 2, [ASK, ANSWER]),
        ([PACKET, ANSWER, RESULT, ANSWER, RESULT], 3, [PACKET, ANSWER, RESULT]),
        ([ANSWER, RESULT, ANSWER, RESULT], 3, [ANSWER, RESULT]),
        ([OLD, ANSWER, ASK], 0, [ASK]),
        ([None, 7], 0, [None, 7]),
        ([], 0, []),
    ],
)
def test_odd_lists_are_cut_where_they_can_be(messages: list[Any], into: float, wanted: list[Any]) -> None:
    assert cut(messages, into) == wanted


def named(words: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": word} for word in words.split()]


def raws(messages: list[Any]) -> tuple[bytes, ...]:
    return tuple(msgspec.json.encode(one) for one in messages)


LAST = SentList(raws(named("a b c")), tuple(named("p c")))


@pytest.mark.parametrize(
    ("own", "wanted", "source"),
    [
        ("a b c", "p c", "kept"),
        ("a b c d", "p c d", "kept"),
        ("a b", "a b", "own"),
        ("a x c d", "a x c d", "own"),
    ],
)
def test_the_last_projection_goes_on_where_the_list_begins_with_what_it_was_of(
    own: str, wanted: str, source: str
) -> None:
    made = unaided(named(own), raws(named(own)), LAST, 1_000)
    assert (made.messages, made.source, made.fits) == (named(wanted), source, True)


def test_a_list_that_can_not_be_written_is_not_compared() -> None:
    assert unaided(named("a b c"), None, LAST, 1_000).source == "own"


LONG = "x" * 3_175  # with its role 1,000 tokens


@pytest.mark.parametrize(
    ("own", "last", "space", "wanted", "source", "fits"),
    [
        (f"a {LONG}", ("a", f"{LONG} {LONG}"), 1_100, f"a {LONG}", "own", True),
        (f"a {LONG} b", ("a", f"{LONG} {LONG}"), 1_005, "b", "cut", True),
        (f"{LONG} a b", None, 30, "a b", "cut", True),
        (f"a {LONG}", None, 30, LONG, "cut", False),
        (LONG, None, 30, LONG, "own", False),
    ],
)
def test_what_does_not_fit_is_cut(
    own: str, last: tuple[str, str] | None, space: float, wanted: str, source: str, fits: bool
) -> None:
    before = SentList(raws(named(last[0])), tuple(named(last[1]))) if last else None
    made = unaided(named(own), raws(named(own)), before, space)
    assert (made.messages, made.source, made.fits) == (named(wanted), source, fits)


def test_room_is_beside_reserve_and_overhead() -> None:
    assert room(1_000, 0) == 750
    assert room(200_000, 60_000) == 200_000 - 16_384 - 60_000


def test_an_image_weighs_as_an_image() -> None:
    picture = {"role": "user", "content": [{"type": "image", "data": "x" * 1_000_000}]}
    assert 1_000 < tokens(picture) < 2_000
    assert tokens(msgspec.json.encode(picture)) == tokens(picture)
    assert tokens(b"\xff" * 320) == pytest.approx(100, abs=2)


@given(st.lists(st.sampled_from(["u", "s"]), max_size=12), st.sampled_from(sorted(STEPS)), st.integers(0, 40))
def test_no_cut_parts_a_call_from_its_result(kinds: list[str], form: str, into: int) -> None:
    messages: list[Any] = [ASK]
    for number, kind in enumerate(kinds):
        messages += [OLD] if kind == "u" else STEPS[form](f"c{number}_")
    places = newest(messages, [1.0] * len(messages), into)
    assert places == sorted(set(places))
    text = str([messages[place] for place in places])
    for number in range(len(kinds)):
        assert text.count(f"'c{number}_") in (0, str(messages).count(f"'c{number}_"))
    assert messages[-1] is messages[places[-1]]
