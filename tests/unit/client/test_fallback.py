"""What goes out without ctxmgr: which list, and whether it is likely to fit. None is ever cut."""

from typing import Any

import msgspec
import pytest

from ctxmgr.client.fallback import SentList, fallback, reserve, room, tokens


def named(words: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": word} for word in words.split()]


def raws(messages: list[Any]) -> tuple[bytes, ...]:
    return tuple(msgspec.json.encode(one) for one in messages)


LAST = SentList(raws(named("a b c")), tuple(named("p c")))


def test_the_last_projection_goes_on_where_the_list_begins_with_what_it_was_of() -> None:
    for own, wanted, source in [
        ("a b c", "p c", "kept"),
        ("a b c d", "p c d", "kept"),
        ("a b", "a b", "own"),
        ("a x c d", "a x c d", "own"),
    ]:
        made = fallback(named(own), raws(named(own)), LAST, 1_000)
        assert (made.messages, made.source, made.fits) == (named(wanted), source, True), own


LONG = "x" * 3_175  # with its role 1,000 tokens


def test_the_last_projection_goes_on_while_it_fits_and_then_the_own_list_goes_out_untouched() -> None:
    for own, last, told, space, wanted, source, fits in [
        (f"a {LONG}", ("a", f"{LONG} {LONG}"), 0, 1_100, f"a {LONG}", "own", True),
        (f"a {LONG} b", ("a", f"{LONG} {LONG}"), 0, 1_005, f"a {LONG} b", "own", False),
        (f"{LONG} a b", None, 0, 30, f"{LONG} a b", "own", False),
        (f"{LONG} b", (LONG, f"{LONG} p"), 700, 800, f"{LONG} p b", "kept", True),
        (f"{LONG} b", (LONG, "p"), 900, 900, f"{LONG} b", "own", False),
    ]:
        before = SentList(raws(named(last[0])), tuple(named(last[1])), told) if last else None
        made = fallback(named(own), raws(named(own)), before, space)
        assert (made.messages, made.source, made.fits) == (named(wanted), source, fits), own


def test_room_is_beside_the_policys_reserve_and_the_overhead() -> None:
    assert room(1_000, 16_384, 0) == 750
    assert room(200_000, 16_384, 60_000) == 200_000 - 16_384 - 60_000
    for policy, wanted in [
        ({}, 16_384),
        ({"reserve": 4_000, "models": {"m": {"reserve": 9_000}, "n": {"reserve": 1}}}, 9_000),
        ({"reserve": 4_000, "models": {"m": {"zones": {}}}}, 4_000),
        ({"reserve": None, "models": []}, 16_384),
    ]:
        assert reserve(policy, "m") == wanted, policy


def test_an_image_weighs_as_an_image() -> None:
    picture = {"role": "user", "content": [{"type": "image", "data": "x" * 1_000_000}]}
    assert 1_000 < tokens(picture) < 2_000
    assert tokens(msgspec.json.encode(picture)) == tokens(picture)
    assert tokens(b"\xff" * 320) == pytest.approx(100, abs=2)
