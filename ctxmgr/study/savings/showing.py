"""Shows the figures as a table for the terminal, and as a page: with the same rows, and the same notes below."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.engine.retention import KEEP
from ctxmgr.model import currency
from ctxmgr.study.console import TextTable, figure
from ctxmgr.study.observations import Ratio
from ctxmgr.study.report import BASE, PolicyPoint, escaped, page
from ctxmgr.study.savings.measuring import MeasuredSession
from ctxmgr.study.savings.summing import LEAST_SESSIONS, LengthSum, PolicySum

TITLE = "What your sessions cost, and would have cost"
SHARE_OF = 100_000  # a share has five digits
NAMED_MODELS = 3  # shown by name


class Findings(msgspec.Struct, frozen=True):
    """What there is to show. `found`: number of sessions. `measured`: of them, with and without faults.
    `unreadable`: places that contain sessions and cannot be read. `seconds`: the time limit, if it was too short
    for all sessions.
    """

    said: str
    rows: Sequence[LengthSum]
    measured: Sequence[MeasuredSession]
    found: int
    unreadable: int
    seconds: float


def table(findings: Findings) -> TextTable:
    policies = list(findings.rows[-1].policies)
    heads = ("length", "sessions", "calls", "cost", *(head for name in policies for head in (name, "kept")))
    return TextTable("by length of session, with 95 % intervals", heads, [_row(row) for row in findings.rows])


def _row(row: LengthSum) -> list[str]:
    cost = currency.amount(row.dollars) if row.priced else "-"
    sessions = (
        f"{row.sessions:,}" if row.priced == row.sessions else f"{row.sessions:,} ({row.priced:,} with a cost)"
    )
    counts = [row.name.removeprefix("of "), sessions, f"{row.calls:,}", cost]
    return counts + [cell for policy in row.policies.values() for cell in _cells(policy, row.dollars)]


def _cells(policy: PolicySum, dollars: float) -> tuple[str, str]:
    if policy.share is None:
        return "-", figure(policy.kept, 3)
    ends = " to ".join(currency.amount(end * dollars) for end in (policy.low, policy.high) if end is not None)
    return currency.amount(policy.share * dollars) + (f" ({ends})" if ends else ""), figure(policy.kept, 3)


def notes(findings: Findings) -> Iterator[str]:
    """The basis of the figures, and what they do not include, one sentence each."""
    good = [one for one in findings.measured if not one.fault]
    if len(findings.measured) < findings.found:
        yield (
            f"In {findings.seconds:g} seconds (--seconds), {len(findings.measured):,} of {findings.found:,} "
            "sessions were read, in a random order that is the same in every run; a faster run reads more."
        )
    if empty := sum(one.is_empty for one in findings.measured):
        yield f"Not counted, for no model was called in them: {empty:,}."
    faulty = [one for one in findings.measured if one.fault and not one.is_empty]
    if failed := Counter(one.session.title for one in faulty):
        some = ", ".join(f"{title} {count:,}" for title, count in sorted(failed.items()) if title)
        whose = f" ({some})" if some else ""
        yield (
            f"Not measured, because they cannot be read as sessions: {failed.total():,}{whose}; "
            "in --json, `fault` of each session says why."
        )
    if findings.unreadable:
        yield f"Places that hold sessions and cannot be read: {findings.unreadable:,} (`unreadable` in --json)."
    yield from _of_prices(good)
    if good:
        yield (
            "Cost: what providers counted, at list prices; a subscription is billed otherwise. A policy's cost: "
            "that, times its closed-loop cost as a share of the host's alone. Kept: of what replies repeat of the "
            "old conversation, the share that the list had; 1 is all of it."
        )
    if 0 < findings.rows[-1].priced < LEAST_SESSIONS:
        yield f"Fewer than {LEAST_SESSIONS} sessions have no interval."


def _of_prices(good: Sequence[MeasuredSession]) -> Iterator[str]:
    priced = [one for one in good if one.dollars is not None]
    if without := Counter(one.model for one in good if one.dollars is None):
        yield f"Without a known price, so without a cost: {_sessions(without.total())} ({_names(without)})."
    guessed = Counter(f"{one.model} as {one.priced_as}" for one in priced if not one.is_known)
    if guessed:
        yield f"By the prices of the nearest model of the family: {_sessions(guessed.total())} ({_names(guessed)})."
    if uncounted := sum(not one.is_counted for one in priced):
        yield f"Cost by the list alone, for its provider's count was not recorded: {_sessions(uncounted)}."


def _sessions(count: int) -> str:
    return f"{count:,} session{'' if count == 1 else 's'}"


def _names(counts: Counter[str]) -> str:
    names = [name for name, _ in counts.most_common(NAMED_MODELS)]
    more = len(counts) - len(names)
    return ", ".join(names) + (f", and {more} more" if more else "")


def html(findings: Findings) -> str:
    """The page."""
    shown = table(findings)
    body = f"<h1>{escaped(TITLE)}</h1><p><b>{escaped(findings.said)}</b></p>"
    body += _picture(findings.rows[-1])
    body += page.text_table(shown.title.capitalize(), shown.heads, shown.rows)
    return page.document(TITLE, body + "".join(map(page.soft, notes(findings))))


def _picture(row: LengthSum) -> str:
    """Cost against kept over all sessions: the policies, the agents alone, and the floor."""
    alone = PolicyPoint(BASE, row.sessions, 1.0, _ratio(row.alone_kept))
    points = [
        PolicyPoint(name, row.sessions, policy.share, _ratio(policy.kept), KEEP[name])
        for name, policy in row.policies.items()
    ]
    return page.points_drawing([alone, *points], row.floor, cost="closed")


def _ratio(share: float | None) -> Ratio:
    return Ratio(0, 0) if share is None else Ratio(round(SHARE_OF * share), SHARE_OF)
