"""A packet keeps to its budget, equal ledgers give equal bytes, and what matters most stays longest."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory import NOTE, PacketText, Removed, fold, packet_budget
from ctxmgr.model import PACKET_MARK, ZONES, Policy, Zone
from ctxmgr.model.saved import Fact, Ledger
from tests.goldens import held
from tests.notation import a, call, quarters, r, u, words
from tests.unit.engine.memory.conversations import HOSTS, NEXT, SETTINGS, TEXTS, TURNS, said
from tests.unit.engine.memory.packets import known, packet, part, summarised


@given(
    st.lists(TURNS, max_size=8),
    st.integers(0, 3_000),
    TEXTS,
    st.lists(TEXTS, max_size=4),
    st.sampled_from([quarters, words, len, lambda text: len(text.encode("utf-8", "replace")) // 3]),
)
def test_a_packet_never_weighs_more_than_its_budget(turns, budget, notes, told, weigh) -> None:  # type: ignore[no-untyped-def]
    more = summarised("\n\n".join(("## Goal", *told, "## Next Steps", *(f"1. {one}" for one in told))))
    removed = Removed(12, 5, ("/src/a.py", "/src/b/c.py"), True)
    text = packet(*said(turns), budget=budget, notes=notes, more=more, removed=removed, weigh=weigh)
    assert weigh(text) <= budget or not text
    assert not text or text.startswith(f"{PACKET_MARK}\n")
    assert [line for line in text.split("\n") if line.startswith(PACKET_MARK)] == [PACKET_MARK] * bool(text)


@given(st.lists(TURNS, max_size=6), st.integers(0, 3_000), st.randoms(use_true_random=False))
def test_equal_ledgers_give_equal_bytes(turns, budget: int, chance: random.Random) -> None:  # type: ignore[no-untyped-def]
    one = known(*said(turns))
    mixed: list[Fact] = list(one)
    chance.shuffle(mixed)
    other = fold(Ledger(), mixed)
    first, second = (PacketText(ledger, "", quarters).within(budget, ()) for ledger in (one, other))
    assert first == second


MANY = [
    one for at in range(1, 41) for one in (u(f"Rule {at}: never rename the module number_{at} in here."), a("Yes."))
]


@pytest.mark.parametrize("budget", range(150, 1_500, 150))
def test_the_first_and_the_newest_message_stay_and_the_heading_counts_the_oldest_middle_ones(budget: int) -> None:
    text = packet(*MANY, budget=budget)
    told = [int(number) for number in re.findall(r"^- #(\d+): ", text, re.MULTILINE)]
    assert "(#40)" in text
    assert told[0] == 1
    assert told[1:] == list(range(40 - len(told) + 1, 40))  # the newest without a gap, #40 is told above
    heading = next(line for line in text.splitlines() if line.startswith("## The user said"))
    missing = 39 - len(told)
    assert heading.endswith(f" ({missing} more not shown)" if missing else ")")


def test_messages_of_a_word_or_two_give_way_to_those_that_say_something() -> None:
    spoken = [u("Rule: never push."), a("Yes."), u("Keep the tabs, in all files of the module."), a("Yes.")]
    short = [one for _ in range(30) for one in (u("ok, go on"), a("Done."))]
    text = packet(*spoken, *short, budget=260)
    assert "Keep the tabs" in text
    assert re.search(r"## The user said .* \(\d+ more not shown\)", text)


def test_where_its_note_does_not_fit_the_mark_alone_stands_before_it() -> None:
    whole = packet(u("Go."), a("Gone."), budget=500)
    assert whole.startswith(f"{PACKET_MARK}\n{NOTE}\n\n")
    short = packet(u("Go."), a("Gone."), budget=38)
    assert short.startswith(f"{PACKET_MARK}\n\n## Now")
    assert packet(u("Go."), a("Gone."), budget=9) == ""


def test_a_part_that_is_too_long_does_not_take_the_room_of_the_others() -> None:
    calls = [(call("write", path=f"src/file{at}.py", content="1"), r("ok")) for at in range(200)]
    text = packet(
        u("Never push."), *(one for made, result in calls for one in (a(made), result)), a("Done."), u("And now?")
    )
    assert part(text, "The user said") == ['- #1: "Never push."']
    assert part(text, "Now")
    assert part(text, "Where the rest is")
    assert "more not shown" in next(line for line in text.splitlines() if line.startswith("## State"))


@pytest.mark.parametrize(("zone", "tokens"), [("green", 1_000), ("yellow", 800), ("red", 700), ("compact", 600)])
def test_a_packet_has_a_thousand_tokens_and_less_where_room_is_short(zone: Zone, tokens: int) -> None:
    assert packet_budget(Policy(), zone, resume=False) == tokens
    assert packet_budget(Policy(), zone, resume=True) == 1_500


def within(budget: int) -> str:
    removed = Removed(12, 5, ("/src/a.py", "/src/b/c.py"), True)
    return packet(
        *SETTINGS,
        *NEXT,
        budget=budget,
        notes="port is 9090\nx",
        more=summarised(HOSTS),
        removed=removed,
        weigh=quarters,
    )


def test_a_packet_beside_a_summary() -> None:
    text = within(4_000)
    assert text == held("packet/beside-a-summary.md", text)


PARTS = ("Now", "The user said", "Scratchpad", "State", "From the summary", "Said at the end of earlier turns")


@pytest.mark.parametrize(
    ("budget", "weight", "lines"),
    [
        (40, 30, "2 - - - - - -"),
        (60, 54, "2 - - - - - -"),
        (100, 86, "1 - - 1 3 - -"),
        (150, 126, "3 2 2 - - - -"),
        (200, 165, "4 2 2 2 - - -"),
        (260, 214, "4 2 2 4 4 - -"),
        (330, 270, "4 2 2 4 15 - -"),
        (400, 331, "4 2 2 4 15 2 1"),
        (500, 362, "4 2 2 4 15 2 2"),
    ],
)
def test_lines_of_each_part_in_a_small_budget(budget: int, weight: int, lines: str) -> None:
    """Of now, the user, notes, state, a summary, ends of turns, where the rest is; "-": it is not there."""
    text = within(budget)
    blocks = {block.partition("\n")[0].partition(" (")[0]: block.count("\n") for block in text.split("\n\n")}
    assert quarters(text) == weight
    names = (*PARTS, "Where the rest is")
    assert " ".join(str(blocks.get(f"## {name}", "-")) for name in names) == lines


@pytest.mark.parametrize("zone", ZONES)
def test_a_number_for_packets_falls_with_the_zone_as_the_defaults_do(zone: Zone) -> None:
    usual = Policy()
    number = packet_budget(usual, "green", False)
    policy = Policy(packet_tokens=number, resume_tokens=77)
    assert packet_budget(policy, zone, False) == packet_budget(usual, zone, False)
    assert packet_budget(policy, zone, True) == 77
