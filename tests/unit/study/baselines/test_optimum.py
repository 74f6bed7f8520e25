"""The optimum of hindsight: held against every schedule there is, each priced and measured as any policy is."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.formats import pi
from ctxmgr.session.reading import Reader
from ctxmgr.study.baselines import optimum, pareto, timeline
from ctxmgr.study.baselines.last_mention import Standing, standing
from ctxmgr.study.baselines.optimum import Schedule, solve
from ctxmgr.study.baselines.optimum_ground import Ground, ground
from ctxmgr.study.baselines.pareto import at_recall
from ctxmgr.study.baselines.timeline import Course
from ctxmgr.study.metrics.billing import Prices, bill
from ctxmgr.study.metrics.message_cache import Known
from ctxmgr.study.metrics.recall import recall, together
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Entry, Recording
from tests.notation import Said, a, call, note, quarters, r, u, written
from tests.unit.study.recorded import shared

NAMES = ("first_name", "second_name", "third_name")
PRICES = Prices(input=1_000_000.0, read=0.125, write=1.25, ttl_ms=1_000)  # a token is a dollar
DONE = a(call("read", path="x")), r("text of it")


def known() -> Known:
    return Known(Reader(pi, quarters, "quarters"))


def made(*said: Said, times: Sequence[int | None] = ()) -> Course:
    """The course of a conversation; `times` of its replies, in milliseconds."""
    left = list(times)
    entries = []
    for number, message in enumerate(written(*said)):
        message["number"] = number  # no two messages are the same bytes, as ids and times see to in real ones
        at = left.pop(0) if left and message["role"] == "assistant" else None
        entries.append(Entry("message", f"e{number}", at, msgspec.json.encode(message), message["role"]))
    return timeline.of(Recording("tiny", "s", "m", tuple(entries)))


def ground_of(found: Course, limit: int | None = None, prices: Prices = PRICES) -> Ground:
    known_ = known()
    return ground(found, tuple(standing(found, known_.names)), known_.weight, prices, limit)


def firsts(of: Ground) -> Iterator[tuple[int, ...]]:
    """Every schedule of the family."""
    for first in product(*map(range, of.choices)):
        if all(
            of.limit is None or held - of.gone[step] <= of.limit or step == many - 1
            for held, step, many in zip(of.held, first, of.choices, strict=True)
        ):
            yield first


def measured(found: Course, of: Ground, first: tuple[int, ...], known_: Known) -> tuple[float, int]:
    """Cost in tokens and missed names of a schedule, by what the model is shown: the DP's arrays are not asked."""
    sights = optimum.sights(found, Schedule(first, (), 0, 0))
    share = together(recall(sights, known_)).overall
    assert share.of == of.names
    return bill(sights, of.prices, known_.weight).money, share.of - share.held


def drawn(seed: int) -> Course:
    """Five to seven calls: replies that name things, with or without a result; what a user and a host say between.
    Drawn evenly, not from small on: in a small one no schedule is better than another."""
    chance = Random(seed)

    def text() -> str:
        return f"{' '.join(chance.sample(NAMES, chance.randrange(3)))} {'pad ' * chance.choice((0, 10, 60, 400))}"

    said: list[Said] = [u(text())] if chance.random() < 0.5 else []
    for _ in range(chance.randint(5, 7)):
        said += [a(text(), call("read", path="x")), r(text())] if chance.random() < 0.7 else [a(text())]
        between = chance.random()
        said += [u(text())] if between < 0.3 else [note("noted")] if between < 0.4 else []
    times = [chance.choice((None, 0, 500, 1_000, 1_500, 3_000, 9_000)) for _ in range(7)]
    return made(*said, times=times if chance.random() < 0.5 else ())


COURSES = st.integers(0, 2**32 - 1).map(drawn)
RATES = st.one_of(st.sampled_from((0.0, 1e6)), st.floats(1, 5_000))


@settings(deadline=None, max_examples=120)
@given(COURSES, RATES, st.sampled_from((None, None, 0, 500)))
def test_no_schedule_is_cheaper(found: Course, rate: float, limit: int | None) -> None:
    of = ground_of(found, limit)
    each = rate / of.names if of.names else 0.0
    known_ = known()
    every = {first: measured(found, of, first, known_) for first in firsts(of)}
    solved = solve(of, rate)
    assert (solved.cost, solved.missed) == pytest.approx(every[solved.first])
    assert solved.cost + each * solved.missed == pytest.approx(
        min(cost + each * miss for cost, miss in every.values())
    )


