"""`ctxmgr savings --live`: turns rows of calls into the differences between the two arms of a holdout, their
certainty, and how many more sessions are needed; and shows them, one row for each measure, and a sentence.

1. The unit is a session, since its calls are alike and sessions were assigned at random. A session with calls in
   both arms is left out.
2. *Equal depth*: calls are put into bins by model and number of the call. Each bin's dollars per call are weighted
   by what both arms have in common: the smaller of the two shares of an arm's calls in that bin. So an arm does not
   look more expensive because its sessions last longer.
3. Dollars and counts of calls are compared as ratios, events as differences of their rates.
4. The interval: the sessions of each arm are drawn with repetition, as many as there are, DRAWS times. The interval
   is the difference plus and minus as many standard deviations of the draws as Student's t has for LEVEL and the
   smaller arm; for a ratio its logarithm is used. (The quantiles of the draws are too narrow for few sessions of
   unequal cost: Hesterberg, What Teachers Should Know About the Bootstrap, 2015.) The random numbers are the same
   in every run.
5. A difference is *shown* if its interval excludes zero, and if at most 1 - LEVEL of DRAWS random assignments of
   the same sessions to arms reach it. If the arms do not differ, this second condition alone limits the share of
   runs that show a difference to 1 - LEVEL, however few sessions there are and whatever they cost. LEVEL is 99 %
   and not 95 %, because there are several measures, and people look again until one is shown.
6. The number of sessions needed: the standard deviation of the draws falls with the square root of the number of
   sessions. A difference d is found in POWER of all cases if it is z(LEVEL) + z(POWER) = 3.4 standard deviations.
   So m = n * (3.4 * deviation / d)^2 sessions are needed, where d is the current difference, but at least
   LEAST_DIFFERENCE of what is compared, since nobody waits for less. Each arm needs at least LEAST_SESSIONS.
"""

import math
import random
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import NormalDist, pstdev

import msgspec
from platformdirs import user_state_dir

from ctxmgr import settings
from ctxmgr.holdout.calls import Arm, HoldoutCall, HoldoutCalls
from ctxmgr.model import currency
from ctxmgr.plain_text import complain, table, write, write_json

BINS = (10, 25, 60, 150, 400)  # the last call of each bin, except for the last bin
LEVEL, POWER = 0.99, 0.8
DRAWS = 1_000
SEED = 20261130
LEAST_SESSIONS = 10  # of each arm: with fewer an interval says nothing
LEAST_DIFFERENCE = 0.05
DEVIATIONS = NormalDist().inv_cdf((1 + LEVEL) / 2) + NormalDist().inv_cdf(POWER)

COUNTS = ("sessions", "calls", "counted", "dollars", "errors", "corrections", "rereads", "compactions")
Sums = Sequence[float]  # in the order of COUNTS, then for each bin its dollars and its calls
Ratio = Callable[[Sums, Sums], tuple[float, float] | None]  # of both arms; None if an arm has no such calls


class Difference(msgspec.Struct, frozen=True, rename="camel"):
    """One measure. `managed`, `held_out`: its value in each arm. `change`: for a ratio the relative change (0.2: a
    fifth more with ctxmgr), otherwise the difference. `low`, `high`: the interval, None with too few sessions.
    `needed`: sessions of both arms until such a difference is shown; None if it is shown already or the number is
    unknown.
    """

    name: str
    is_ratio: bool
    managed: float | None = None
    held_out: float | None = None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    is_shown: bool = False
    needed: int | None = None


class Comparison(msgspec.Struct, frozen=True, rename="camel"):
    """`sessions`: of both arms. `held_out_sessions`: of that arm. `mixed_sessions`: left out (rule 1). `unpriced`:
    calls without a count or a price, which are in no sum of dollars. `prices`: other models whose prices were used.
    `since`: the time of the oldest call in milliseconds since 1970.
    """

    sessions: int
    held_out_sessions: int
    calls: int
    mixed_sessions: int
    unpriced: int
    prices: tuple[str, ...]
    since: int | None
    differences: tuple[Difference, ...]


class Arms(msgspec.Struct, frozen=True):
    """For each arm, one row of sums for each session."""

    managed: tuple[Sums, ...]
    held_out: tuple[Sums, ...]


