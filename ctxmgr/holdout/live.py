"""`ctxmgr savings --live`: shows the differences between the arms of a holdout, one row for each measure, and a
sentence.
"""

import time
from argparse import Namespace
from collections.abc import Iterator

from platformdirs import user_state_dir

from ctxmgr import settings
from ctxmgr.holdout.calls import HoldoutCalls
from ctxmgr.holdout.comparison import LEAST_SESSIONS, LEVEL, Comparison, Difference, compared
from ctxmgr.model import currency
from ctxmgr.plain_text import complain, table, write, write_json

NO_CALLS = (
    'no session was held out yet; use ctxmgr run --holdout 10% -- claude, or holdout = "10%" in your settings'
)
HEAD = ("", "with ctxmgr", "held out", "difference", f"{LEVEL:.0%} interval", "")
NOT_SHOWN = "not shown yet"


def run(parsed: Namespace) -> int:
    """Returns 0 on success, 1 if the file or the settings cannot be read."""
    try:
        named = parsed.state_dir or settings.read().settings_for().state_dir
        comparison = compared(HoldoutCalls(named or user_state_dir("ctxmgr", appauthor=False)).read())
    except settings.SettingsFault as fault:
        return complain("savings", str(fault), 1)
    except OSError as fault:
        return complain("savings", f"the calls of the holdout cannot be read: {fault.strerror}", 1)
    if parsed.json:
        write_json(comparison)
        return 0
    for line in lines(comparison):
        write(line)
    return 0


def lines(comparison: Comparison) -> Iterator[str]:
    """The comparison as lines of text, the sentence first."""
    if not comparison.sessions:
        yield NO_CALLS
        return
    yield sentence(comparison)
    yield ""
    yield table([HEAD, *(_row(one, comparison) for one in comparison.differences)], right=(1, 2, 3))
    yield ""
    yield from _notes(comparison)


def sentence(comparison: Comparison) -> str:
    """What is shown about the dollars per call, and about what became worse."""
    cost, *others = comparison.differences
    worse = [one.name for one in others if one.is_shown and (one.change or 0) > 0]
    more = f" Significantly more with ctxmgr: {', '.join(worse)}." if worse else ""
    if not cost.is_shown or cost.change is None or cost.low is None or cost.high is None:
        return f"The effect of ctxmgr on the {currency.NAME} per call is {_missing(cost, comparison)}.{more}"
    word, ends = ("fewer", (-cost.high, -cost.low)) if cost.change < 0 else ("more", (cost.low, cost.high))
    low, high = (f"{end:.0%}" for end in ends)
    return f"With ctxmgr a call costs {abs(cost.change):.0%} {word} {currency.NAME} ({low} to {high}).{more}"


def _missing(one: Difference, comparison: Comparison) -> str:
    if one.managed is None:
        return f"{NOT_SHOWN} (nothing to compare)"
    count = comparison.sessions
    if one.needed is None:
        return f"{NOT_SHOWN} ({count:,} sessions)"
    if one.needed <= count:
        return f"small at most after {count:,} sessions"
    return f"{NOT_SHOWN} ({count:,} of about {_round(one.needed):,} sessions needed)"


def _round(number: int) -> int:
    """Rounds up to two digits, since it is an estimate."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // step) * step


def _row(one: Difference, comparison: Comparison) -> tuple[str, ...]:
    form = _amount if "dollars" in one.name else "{:,.2f}".format
    plain = ["-" if value is None else form(value) for value in (one.managed, one.held_out)]
    change = "{:+.0%}" if one.is_ratio else "{:+,.2f}"
    difference = "-" if one.change is None else change.format(one.change)
    interval = "-"
    if one.low is not None and one.high is not None:
        interval = f"{change.format(one.low)} to {change.format(one.high)}"
    return one.name, *plain, difference, interval, "shown" if one.is_shown else _missing(one, comparison)


def _amount(value: float) -> str:
    return currency.amount(value, ",.4f" if value < 1 else ",.2f")


def _notes(comparison: Comparison) -> Iterator[str]:
    managed = comparison.sessions - comparison.held_out_sessions
    since = time.strftime("%Y-%m-%d", time.gmtime((comparison.since or 0) / 1000))
    yield (
        f"{comparison.calls:,} calls since {since}: {managed:,} sessions with ctxmgr, "
        f"{comparison.held_out_sessions:,} held out"
    )
    if min(managed, comparison.held_out_sessions) < LEAST_SESSIONS:
        yield f"an interval needs {LEAST_SESSIONS} sessions of each kind"
    if comparison.mixed_sessions:
        yield f"{comparison.mixed_sessions:,} sessions have calls of both kinds and are not counted"
    if comparison.unpriced:
        missing = f"are missing from the {currency.NAME}"
        yield f"{comparison.unpriced:,} calls have no usage count or no price and {missing}"
    yield from comparison.prices
