"""The meter: what the host reports as usage becomes a count for lists that were never sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.pressure.meter import (
    RATIO_HIGH,
    RATIO_LOW,
    bounds,
    is_believed,
    observe,
    ratio,
    tokens,
    weight_at,
)
from ctxmgr.model.saved.state import Meter

W = "classes"
M = "classes/sonnet"
WINDOW = 200_000
READ = Meter(reading_tokens=10_000, base=8_000, weigher=W, ratios={M: 1.2})

# before, total, weight, window, the ratio afterwards (None: the meter is as it was)
READINGS: list[tuple[Meter, int, int, int, float | None]] = [
    (READ, 11_400, 9_000, WINDOW, 1.2 + 0.2 * (1.4 - 1.2)),
    (READ, 8_600, 7_000, WINDOW, 1.2 + 0.2 * (1.4 - 1.2)),
    (READ, 10_199, 8_199, WINDOW, 1.2),  # a step under 200 tokens says nothing
    (READ, WINDOW + 1, 9_000, WINDOW, None),
    (READ, 0, 9_000, WINDOW, None),
]


def test_what_a_reading_teaches() -> None:
    for before, total, weight, window, after in READINGS:
        meter = observe(before, M, total, weight, window)
        if after is None:
            assert meter is before, total
        else:
            assert (meter.reading_tokens, meter.base, meter.weigher) == (total, weight, W), total
            assert ratio(meter, M) == pytest.approx(after), total


# meter, weight, overhead, tokens
COUNTS: list[tuple[Meter, int, int, int]] = [
    (Meter(), 8_000, 0, 10_000),
    (READ, 8_000, 3_000, 10_000),  # the reading holds the overhead already
    (READ, 7_000, 0, 8_800),
    (Meter(reading_tokens=100, base=8_000), 0, 0, 0),
]


def test_tokens_from_the_last_reading_on() -> None:
    for meter, weight, overhead, count in COUNTS:
        assert tokens(meter, M, weight, overhead) == count, weight


meters = st.builds(
    Meter,
    reading_tokens=st.none() | st.integers(1, 200_000),
    base=st.integers(0, 200_000),
    weigher=st.just(W),
    ratios=st.floats(RATIO_LOW, RATIO_HIGH).map(lambda found: {M: found}) | st.just({}),
)
weights = st.integers(0, 400_000)


@given(meters, weights, st.integers(0, 20_000))
def test_weight_at_is_the_inverse_of_tokens(meter: Meter, weight: int, overhead: int) -> None:
    count = tokens(meter, M, weight, overhead)
    listed = (meter.reading_tokens or 0) - (overhead if overhead < (meter.reading_tokens or 0) else 0)
    by_share = meter.base / listed if listed else 0.0  # what a token is there
    if count > 0:  # below nothing there is no way back
        assert weight_at(meter, M, count, overhead) == pytest.approx(weight, abs=max(1 / RATIO_LOW, by_share))


@given(meters, weights, st.integers(0, 20_000))
def test_a_shorter_list_has_at_least_its_share_of_the_reading(meter: Meter, weight: int, overhead: int) -> None:
    read = meter.reading_tokens
    if read is not None and 0 < weight < meter.base:
        fixed = overhead if overhead < read else 0
        assert tokens(meter, M, weight, overhead) >= fixed + (read - fixed) * weight / meter.base - 1
        assert tokens(meter, M, weight, overhead) <= max(read, 1)


# model, total, weight: is it believed in a window of 200,000?
SENSE: list[tuple[str, int, int, bool]] = [
    ("classes/sonnet", 200_000, 100_000, True),
    ("classes/sonnet", 200_001, 100_000, False),  # above the window
    ("classes/sonnet", 25_000, 100_000, True),
    ("classes/sonnet", 24_999, 100_000, False),  # far below what was sent
]


def test_a_reading_is_believed_with_sense() -> None:
    for model, total, weight, believed in SENSE:
        assert is_believed(model, total, weight, WINDOW) == believed, model


def test_the_ratio_stays_within_the_bounds_of_its_model() -> None:
    for model, low, high in (
        ("claude-opus-5-5", 0.8, 2.5),
        ("openai/gpt-5.5", 0.6, 1.6),
    ):
        key = f"{W}/{model}"
        assert bounds(key) == (low, high), model
        up, down = (Meter(10_000, 8_000, W, {key: ratio}) for ratio in (high, low))
        for _ in range(9):
            up = observe(up, key, (up.reading_tokens or 0) + 5_000, up.base + 1_000, WINDOW)
            down = observe(down, key, (down.reading_tokens or 0) + 100, down.base + 1_000, WINDOW)
        assert (ratio(up, key), ratio(down, key)) == pytest.approx((high, low)), model
        assert ratio(Meter(ratios={key: 9.0}), key) == high, model  # as an older release had learnt it
