"""What the store adds to the time of an answer, and which requests it gets: the same events with and without a
store, in one run.

    python -m scripts.handing.latency [EVENTS [URL]]     400 events and a folder, by default

Two sidecars take turns, event by event, so that other load on the machine affects both. `python -m
scripts.handing.costs` shows the cost in dollars.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from scripts.handing.counting import request_totals
from scripts.handing.sidecars import MODEL, Sidecar, spawned

EVENTS = 400
LONG = "A tool printed this line, which is as long as such lines are.\n" * 60


def started(state_dir: Path, *more: str, log: Path | None = None, **capabilities: Any) -> Sidecar:
    sidecar = spawned("--state-dir", str(state_dir), *more, log=log, **capabilities)
    sidecar.ask("session_start", sessionId="s", model=MODEL)
    return sidecar


def turn(sidecar: Sidecar, messages: list[Any], number: int) -> dict[str, float]:
    """Milliseconds of `context` and of `turn_end`."""
    took = {}
    message = {"role": "assistant", "content": [{"type": "text", "text": f"I decided to use module_{number}."}]}
    for method, params in (("context", {"messages": messages}), ("turn_end", {"message": message})):
        began = time.perf_counter()
        sidecar.ask(method, sessionId="s", **params)
        took[method] = (time.perf_counter() - began) * 1000
    return took


def measure(url: str | None, folder: Path, events: int) -> None:
    chance = Random(1)
    store = (folder / "store").as_uri() if url is None else url
    log = folder / "asked.log"
    without, beside = started(folder / "a"), started(folder / "b", "--store", store, log=log)
    began = time.perf_counter()
    times: dict[tuple[str, str], list[float]] = {}
    messages: list[Any] = []
    for number in range(events):
        messages.append({"role": "user", "content": f"Do step {number}. {LONG[: chance.randrange(len(LONG))]}"})
        pair = [("without", without), ("with", beside)]
        chance.shuffle(pair)
        for name, sidecar in pair:
            for method, took in turn(sidecar, messages[-40:], number).items():
                times.setdefault((method, name), []).append(took)
    status = beside.ask("getStatus", sessionId="s", flush=True)["result"]
    seconds, totals = time.perf_counter() - began, request_totals(log)
    for (method, name), taken in sorted(times.items()):
        cuts = statistics.quantiles(taken, n=100)
        print(f"{method} {name}: p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms of {len(taken)} answers")
    puts = totals.requests["PUT"]
    print(f"durable {status['durable']} of {status['seq']} after {seconds:.0f} s")
    print(
        f"{puts} PUTs of {totals.put_bytes / 1000:.0f} kB for {events} events: {puts / events:.2f} requests and "
        f"{totals.put_bytes / events:.0f} bytes an event"
    )
    for sidecar in (without, beside):
        sidecar.kill()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        given = sys.argv[1:]
        measure(given[1] if len(given) > 1 else None, Path(folder), int(given[0]) if given else EVENTS)
