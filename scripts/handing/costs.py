"""What sessions in a bucket cost by a price list. Requests are counted in one session at a person's pace, on a
store that is a folder, and then multiplied.

    python -m scripts.handing.costs

Each turn is one batch: the script waits until it is in the store. Then the session ends, and another machine starts
and ends it. Renewals are calculated: one in each pause that is longer than a third of the lease. Shows a session
without originals, and one where nearly each turn removes some.
"""

import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from scripts.handing.counting import request_totals
from scripts.handing.latency import LONG, started, turn

SESSIONS = 1_000_000  # per month
TURNS = 100
DOLLARS = {"PUT": 5e-6, "LIST": 5e-6, "GET": 4e-7, "DELETE": 0.0}  # per request, S3 Standard, us-east-1
DOLLARS_A_GB = 0.023  # per month
GIGABYTE = 1e9


def dollars(requests: Counter[str]) -> float:
    return SESSIONS * sum(DOLLARS[name] * count for name, count in requests.items())


def costs(folder: Path, turns: int, originals: bool = False) -> list[tuple[str, str, float]]:
    """What is billed, how much of it a session uses, and dollars for SESSIONS sessions a month. `originals`:
    removed content is archived, and preset `turns` removes it as soon as it is old.
    """
    log, later = folder / "asked.log", folder / "later.log"
    store = ("--store", (folder / "store").as_uri())
    here, chance = started(folder / "here", *store, log=log, archive=originals), Random(1)
    messages: list[Any] = []
    if originals:
        here.ask("setPolicy", sessionId="s", policy={"preset": "turns"})
    here.ask("getStatus", sessionId="s", flush=True)
    begun = request_totals(log).requests
    for number in range(turns):
        messages.append({"role": "user", "content": f"Do step {number}. {LONG[: chance.randrange(len(LONG))]}"})
        turn(here, messages[-40:], number)
        here.ask("getStatus", sessionId="s", flush=True)
    worked = request_totals(log).requests - begun
    here.ask("session_shutdown", sessionId="s")
    ended = request_totals(log).requests - begun - worked
    here.kill()
    kept = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
    elsewhere = started(folder / "elsewhere", *store, log=later, archive=originals)
    elsewhere.ask("session_shutdown", sessionId="s")
    elsewhere.kill()
    renewals, moved = Counter({"PUT": turns}), request_totals(later).requests
    return [
        (f"{turns} turns", _request_text(worked), dollars(worked)),
        ("a renewal in each pause", _request_text(renewals), dollars(renewals)),
        ("start", _request_text(begun), dollars(begun)),
        ("end", _request_text(ended), dollars(ended)),
        ("started elsewhere, and ended", _request_text(moved), dollars(moved)),
        ("kept for a month", f"{kept / 1000:.0f} kB", SESSIONS * kept / GIGABYTE * DOLLARS_A_GB),
    ]


def _request_text(requests: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(requests.items()))


if __name__ == "__main__":
    for originals in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            rows = costs(Path(folder), TURNS, originals)
        print("originals leave with each turn" if originals else "without originals")
        for what, much, price in [*rows, ("all", "", sum(row[2] for row in rows))]:
            print(f"  {what:32} {much:44} ${price:,.2f}")
