"""What a provider says that it read against what it should have: the sums, what a gap may be, how long it keeps."""

from typing import Any

import pytest

from ctxmgr.server.effects import SnapshotLoaded
from tests.unit.session.methods.cached import CachedHost, minutes


def test_where_all_is_read_the_sums_agree_and_there_is_no_gap() -> None:
    cache = CachedHost().calls(12)
    assert cache is not None
    assert (cache["read"], cache["calls"]) == (cache["expected"], 8)
    assert cache["read"] > 100_000
    assert (cache["lifetimeMs"], cache["lifetimeFrom"]) == (300_000, "rule")
    assert "gap" not in cache


def test_its_end_is_known_from_the_first_counted_call_on() -> None:
    host = CachedHost()
    cache = host.call()
    assert cache is not None
    assert (cache["calls"], cache["expiresAt"]) == (0, host.at + minutes(5))
    assert CachedHost().calls(6, tells=False) is None, "no usage tells what was read"


def test_a_count_without_it_is_of_nothing_read_once_it_was_told() -> None:
    host = CachedHost()
    cache = host.calls(3)
    assert cache is not None
    assert host.calls(3, tells=False) == {
        **cache,
        "calls": 5,
        "expected": any_more,
        "gap": any_text,
        "expiresAt": any_more,
    }


def test_what_was_learned_tells_when_the_cache_is_cold() -> None:
    epochs = []
    for pauses in ((20, 25), (0, 0)):
        host = CachedHost(60, {"preset": "balanced"})
        for pause in pauses:
            host.calls(5)
            host.call(minutes(pause))
        host.calls(5)
        before = host.status["epoch"]
        host.call(minutes(15))
        epochs.append(host.status["epoch"] - before)
    assert epochs == [0, 1]


@pytest.mark.parametrize(
    ("made", "whose"),
    [({"cacheTtlMs": minutes(60)}, "the host says"), ({"policy": {"cacheTtlMs": minutes(60)}}, "the policy says")],
)
def test_a_word_that_is_wrong_holds_and_is_told(made: dict[str, Any], whose: str) -> None:
    host = CachedHost(**made)
    for _ in range(2):
        host.calls(3)
        cache = host.call(minutes(10))
    assert cache is not None
    assert cache["lifetimeMs"] == minutes(60)
    assert cache["gap"] == f"reads fail after pauses of 10 min: its entries expire before the 60 min that {whose}"


def test_it_outlives_a_restart_and_what_comes_then_goes_on_from_it() -> None:
    host, straight = CachedHost(60), CachedHost(60)
    for one in (host, straight):
        one.calls(4)
        one.call(minutes(20))
    again = CachedHost(60, found=SnapshotLoaded(tuple(host.talk.saved)))
    assert again.talk.status()["cache"] == host.status["cache"]
    again.messages, again.count, again.at = host.messages, host.count, host.at
    again.cache, again.clock = host.cache, host.clock
    assert again.calls(2) == straight.calls(2)


class _Any:
    """Equal to whatever fits."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self._kind)

    __hash__ = None  # type: ignore[assignment]


any_more, any_text = _Any(int), _Any(str)
