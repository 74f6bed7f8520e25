"""The clairvoyant: its epochs against every choice there is, what it keeps, legal lists, the floor."""

from itertools import combinations
from math import inf
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.closed_loop.price_sheet import MILLION, PriceSheet
from ctxmgr.model.prices import PriceTier, TieredPrices
from ctxmgr.study.closed_loop import clairvoyant, closed_loop, floor
from ctxmgr.study.closed_loop.epochs import Life, epochs
from ctxmgr.study.driving import legality
from ctxmgr.study.driving.legality import MatchedMessage
from ctxmgr.study.metrics import timeline
from ctxmgr.study.metrics.observations import Observation
from ctxmgr.study.metrics.timeline import Timeline
from ctxmgr.study.recordings.recording import RecordedEntry, Recording
from tests.notation import Said, a, call, note, r, u, written
from tests.unit.study.sighted import known

PRICES = TieredPrices(0, 100.0 * MILLION, 1.0 * MILLION, 10.0 * MILLION)
SHEET = PriceSheet(PRICES, overhead_tokens=7)
STEP = a(call("step")), r("x y")


def made(*said: Said) -> Timeline:
    entries = []
    for number, message in enumerate(written(*said)):
        message["number"] = number  # no two messages are the same bytes
        entries.append(RecordedEntry("message", f"e{number}", None, msgspec.json.encode(message), message["role"]))
    return timeline.of(Recording("tiny", "s", "m", tuple(entries)))


def whole(found: Timeline) -> list[Observation]:
    return [timeline.observation(found, asked, found.wholes[: asked.end_index], 0) for asked in found.asked]


def there(sight: Observation) -> list[int]:
    return [one.index for one in sight.projected_messages]


def drawn(seed: int) -> Timeline:
    """Five to seven calls; what they read has one of few names, and some name one in an argument."""
    chance = Random(seed)
    said: list[Said] = [note("noted one.py")] if chance.random() < 0.3 else []
    said += [u("go")] if chance.random() < 0.8 else []
    for _ in range(chance.randint(5, 7)):
        name = chance.choice(("one.py", "two.py", "three.py", "none"))
        told = f"{chance.choice(('one.py', 'two.py three.py', 'text'))} {'pad ' * chance.choice((1, 30, 300))}"
        said += [a(call("run", with_=name)), r(told)] if chance.random() < 0.7 else [a("well")]
        said += [u("go on")] if chance.random() < 0.3 else [note("noted")] if chance.random() < 0.1 else []
    return made(*said)


COURSES = st.integers(0, 2**32 - 1).map(drawn)


@st.composite
def some_lives(draw: st.DrawFn) -> tuple[list[Life], int]:
    calls = draw(st.integers(1, 6))
    lives = []
    arrives = 0
    for _ in range(draw(st.integers(1, 8))):
        arrives = draw(st.integers(arrives, calls - 1))
        lives.append(Life(arrives, draw(st.integers(arrives, calls)), draw(st.integers(0, 100))))
    return lives, calls


def costs(lives: list[Life], calls: int, opened: tuple[int, ...], tier: PriceTier) -> float:
    """By the rules, list by list."""
    cost, before, last = 0.0, list[int](), 0
    for at in range(calls):
        last = at if at in opened else last
        now = [place for place, one in enumerate(lives) if one.arrives <= at and one.last_use >= last]
        same = 0
        while same < min(len(before), len(now)) and before[same] == now[same]:
            same += 1
        cost += tier.cache_read * sum(lives[place].tokens for place in now[:same])
        cost += tier.cache_write * sum(lives[place].tokens for place in now[same:])
        before = now
    return cost


@settings(deadline=None, max_examples=100)
@given(some_lives(), st.sampled_from((0.1, 0.5, 1.0)))
def test_no_choice_of_epochs_is_cheaper(drawn_lives: tuple[list[Life], int], read: float) -> None:
    lives, calls = drawn_lives
    tier = PriceTier(0, 1, 5, read, 1.25)
    every = [some for many in range(calls) for some in combinations(range(1, calls), many)]
    best = min(costs(lives, calls, some, tier) for some in every)
    assert costs(lives, calls, epochs(lives, calls, tier), tier) == pytest.approx(best)