class Measure(msgspec.Struct, frozen=True):
    """`of`: returns its values in both arms, from their sums. `is_ratio`: how they are compared (rule 3)."""

    name: str
    of: Ratio
    is_ratio: bool = True

    def change(self, managed: Sums, held_out: Sums) -> float | None:
        """The difference, or the logarithm of a ratio; None if there is none."""
        values = self.of(managed, held_out)
        if values is None:
            return None
        one, other = values
        if not self.is_ratio:
            return one - other
        return math.log(one / other) if one > 0 and other > 0 else None


def _rate(part: str, whole: str, times: float = 1.0) -> Ratio:
    top, bottom = COUNTS.index(part), COUNTS.index(whole)

    def of(managed: Sums, held_out: Sums) -> tuple[float, float] | None:
        if not managed[bottom] or not held_out[bottom]:
            return None
        return times * managed[top] / managed[bottom], times * held_out[top] / held_out[bottom]

    return of


def _at_equal_depth(managed: Sums, held_out: Sums) -> tuple[float, float] | None:
    """Rule 2."""
    start = len(COUNTS)
    of_managed, of_held_out = sum(managed[start + 1 :: 2]), sum(held_out[start + 1 :: 2])
    whole = one = other = 0.0
    for at in range(start, len(managed), 2):
        calls, others = managed[at + 1], held_out[at + 1]
        if calls and others:
            weight = min(calls / of_managed, others / of_held_out)
            whole += weight
            one += weight * managed[at] / calls
            other += weight * held_out[at] / others
    return (one / whole, other / whole) if whole else None


MEASURES = (
    Measure("dollars per call at equal depth", _at_equal_depth),
    Measure("dollars per session", _rate("dollars", "sessions")),
    Measure("calls per session", _rate("calls", "sessions")),
    Measure("errors per 100 calls", _rate("errors", "calls", 100), False),
    Measure("corrections per 100 calls", _rate("corrections", "calls", 100), False),
    Measure("files read again per 100 calls", _rate("rereads", "calls", 100), False),
    Measure("compactions per 100 calls", _rate("compactions", "calls", 100), False),
)


def compared(calls: Iterable[HoldoutCall], draws: int = DRAWS, seed: int = SEED) -> Comparison:
    """The comparison of the rows of a holdout."""
    by_session: dict[str, list[HoldoutCall]] = defaultdict(list)
    for call in calls:
        by_session[call.session].append(call)
    whole = {name: rows for name, rows in by_session.items() if len({row.arm for row in rows}) == 1}
    arms = _arms(list(whole.values()))
    rows = [row for some in whole.values() for row in some]
    return Comparison(
        len(whole),
        len(arms.held_out),
        len(rows),
        len(by_session) - len(whole),
        sum(row.dollars is None and not row.error for row in rows),
        tuple(sorted({f"{row.model} at the prices of {row.prices_of}" for row in rows if row.prices_of})),
        min((row.at for row in rows), default=None),
        differences(arms, draws, seed),
    )


def _arms(sessions: Sequence[Sequence[HoldoutCall]]) -> Arms:
    places = sorted({_bin(call) for calls in sessions for call in calls if call.dollars is not None})
    index = {place: len(COUNTS) + 2 * number for number, place in enumerate(places)}
    of: dict[Arm, list[Sums]] = {"managed": [], "heldOut": []}
    for calls in sessions:
        of[calls[0].arm].append(_sums(calls, index))
    return Arms(tuple(of["managed"]), tuple(of["heldOut"]))


def _bin(call: HoldoutCall) -> tuple[str, int]:
    return call.model, sum(call.call > last for last in BINS)


def _sums(calls: Sequence[HoldoutCall], index: dict[tuple[str, int], int]) -> Sums:
    """The sums of one session."""
    priced = [call for call in calls if call.dollars is not None]
    sums = [
        1.0,
        sum(not call.error for call in calls),
        len(priced),
        sum(call.dollars or 0.0 for call in priced),
        sum(call.error for call in calls),
        sum(call.corrections for call in calls),
        sum(call.rereads for call in calls),
        sum(call.compaction and not call.error for call in calls),
        *[0.0] * (2 * len(index)),
    ]
    for call in priced:
        sums[index[_bin(call)]] += call.dollars or 0.0
        sums[index[_bin(call)] + 1] += 1
    return sums