@settings(deadline=None)
@given(COURSES, st.sampled_from((0.0, 0.3, 0.5, 0.8, 0.95, 1.0)))
def test_the_optimum_at_a_recall(found: Course, wanted: float) -> None:
    """Its floor is under every schedule of that recall, its schedule has it, and both ends of the curve are met."""
    of = ground_of(found)
    good = [one for first in firsts(of) if (one := optimum.priced(of, first)).recall >= wanted]
    reached = at_recall(of, wanted)
    if not good:
        assert reached.floor == inf
        assert reached.schedule.missed == min(optimum.priced(of, first).missed for first in firsts(of))
        return
    least = min(one.cost for one in good)
    assert reached.floor <= least + 1e-6
    assert reached.schedule.recall >= wanted
    assert least <= reached.schedule.cost + 1e-6
    assert at_recall(of, wanted, pareto.curve(of)) == reached


@settings(deadline=None)
@given(COURSES)
def test_a_curve_is_convex_and_rises(found: Course) -> None:
    of = ground_of(found)
    corners = pareto.curve(of)
    costs = [one.cost for one in corners]
    assert costs == sorted(costs)
    assert [one.missed for one in corners] == sorted((one.missed for one in corners), reverse=True)
    assert all(one.cost >= solve(of, 0.0).cost - 1e-6 for one in corners)
    for low, mid, high in zip(corners, corners[1:], corners[2:], strict=False):
        left = (mid.cost - low.cost) * (mid.missed - high.missed)
        assert left <= (high.cost - mid.cost) * (low.missed - mid.missed) + 1e-6


def test_what_is_worth_nothing_leaves_at_once_and_what_is_worth_more_stays() -> None:
    long = r("first_name " + "pad " * 2_000)
    found = made(u("go"), a(call("read", path="x")), long, *DONE, *DONE, *DONE, a("first_name"))
    of = ground_of(found)
    assert of.choices == (1, 1, 1, 2, 3)
    assert solve(of, 0.0).first == (0, 0, 0, 1, 1)
    kept = solve(of, 1e6)
    assert (kept.first[-1], kept.recall, kept.epochs) == (0, 1.0, ())


def test_what_was_left_out_comes_back_where_that_is_cheaper() -> None:
    long = r("first_name " + "pad " * 2_000)
    said = u("pad " * 20_000)  # stays where it is, and so is read all along
    found = made(said, a(call("read", path="x")), long, *DONE * 40, a("first_name"))
    back = solve(ground_of(found), 1e6)
    assert (back.first[-1], back.recall) == (0, 1.0)
    assert back.first[30] > 0


def test_a_cold_cache_makes_the_change_free() -> None:
    """The long result may leave before the last call alone: reading it once more is less than writing the rest."""
    long, rest = r("pad " * 400), r("pad " * 100)
    said = (u("go"), *DONE, a(call("read", path="x")), long, a(call("read", path="x")), rest, *DONE, a("done"))
    assert solve(ground_of(made(*said, times=[0] * 5)), 0.0).first == (0, 0, 0, 0, 0)
    assert solve(ground_of(made(*said, times=[0, 0, 0, 0, 9_000])), 0.0).first == (0, 0, 0, 0, 2)


def test_what_the_user_said_is_never_missed_and_never_leaves() -> None:
    long = r("pad " * 2_000)
    found = made(u("first_name"), a(call("read", path="x")), long, *DONE, *DONE, *DONE, a("first_name"))
    assert tuple(standing(found, known().names))[-1] == Standing(1, ())
    of = ground_of(found)
    last = optimum.sights(found, solve(of, 0.0))[-1]
    assert [one.index for one in last.shown] == [0, 3, 4, 5, 6, 7, 8]
    assert last.epoch == 1


def test_nothing_recorded() -> None:
    of = ground_of(made(u("go")))
    assert solve(of, 1.0) == Schedule((), (), 0, 0)
    assert at_recall(of, 1.0).floor == 0.0
    assert [one.cost for one in pareto.curve(of)] == [0.0, 0.0]


@pytest.mark.parametrize("path", shared("codex")[:2] + shared("claude-code")[:2])
def test_a_recording_is_measured_as_it_was_solved(path: object) -> None:
    recorded = readers.read(readers.source(path))  # type: ignore[arg-type]
    assert isinstance(recorded, Recording)
    found = timeline.of(recorded)
    of = ground_of(found, 100_000, Prices())
    reached = at_recall(of, 0.975).schedule
    cost, missed = measured(found, of, reached.first, known())
    assert cost * 1e6 / of.prices.input == pytest.approx(reached.cost)
    assert missed == reached.missed
    assert reached.recall >= 0.975
