"""Packets are found wherever they stand, taken apart by their grammar, weighed and counted."""

import json

import msgspec
import pytest

from ctxmgr.study.metrics.observations import ProjectedMessage
from ctxmgr.study.probes.precision import LineCounts, precision
from ctxmgr.study.probes.precision.grammar import lines, packets
from tests.notation import a, r, raws, u
from tests.unit.study.probes.asked import of, sights
from tests.unit.study.probes.precision.judged import NOW, USER, judged, packet
from tests.unit.study.sighted import packed

TEXT = packet(USER, '- #1: "mend it"')
SAID = (u("mend it"), a("one"), u("on"), a("two"))


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": TEXT},
        {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "text", "text": TEXT}]},
        {"role": "custom", "customType": "x", "content": TEXT},
        {"role": "compactionSummary", "summary": TEXT},
    ],
)
def test_a_packet_is_a_text_that_begins_with_the_mark(message: dict[str, object]) -> None:
    assert list(packets(json.dumps(message).encode())) == [TEXT]


@pytest.mark.parametrize("text", [f"> {TEXT}", f"look: {TEXT}", "no packet"])
def test_a_text_that_only_has_it_in_it_is_none(text: str) -> None:
    assert list(packets(json.dumps({"role": "user", "content": text}).encode())) == []


def test_the_words_of_others_have_no_lines() -> None:
    skipped = ("## Instructions (word for word)", "- CLAUDE.md:", "> Use tabs.", "## Scratchpad (own notes)", "| x")
    assert [one.section for one in lines(packet(*skipped, NOW, "- [ ] x"))] == ["head", "now"]


def test_what_says_where_the_rest_is_states_nothing() -> None:
    rest = ("## Where the rest is", "Up to the user's message #6: 31 messages and 22 results were removed.")
    assert judged(SAID, packet(*rest)).sections["rest"] == LineCounts(1)


@pytest.mark.parametrize("heading", [NOW, "## Goal", "## State of the work"])
def test_a_line_outside_the_grammar_holds_nothing(heading: str) -> None:
    assert judged(SAID, packet(heading, "the parser is mended")).every == LineCounts(2, 1, 1)


def test_packets_are_weighed_and_counted_over_all_calls() -> None:
    found = of(*SAID)
    seen = sights(found.course, [[0], [0]], ["", TEXT])
    both = precision(found, seen, lambda raw: 100)
    assert (both.packet_count, both.packet_tokens, both.tokens_a_call) == (1, 100, 50)
    none = precision(found, sights(found.course, [[0], [0]]), len)
    assert (none.packet_count, none.packet_tokens, none.tokens_a_call) == (0, None, 0)
    assert none.sections == {}


def test_a_line_that_does_not_hold_is_told_once_with_its_calls() -> None:
    found = of(*SAID)
    text = packet(USER, '- #1: "break it"')
    (one,) = precision(found, sights(found.course, [[], []], [text, text]), len).untrue
    assert (one.call_index, one.call_count, one.section, one.text) == (0, 2, "user", '- #1: "break it"')


def test_a_packet_that_somebody_pasted_is_none_of_the_policys() -> None:
    said = (u("mend it"), a("one"), u(packet(USER, '- #1: "break it"')), a("two"))
    found = of(*said)
    assert precision(found, sights(found.course, [[0], [0, 1, 2]]), len).packet_count == 0


def test_a_packet_that_was_put_into_another_message_is_read() -> None:
    found = of(*SAID)
    seen = sights(found.course, [[0], []])
    (raw,) = raws(u(TEXT))
    seen[1] = msgspec.structs.replace(seen[1], projected_messages=(ProjectedMessage(raw, 2, False), packed(TEXT)))
    assert precision(found, seen, len).packet_count == 2


def test_what_was_said_after_the_call_does_not_bear_a_line_out() -> None:
    said = (u("mend it"), a("one"), u("on"), a("two"), r("x"))
    found = of(*said)
    text = packet(USER, '- #2: "on"')
    one = precision(found, sights(found.course, [[], []], [text, text]), len)
    assert one.every == LineCounts(4, 2, 1), "true at the second call alone"
