"""What the store adds to the time of an answer: the same events with and without a store, in one run.

    python -m scripts.handing.latency [EVENTS [URL]]     400 events and a folder, by default

Two sidecars take turns, event by event, so that other load on the machine affects both.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from scripts.handing.over import MODEL, POLICY
from scripts.soaking.life import Life

EVENTS = 400
LONG = "A tool printed this line, which is as long as such lines are.\n" * 60


def started(state_dir: Path, *more: str) -> Life:
    sidecar = Life("ctxmgr", "serve", "--state-dir", str(state_dir), *more)
    sidecar.call("initialize", {"protocolVersion": "1.1", "policy": POLICY})
    sidecar.call("session_start", {"sessionId": "s", "model": MODEL})
    return sidecar


def turn(sidecar: Life, messages: list[Any], number: int) -> dict[str, float]:
    """Milliseconds of `context` and of `turn_end`."""
    took = {}
    message = {"role": "assistant", "content": [{"type": "text", "text": f"I decided to use module_{number}."}]}
    for method, params in (("context", {"messages": messages}), ("turn_end", {"message": message})):
        began = time.perf_counter()
        sidecar.call(method, {"sessionId": "s", **params})
        took[method] = (time.perf_counter() - began) * 1000
    return took


def measure(url: str | None, folder: Path, events: int) -> None:
    chance = Random(1)
    store = (folder / "store").as_uri() if url is None else url
    without, beside = started(folder / "a"), started(folder / "b", "--store", store)
    times: dict[tuple[str, str], list[float]] = {}
    messages: list[Any] = []
    for number in range(events):
        messages.append({"role": "user", "content": f"Do step {number}. {LONG[: chance.randrange(len(LONG))]}"})
        pair = [("without", without), ("with", beside)]
        chance.shuffle(pair)
        for name, sidecar in pair:
            for method, took in turn(sidecar, messages[-40:], number).items():
                times.setdefault((method, name), []).append(took)
    for (method, name), taken in sorted(times.items()):
        cuts = statistics.quantiles(taken, n=100)
        print(f"{method} {name}: p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms of {len(taken)} answers")
    for sidecar in (without, beside):
        sidecar.end("kill")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        given = sys.argv[1:]
        measure(given[1] if len(given) > 1 else None, Path(folder), int(given[0]) if given else EVENTS)