def differences(arms: Arms, draws: int, seed: int) -> tuple[Difference, ...]:
    """The difference in each measure."""
    least = min(len(arms.managed), len(arms.held_out))
    if not least:
        return tuple(Difference(measure.name, measure.is_ratio) for measure in MEASURES)
    chance = random.Random(seed)
    sums = _summed(arms.managed), _summed(arms.held_out)
    drawn = [(_drawn(arms.managed, chance), _drawn(arms.held_out, chance)) for _ in range(draws)]
    assigned = [_assigned(arms, sums, chance) for _ in range(draws)]
    return tuple(_difference(measure, arms, sums, drawn, assigned) for measure in MEASURES)


Both = tuple[Sums, Sums]  # of the managed and of the held-out sessions


def _difference(
    measure: Measure, arms: Arms, sums: Both, drawn: Sequence[Both], assigned: Sequence[Both]
) -> Difference:
    values, change = measure.of(*sums), measure.change(*sums)
    if values is None or change is None:
        return Difference(measure.name, measure.is_ratio, *(values or ()))
    changes = [found for both in drawn if (found := measure.change(*both)) is not None]
    deviation = pstdev(changes) if changes else 0.0
    count, least = len(arms.managed) + len(arms.held_out), min(len(arms.managed), len(arms.held_out))
    needed = _needed(count, least, deviation, max(abs(change), _least_change(measure, values)))
    if least < LEAST_SESSIONS or len(changes) < LEVEL * len(drawn):  # in some draws an arm had nothing
        return Difference(measure.name, measure.is_ratio, *values, _plain(measure, change), needed=needed)
    low, high = (change + side * _student(least) * deviation for side in (-1, 1))
    is_shown = not low <= 0 <= high and _chance_of(measure, change, assigned) <= 1 - LEVEL
    change, low, high = (_plain(measure, number) for number in (change, low, high))
    missing = None if is_shown else needed
    return Difference(measure.name, measure.is_ratio, *values, change, low, high, is_shown, missing)


def _plain(measure: Measure, change: float) -> float:
    return math.expm1(change) if measure.is_ratio else change


def _least_change(measure: Measure, values: tuple[float, float]) -> float:
    return LEAST_DIFFERENCE if measure.is_ratio else LEAST_DIFFERENCE * max(values)


def _needed(count: int, least: int, deviation: float, change: float) -> int | None:
    """Rule 6."""
    if not change or not deviation:
        return None
    by_power = count * (DEVIATIONS * deviation / change) ** 2
    return math.ceil(max(by_power, count * LEAST_SESSIONS / least))


def _chance_of(measure: Measure, change: float, assigned: Sequence[Both]) -> float:
    """The share of random assignments with at least this difference. The actual assignment counts as one of
    them.
    """
    found = (measure.change(*both) for both in assigned)
    return (1 + sum(other is None or abs(other) >= abs(change) for other in found)) / (1 + len(assigned))


def _summed(rows: Sequence[Sums]) -> Sums:
    return tuple(map(sum, zip(*rows, strict=True)))


def _drawn(rows: Sequence[Sums], chance: random.Random) -> Sums:
    """The sums of as many sessions, drawn with repetition."""
    return _summed(chance.choices(rows, k=len(rows)))


def _assigned(arms: Arms, sums: Both, chance: random.Random) -> Both:
    """The sums of both arms after assigning all sessions at random to arms of the same sizes."""
    fewer = min(len(arms.managed), len(arms.held_out))
    one = _summed(chance.sample([*arms.managed, *arms.held_out], fewer))
    other = tuple(map(lambda left, right, part: left + right - part, *sums, one))
    return (one, other) if len(arms.managed) == fewer else (other, one)


def _student(fewest: int) -> float:
    """Half the width of the interval in standard deviations, for the sessions of the smaller arm: t of LEVEL
    (Abramowitz and Stegun, 26.7.5), corrected for the draws' standard deviation, which is too small.
    """
    z, free = NormalDist().inv_cdf((1 + LEVEL) / 2), fewest - 1
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    return t * math.sqrt(fewest / free)


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