def test_a_session_without_a_message_costs_nothing() -> None:
    seen = clairvoyant(made(), known(), SHEET)
    assert (seen.sights, seen.loop.closed, seen.free) == ((), 0, 0)


def test_what_no_reply_needs_leaves_where_that_pays() -> None:
    """A result of 400 words is read at each call for 400, or left out for once writing 3 x 10 or so behind it."""
    found = made(u("go"), a(call("read")), r("pad " * 400), *STEP * 5, a("done"))
    seen = clairvoyant(found, known(), SHEET)
    assert there(seen.sights[1]) == [0, 1, 2]  # the newest step stays
    assert there(seen.sights[2]) == [0, 3, 4]
    assert seen.loop.fetches == 0


def test_what_a_reply_needs_stays_until_then_and_no_longer() -> None:
    found = made(
        u("go"),
        a(call("read")),
        r("one.py " + "pad " * 40),
        *STEP * 3,
        a(call("run", with_="one.py")),
        r("1"),
        *STEP * 9,
        a("x"),
    )
    seen = clairvoyant(found, known(), SHEET)
    kept = [2 in there(sight) for sight in seen.sights]
    assert kept[1:5] == [True] * 4  # the fifth call's reply needs it
    assert not any(kept[6:])
    assert seen.loop.fetches == 0


def test_what_is_needed_once_after_long_is_fetched_and_not_kept() -> None:
    """Kept it is read 119 times for 400; a re-fetch writes 550 for 10 and puts out 150 for 100."""
    act = a(call("run", with_="one.py"))
    found = made(u("go"), a(call("read")), r("one.py " + "pad " * 400), *STEP * 120, act)
    assert clairvoyant(found, known(), SHEET).loop.fetches == 1
    never = clairvoyant(found, known(), SHEET, (inf,))
    assert never.loop.fetches == 0
    assert 2 in there(never.sights[-1])


def test_what_was_fetched_serves_later_replies() -> None:
    """It stands with the reply that needed it, which stays for the second one."""
    acts = [*(a(call("run", with_="one.py", at=number)) for number in range(2))]
    found = made(
        u("go"),
        a(call("read")),
        r("one.py two.py " + "pad " * 400),
        *STEP * 120,
        acts[0],
        r("1"),
        *STEP,
        a(call("run", with_="two.py")),
    )
    assert clairvoyant(found, known(), SHEET).loop.fetches == 1


@settings(deadline=None, max_examples=40)
@given(COURSES)
def test_floor_free_clairvoyant_in_this_order_and_its_lists_are_legal(found: Timeline) -> None:
    """Below it the whole list too, where no epoch pays: the clairvoyant may choose none."""
    seen = clairvoyant(found, known(), SHEET)
    whole_list = closed_loop(whole(found), known(), SHEET)
    never = clairvoyant(found, known(), SHEET, (inf,))
    assert floor(whole(found), known(), SHEET) <= never.free + 1e-9
    assert never.free <= never.loop.closed + 1e-9
    assert floor(whole(found), known(), SHEET) <= seen.loop.billed + 1e-9
    assert seen.loop.closed <= never.loop.closed <= whole_list.closed + 1e-9
    assert never.loop.fetches == 0
    for sight in seen.sights:  # as the host judges each answer
        shown = [MatchedMessage(one.index, sight.items[one.index]) for one in sight.projected_messages]
        assert list(legality.faults(sight.items, shown, False)) == []


def test_the_floor_reads_overhead_and_writes_each_message_once() -> None:
    """Three calls; seven words come before the last one, however short the lists are."""
    found = made(u("a b c"), a("one"), u("d e"), a("two"), a("three"))
    cut = [
        timeline.observation(found, asked, found.wholes[asked.end_index - 1 : asked.end_index], 0)
        for asked in found.asked
    ]
    assert floor(cut, known(), SHEET) == 3 * 7 + 10 * (3 + 1 + 2 + 1)
