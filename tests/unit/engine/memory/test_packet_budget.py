"""A packet keeps to its budget, equal ledgers give equal bytes, and what matters most stays longest."""

import random

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory import PacketText, Removed, fold, packet_budget
from ctxmgr.model import PACKET_MARK, Policy
from ctxmgr.model.saved import Fact, Ledger
from tests.goldens import held
from tests.notation import quarters, words
from tests.unit.engine.memory.conversations import HOSTS, NEXT, SETTINGS, TEXTS, TURNS, said
from tests.unit.engine.memory.packets import known, packet, summarised


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


def test_a_packet_has_a_thousand_tokens_and_less_where_room_is_short() -> None:
    for zone, tokens in (
        ("green", 1_000),
        ("yellow", 800),
    ):
        assert packet_budget(Policy(), zone, resume=False) == tokens, tokens
        assert packet_budget(Policy(), zone, resume=True) == 1_500, tokens


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


def test_lines_of_each_part_in_a_small_budget() -> None:
    for budget, weight, lines in (
        (40, 30, "2 - - - - - -"),
        (100, 86, "1 - - 1 3 - -"),
        (200, 165, "4 2 2 2 - - -"),
        (500, 362, "4 2 2 4 15 2 2"),
    ):
        text = within(budget)
        blocks = {block.partition("\n")[0].partition(" (")[0]: block.count("\n") for block in text.split("\n\n")}
        assert quarters(text) == weight, lines
        names = (*PARTS, "Where the rest is")
        assert " ".join(str(blocks.get(f"## {name}", "-")) for name in names) == lines, lines
