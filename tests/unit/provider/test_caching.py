"""The simulated caches read what the real ones would have kept, and bill it."""

import pytest

from tests.provider.caching import Block, Clock, MarkedCache, PrefixCache, Usage

MINUTE_MS = 60_000


def blocks(text: str, each_tokens: int = 100) -> list[Block]:
    """A block a letter; a star behind it marks it, a plus marks it for an hour."""
    found: list[Block] = []
    for letter in text:
        if letter in "*+":
            found[-1] = Block(found[-1].text, "5m" if letter == "*" else "1h")
        else:
            found.append(Block(letter * 4 * each_tokens))
    return found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def marked(clock: Clock) -> MarkedCache:
    return MarkedCache(clock, least_tokens=200)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("ab*", "ab*", Usage(read=200)),
        ("ab*", "abc*", Usage(read=200, written_5m=100)),
        ("ab*", "abc", Usage(fresh=300)),  # no mark, nothing read
        ("abc", "abc*", Usage(written_5m=300)),  # none then, nothing there
        ("a*", "a*", Usage(fresh=100)),  # less than is cached
        ("a*b*", "a*c*", Usage(written_5m=200)),  # the shorter one was too short
        ("ab*c*", "ab*d*", Usage(read=200, written_5m=100)),
        ("ab*c*", "xb*c*", Usage(written_5m=300)),
        ("ab*", "ab*cd", Usage(fresh=200, read=200)),
        ("ab+", "ab*", Usage(read=200)),
        ("", "ab+c*", Usage(written_5m=100, written_1h=200)),
    ],
)
def test_marked_prefixes_are_read(marked: MarkedCache, before: str, now: str, expected: Usage) -> None:
    marked.use("m", blocks(before))
    assert marked.use("m", blocks(now)) == expected


@pytest.mark.parametrize(("later", "read_tokens"), [(19, 200), (20, 0)])
def test_it_is_looked_back_over_twenty_blocks(marked: MarkedCache, later: int, read_tokens: int) -> None:
    marked.use("m", blocks("ab*"))
    assert marked.use("m", blocks("ab" + "c" * later + "*")).read == read_tokens


def test_another_mark_is_looked_back_from_as_well(marked: MarkedCache) -> None:
    marked.use("m", blocks("ab*"))
    assert marked.use("m", blocks("ab*" + "c" * 30 + "*")).read == 200


def test_a_text_is_another_prefix_for_another_model(marked: MarkedCache) -> None:
    marked.use("m", blocks("ab*"))
    assert marked.use("n", blocks("ab*")).read == 0


@pytest.mark.parametrize(
    ("mark", "minutes", "read_tokens"), [("*", 4, 200), ("*", 5, 0), ("+", 59, 200), ("+", 60, 0)]
)
def test_entries_die(clock: Clock, marked: MarkedCache, mark: str, minutes: int, read_tokens: int) -> None:
    marked.use("m", blocks("ab" + mark))
    clock.advance(minutes * MINUTE_MS)
    assert marked.use("m", blocks("ab*")).read == read_tokens


def test_reading_keeps_an_entry_alive(clock: Clock, marked: MarkedCache) -> None:
    marked.use("m", blocks("ab*"))
    for more in ("abc*", "abd*"):
        clock.advance(4 * MINUTE_MS)
        assert marked.use("m", blocks(more)).read == 200


def test_prefixes_are_read_in_steps(clock: Clock) -> None:
    cache = PrefixCache(clock)
    assert cache.use("m", [b"a" * 4 * 1100, b"b" * 400]) == Usage(fresh=1200)
    assert cache.use("m", [b"a" * 4 * 1100, b"c" * 400]) == Usage(fresh=176, read=1024)
    assert cache.use("m", [b"a" * 4 * 1200]) == Usage(fresh=176, read=1024)
    assert cache.use("m", [b"a" * 4 * 1200]) == Usage(fresh=48, read=1152)
    assert cache.use("n", [b"a" * 4 * 1200]).read == 0
