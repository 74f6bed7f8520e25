"""An answered list is matched with what was sent; the judge of lists passes what is right, and names each fault."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.study.driving.matching import PACKET, IllegalAnswer, MatchedMessage, answered
from ctxmgr.study.recordings.pi_host import HostMessage, item
from tests.legality import pi

LONG = "word " * 100


def u(text: str) -> bytes:
    return json.dumps({"role": "user", "content": text, "timestamp": 1}).encode()


def a(text: str, *calls: str) -> bytes:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
    blocks += [{"type": "toolCall", "id": id, "name": "read", "arguments": {"path": id}} for id in calls]
    return json.dumps({"role": "assistant", "content": blocks, "timestamp": 1}).encode()


def r(id: str, text: str = LONG, **more: Any) -> bytes:
    content = [{"type": "text", "text": text}]
    body = {"role": "toolResult", "toolCallId": id, "content": content, "isError": False, "timestamp": 1}
    return json.dumps({**body, **more}).encode()


def summary(text: str = LONG) -> bytes:
    return json.dumps({"role": "compactionSummary", "summary": text, "timestamp": 1}).encode()


def packet(text: str = "facts") -> bytes:
    return json.dumps({"role": "custom", "customType": PACKET, "content": text, "display": False}).encode()


# 0 summary, 1 u, 2 a(c1), 3 r(c1), 4 a, 5 u, 6 a(c2), 7 r(c2), 8 u, 9 a(c3), 10 r(c3)
SENT_RAW = [
    *(summary(), u("one"), a("t", "c1"), r("c1"), a("done")),
    *(u("two"), a("t", "c2"), r("c2"), u("three"), a("t", "c3"), r("c3")),
]
SENT: list[HostMessage] = [item(str(place), raw) for place, raw in enumerate(SENT_RAW)]


def judged(raws: list[bytes], whole_turns: bool = True, may_change: tuple[bytes, ...] = ()) -> list[str]:
    result = {"messages": msgspec.Raw(b"[" + b",".join(raws) + b"]")}
    return pi.faults(SENT, answered(SENT, result), whole_turns, may_change)


def edited(edits: list[dict[str, Any]]) -> list[MatchedMessage]:
    return answered(SENT, {"edits": msgspec.Raw(msgspec.json.encode(edits))})


S = SENT_RAW


def test_what_is_right_passes() -> None:
    shortened = [packet(), *S[5:7], r("c2", "short"), *S[8:]]
    for raws in (S, [packet(), *S[1:]], [packet(), *S[5:]], [packet(), *S[8:]], shortened, S[5:]):
        assert judged(raws) == []


PLANTED: list[tuple[list[bytes], str]] = [
    ([packet(), packet("more"), *S[5:]], "2 packets"),
    ([*S[:3], *S[4:]], "call 2 without its result 3"),
    ([*S[:2], *S[3:]], "result 3 without its call 2"),
    ([packet(), *S[7:]], "result 7 without its call 6"),
    ([packet(), *S[2:]], "begins at message 2, in the middle of a turn"),
    ([*S[1:5], *S[8:]], "message 5 is missing inside what was kept"),
    ([packet(), *S[1:8], *S[9:]], "the newest user message (8) is gone"),
    ([packet(), *S[5:9]], "message 9 of the newest turn is gone"),
    ([packet(), *S[5:10], r("c3", "short")], "message 10 of the newest turn was rewritten"),
    ([packet("w " * 12_000), *S[1:]], "heavier than what was sent"),
    (S[2:], "begins with a message of role assistant"),
    ([], "an empty list"),
]


def test_each_planted_fault_is_named() -> None:
    for raws, words in PLANTED:
        assert any(words in text for text in judged(raws)), (words, judged(raws))


RULES = "\n\n".join(f"Rule {number}: bed_{number} is watered by valve_{number + 7}." for number in range(900))
QUOTED = "\n".join(f"> {line}" if line else ">" for line in RULES.split("\n"))
HEADING = f"facts\n\n{pi.INSTRUCTIONS[1:]}, as they were read)"
READ = '- read path="CLAUDE.md":'


def repeating(*told: str, sent: tuple[bytes, ...] = ()) -> list[str]:
    """Of a list with these messages more, and a packet with these instructions, after a list in which RULES was
    read."""
    raws = [*S[:5], *sent, *S[5:]]
    listed = [item(str(place), raw) for place, raw in enumerate(raws)]
    out = [packet("\n\n".join((HEADING, *told, "## Left out\n- more"))), *raws]
    placed = answered(listed, {"messages": msgspec.Raw(b"[" + b",".join(out) + b"]")})
    earlier = [item("", raw) for raw in (u("go"), a("", "c0"), r("c0", f"{RULES}\n"), *S)]
    return pi.faults(listed, placed, whole_turns=True, earlier=earlier)


def test_a_packet_may_repeat_what_was_taken_away_or_its_head_where_it_says_so() -> None:
    assert repeating(f"{READ}\n{QUOTED}") == []
    head = QUOTED[: QUOTED.rindex("\n>")]
    assert repeating(f"{READ[:-1]} (first 1798 of 1799 lines; call it again for the rest):\n{head}") == []


def test_anything_else_below_that_heading_weighs() -> None:
    for told in (
        [f"{READ}\n{QUOTED.replace('valve_9.', 'valve_8.')}"],  # a word is another
        [f"{READ}\n{QUOTED} And more."],
        [f"{READ}\n{QUOTED[:-1]}"],  # less than it was
        [f"{READ}\n{QUOTED}", f"{READ}\n{QUOTED}"],  # twice
        [QUOTED],  # from nowhere
        [f"{READ}\n{RULES}"],  # unquoted
        [f"{READ}\n{QUOTED}", "- something else:\n" + "invented " * 4_000],
    ):
        assert any("heavier than what was sent" in fault for fault in repeating(*told))


def test_what_still_stands_in_the_list_may_not_be_repeated() -> None:
    there = (a("", "c0"), r("c0", RULES))
    assert any("heavier than what was sent" in fault for fault in repeating(f"{READ}\n{RULES}", sent=there))


def test_what_was_not_sent_is_illegal() -> None:
    for raws in (
        [*S[:5], u("two "), *S[6:]],  # a user's text changed
        [*S[:5], S[5].replace(b'"user"', b'"user" '), *S[6:]],  # the same message in other bytes
        [*S[5:8], *S[1:5], *S[8:]],  # another order
        [*S[5:7], r("c2", "short", isError=True), *S[8:]],  # more than the content
        [*S, u("four")],  # invented
        [*S[:5], *S[1:]],  # twice
    ):
        with pytest.raises(IllegalAnswer):
            judged(raws)
    with pytest.raises(IllegalAnswer):
        answered(SENT, {})


PASTED = (
    f"first line\n{'word ' * 2_000}\nan error here\n{'more ' * 1_000}\nand it failed\n{'more ' * 900}\nlast line"
)
CUT = "[cut to fit — ~3,000 of ~4,000 tokens are left out here]\n"
HEAD, TAIL = PASTED[:3_000], PASTED[-3_000:]


def pasted(text: str, at: int = 1) -> list[str]:
    """Of a list whose user message `at` holds a long text, answered as `text`."""
    sent = [item(str(place), u(PASTED) if place == at else raw) for place, raw in enumerate(SENT_RAW)]
    out = [u(text) if place == at else raw for place, raw in enumerate(SENT_RAW)]
    result = {"messages": msgspec.Raw(b"[" + b",".join(out) + b"]")}
    return pi.faults(sent, answered(sent, result), whole_turns=True)


def test_a_text_that_was_cut_and_says_so_is_right() -> None:
    for at in (1, 8):
        assert pasted(f"{HEAD}\n{CUT}an error here\n…\n{TAIL}", at) == []
        assert pasted(f"{HEAD}\n{CUT}{TAIL}", at) == []
        assert pasted(f"{HEAD}\n{CUT}an error here\nand it failed\n…\n{TAIL}", at) == []  # lines that stood apart


def test_several_texts_of_a_message_are_cut_as_one() -> None:
    parts = [{"type": "text", "text": one} for one in (PASTED, "the end of it")]
    whole = f"{PASTED}\nthe end of it"
    sent = [item("0", u([*parts])), *(item(str(place), raw) for place, raw in enumerate(SENT_RAW[2:], 1))]
    for text, right in ((f"{HEAD}\n{CUT}{whole[-3_000:]}", True), (f"{HEAD}\n{CUT}{TAIL}", False)):
        out = [u([{"type": "text", "text": text}]), *SENT_RAW[2:]]
        result = {"messages": msgspec.Raw(b"[" + b",".join(out) + b"]")}
        if right:
            assert pi.faults(sent, answered(sent, result), whole_turns=True) == []
        else:
            with pytest.raises(IllegalAnswer):
                answered(sent, result)


def test_a_text_that_was_cut_into_another_is_illegal() -> None:
    for text in (
        HEAD + TAIL,  # nothing says that it was cut
        f"{HEAD}!\n{CUT}{TAIL}",
        f"{HEAD}\n{CUT}no error here\n…\n{TAIL}",
        f"{HEAD}\n{CUT}an error here\n…\nan error here\n…\n{TAIL}",
        f"{HEAD}\n{CUT}and it failed\nan error here\n…\n{TAIL}",
        f"{HEAD}\n{CUT}{TAIL}!",
    ):
        with pytest.raises(IllegalAnswer):
            pasted(text)


def test_of_the_newest_user_message_long_ends_stay() -> None:
    assert pasted(f"{HEAD[:400]}\n{CUT}{TAIL}", at=1) == []
    assert "message 8 of the newest turn was rewritten" in pasted(f"{HEAD[:400]}\n{CUT}{TAIL}", at=8)


def test_a_result_the_compact_zone_has_rewritten_may_stay_so() -> None:
    raws = [packet(), *S[5:10], r("c3", "short")]
    assert judged(raws, may_change=(S[10],)) == []


def test_whole_turns_are_asked_for_where_the_preset_promises_them() -> None:
    assert judged([packet(), *S[3:]], whole_turns=False) == ["result 3 without its call 2"]


def to_fit(gone: tuple[int, ...], told: int, sent: list[HostMessage] = SENT) -> list[str]:
    """Of an answer without these messages, where the report tells of so many that did not fit."""
    raws = [one.raw for at, one in enumerate(sent) if at not in gone]
    answer = answered(sent, {"messages": msgspec.Raw(b"[" + b",".join(raws) + b"]")})
    return pi.faults(sent, answer, whole_turns=True, left_to_fit=told)


def test_out_of_a_turn_only_steps_that_are_told_not_to_fit_may_leave() -> None:
    assert to_fit((6, 7), 2) == to_fit((2, 3, 6, 7), 4) == to_fit((4,), 1) == []
    assert to_fit((6, 7), 0) != []  # nothing tells of them
    assert to_fit((6, 7), 1) == ["2 messages left, 1 are told"]
    assert to_fit((), 2) == ["0 messages left, 2 are told"]
    assert "call 6 without its result 7" in to_fit((7,), 1)
    assert "message 5 is missing inside what was kept" in to_fit((5, 6, 7), 2)  # a user's
    assert "message 9 of the newest turn is gone" in to_fit((6, 7, 9, 10), 3)  # the newest reply
    headless = [one for at, one in enumerate(SENT) if at != 1]  # what a host's compaction kept begins within a turn
    assert to_fit((1, 2), 2, headless) == []
    assert to_fit((1, 2), 1, headless) == ["2 messages left, 1 are told"]
    assert to_fit((1, 2), 0, headless) == ["what is kept begins at message 3, in the middle of a turn"]


def test_edits_are_the_same_list() -> None:
    put = msgspec.Raw(r("c2", "short"))
    placed = edited([{"put": msgspec.Raw(packet())}, {"keep": [5, 7]}, {"put": put}, {"keep": [8, 11]}])
    assert [one.index for one in placed] == [None, 5, 6, 7, 8, 9, 10]
    assert [one.same for one in placed] == [False, True, True, False, True, True, True]
    assert pi.faults(SENT, placed, whole_turns=True) == []


def test_edits_that_do_not_fit_are_illegal() -> None:
    for edits in (
        [{"keep": [5, 12]}],
        [{"keep": [5, 5]}],
        [{"keep": [5, 8]}, {"keep": [1, 3]}],
        [{"put": {"role": "user", "content": "new"}}, {"keep": [5, 11]}],
    ):
        with pytest.raises(IllegalAnswer):
            edited(edits)


def test_calls_without_results_are_no_fault_when_they_came_so() -> None:
    raws = [u("one"), a("t", "x"), u("two"), r("y")]
    sent = [item("", raw) for raw in raws]
    assert pi.faults(sent, answered(sent, {"unchanged": msgspec.Raw(b"true")}), whole_turns=True) == []
