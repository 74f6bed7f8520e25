"""A call in which one step is new looks at that step, however long the list is: in lines executed, not in time.

The first list of a session, or after a restart, and a list with which something leaves may look at every message.
Among 120 messages are all that the rules of the newest steps look at, by count and by tokens; so a list of 120 is
what longer ones are held to.
"""

from functools import cache

import pytest

from ctxmgr.formats import FORMATS
from ctxmgr.session.context import listing
from tests.work.conversations import CASES, Host
from tests.work.counting import ROOT, Lines, growth

SHORT, LONG, LONGEST = 60, 300, 2_000  # steps of two messages; even turns, for `tools` prunes at each other one
CALLS = 4  # of each way
SLACK = 200  # lines: a list's bytes lie in a few pieces more
WAYS = ("whole", "default", "append", "turn_end")


def steady(preset: str, format: str, case: str, steps: int) -> dict[str, Lines]:
    """The call of most lines, by way: before and after a restart."""
    host = Host(preset, format, CASES[case][preset], steps)
    found = {}
    for when in ("", ", restarted"):
        if when:
            host.restart()
        for way in WAYS:
            calls = list(host.steady(way, CALLS if steps < LONGEST else 2))
            assert calls, "no call was steady"
            found[way + when] = max(calls, key=Lines.total)
    return found


_steady = cache(steady)


def grown(short: dict[str, Lines], long: dict[str, Lines]) -> str:
    """What was counted more, for people; "" where nothing was."""
    return "\n".join(
        f"{way}: {short[way].total():,} -> {long[way].total():,} lines\n{growth(short[way], long[way])}"
        for way in short
        if long[way].total() > short[way].total() + SLACK
    )


def rows(long: bool) -> list[tuple[str, str, str]]:
    """Format, preset and case. Not long: pi, and of responses what leaves; others are read to the same views."""
    every = [(format, preset, case) for format in FORMATS for case, of in CASES.items() for preset in of]
    return [row for row in every if (row[0] == "pi" or (row[0], row[2]) == ("responses", "left")) != long]


@pytest.mark.parametrize(("format", "preset", "case"), rows(long=False))
def test_a_steady_call_looks_at_what_is_new(format: str, preset: str, case: str) -> None:
    if more := grown(*(_steady(preset, format, case, steps) for steps in (SHORT, LONG))):
        pytest.fail(more)


@pytest.mark.long
@pytest.mark.parametrize(("format", "preset", "case"), rows(long=True))
def test_in_all_formats(format: str, preset: str, case: str) -> None:
    test_a_steady_call_looks_at_what_is_new(format, preset, case)


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "preset", "case"), [row for row in rows(long=False) if row[0] == "pi" and row[2] != "cut"]
)
def test_of_four_thousand_messages_too(format: str, preset: str, case: str) -> None:
    if more := grown(*(_steady(preset, format, case, steps) for steps in (SHORT, LONGEST))):
        pytest.fail(more)


@pytest.mark.long
@pytest.mark.parametrize(("preset", "case"), [(preset, case) for case, of in CASES.items() for preset in of])
def test_a_first_list_looks_at_each_message_as_often_however_many_there_are(preset: str, case: str) -> None:
    most = 4 * LONG
    short, long = (Host(preset, "pi", CASES[case][preset], steps, counted=True) for steps in (LONG, most))
    for when in ("first", "restarted"):
        if when == "restarted":
            short.restart()
            long.restart()
        assert long.first.total() < 1.5 * short.first.total() * most / LONG, (
            f"{when}\n{growth(short.first, long.first)}"
        )


def test_a_walk_over_the_list_is_seen_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    made = listing.commit
    walk: dict[str, object] = {}
    source = "def walk(session):\n    return [message.raw for message in session.projection.messages]\n"
    exec(compile(source, f"{ROOT}planted.py", "exec"), walk)

    def planted(session: object, *rest: object) -> object:
        walk["walk"](session)  # type: ignore[operator]
        return made(session, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(listing, "commit", planted)
    more = grown(*(steady("off", "pi", "kept", steps) for steps in (SHORT, LONG)))
    for way in ("whole", "default", "append"):
        assert f"\n{way}: " in f"\n{more}"
    assert "planted.py:walk.<locals>.<listcomp>" in more
    assert "turn_end: " not in more
