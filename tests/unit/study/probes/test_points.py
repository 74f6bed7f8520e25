"""At which calls is asked, and the stub that a sawtooth stands on."""

import pytest

from ctxmgr.study.metrics.observations import PACKET, ProjectedMessage
from ctxmgr.study.probes import controls, figures
from ctxmgr.study.probes.points import points
from ctxmgr.study.probes.session import examined
from ctxmgr.study.probes.stub import Stub
from tests.notation import a, u
from tests.unit.study.probes.asked import SESSION, asked, of, recording, weigh


@pytest.mark.parametrize(
    ("weights", "window", "compacted", "calls"),
    [
        ([], 100, (), ()),
        ([10_000, 20_000], 1_000_000, (), ()),
        ([10_000 * number for number in range(1, 12)], 1_000_000, (), (3, 4, 5, 6, 7, 8, 9, 10)),
        ([10_000 * number for number in range(1, 12)], 20_000, (), (0, 1, 3, 4, 5, 6, 7, 8, 9, 10)),
        ([1_000 * number for number in range(1, 111)], 1_000_000, (), (39, 49, 59, 69, 79, 89, 99, 109)),
        ([1_000, 2_000, 3_000, 4_000], 4_000, (), (1, 2, 3)),
        ([1_000, 2_000], 1_000_000, (1, 9), (1,)),
    ],
)
def test_points_are_even_then_by_the_window_then_where_the_host_compacted(
    weights: list[int], window: int, compacted: tuple[int, ...], calls: tuple[int, ...]
) -> None:
    assert points(weights, window, compacted) == calls


def test_a_recorded_compaction_is_a_point() -> None:
    found = examined(recording(*SESSION[:5], a("x"), compacted=[4]), 1_000_000, lambda raw: 1)
    assert [point.call_index for point in found.points] == [2]


def test_the_stub_copies_what_users_said_the_files_and_the_last_words() -> None:
    found = of(*SESSION).course
    write = Stub()
    first = write(found.items[:9], found.items[9:])
    assert "Please raise the limit of the parser" in first
    assert "<changed-files>\nsrc/parse.ts\n</changed-files>" in first
    assert "parseBlock stops at twenty" in first
    assert "no, that is wrong" in write(found.items[9:], ())  # what the first one stands for stays


def test_the_stub_keeps_the_opening_and_the_newest_of_many_requests() -> None:
    found = of(
        u("the opening " + "x " * 2_500), *(u(f"request {number} " + "y" * 900) for number in range(12)), a("z")
    )
    said = Stub()(found.course.items, ())
    assert "the opening" in said
    assert "request 11" in said
    assert "request 0" not in said
    assert said.count("x") > 1_900  # half of the room is the opening's
    assert len(said) < 9_000


def test_the_sawtooth_stands_on_a_stub() -> None:
    found = of(*SESSION)
    shown = controls.sawtooth(found.course, weigh)[-1].projected_messages
    assert isinstance(shown[0], ProjectedMessage)
    assert shown[0].index == PACKET
    assert b"Please raise the limit" in shown[0].raw
    (result,) = asked(found, controls.sawtooth(found.course, weigh))
    assert figures.scores(result).kinds["goal"].every.share == 1
