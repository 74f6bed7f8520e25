"""What input costs under prompt caching: small lists with known answers, and lists that only grow."""

from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.model.prices import TieredPrices
from ctxmgr.study.figures.cost import bill
from ctxmgr.study.observations import Observation, ProjectedMessage
from ctxmgr.study.recordings.pi_host import item

PRICES = PriceSheet(TieredPrices(input=1e6, cache_read=1e5, cache_write=2e6), ttl_ms=1_000)  # a dollar a token
REPLY = item("r", b'{"role":"assistant","content":[]}')


def size(raw: Hashable) -> tuple[int, int]:
    """A token a letter, one block a message."""
    assert isinstance(raw, bytes)
    return len(raw), 1


def calls(*lists: str, at: tuple[int | None, ...] = (), epochs: tuple[int, ...] = ()) -> list[Observation]:
    """A list a word, a message a letter."""
    out = []
    for number, text in enumerate(lists):
        shown = tuple(ProjectedMessage(letter.encode(), place, True) for place, letter in enumerate(text))
        out.append(Observation(at[number] if at else None, (), shown, REPLY, epochs[number] if epochs else 0))
    return out


def test_what_calls_cost() -> None:
    for case, lists, at, money, warm, cached, breaks, cold in (
        ("no call", [], (), [], [], [], 0, 0),
        ("the first writes all", ["ab"], (), [4], [4], [0], 0, 0),
        ("what was there is read", ["ab", "abc"], (), [4, 2.2], [4, 2.2], [0, 2], 0, 0),
        ("all of it", ["ab", "ab"], (), [4, 0.2], [4, 0.2], [0, 2], 0, 0),
        ("broken at its start", ["ab", "xab"], (), [4, 6], [4, 6], [0, 0], 1, 0),
        ("broken in its middle", ["abc", "axc"], (), [6, 4.1], [6, 4.1], [0, 1], 1, 0),
        ("a shorter one does not go on", ["abc", "ab"], (), [6, 0.2], [6, 0.2], [0, 2], 1, 0),
        ("at its very end it lives", ["ab", "abc"], (0, 1_000), [4, 2.2], [4, 2.2], [0, 2], 0, 0),
        ("a cold cache is written anew", ["ab", "abc"], (0, 1_001), [4, 6], [4, 2.2], [0, 2], 0, 1),
        ("no time, no cold", ["ab", "abc"], (0, None), [4, 2.2], [4, 2.2], [0, 2], 0, 0),
        ("renewed", ["a", "ab", "abc"], (0, 900, 1_800), [2, 2.1, 2.2], [2, 2.1, 2.2], [0, 1, 2], 0, 0),
    ):
        made = bill(calls(*lists, at=at), PRICES, size)
        assert [call.money for call in made] == pytest.approx(money), case
        assert [call.warm for call in made] == pytest.approx(warm), case
        assert [call.cached for call in made] == cached, case
        assert sum(call.broke for call in made) == breaks, case
        assert sum(call.cold for call in made) == cold, case
        assert [call.tokens for call in made] == [len(text) for text in lists], case


def test_a_break_is_announced_by_a_new_epoch() -> None:
    made = bill(calls("ab", "xb", "yb", "yb", epochs=(0, 1, 1, 2)), PRICES, size)
    assert [call.announced for call in made] == [False, True, False, True]
    assert [call.broke for call in made] == [False, True, True, False]


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(0, 3))
def test_a_list_that_only_grows_is_written_once(sizes: list[int], step: int) -> None:
    """Each message is written when it comes and read at each call after it."""
    text = "".join(chr(0x100 + place) for place in range(sum(sizes)))
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    made = bill(
        calls(*(text[:end] for end in ends), at=tuple(step * one for one in range(len(ends)))), PRICES, size
    )
    written = made[-1].tokens
    assert written == sum(call.tokens - call.cached for call in made)
    assert sum(call.money for call in made) == pytest.approx(
        2.0 * written + 0.1 * (sum(call.tokens for call in made) - written)
    )
    assert not any(call.broke or call.cold for call in made)
