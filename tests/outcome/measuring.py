"""Turns a recorded session and a policy into what the policy comes to there: cost and what was still in view.

1. Driven as `ctxmgr replay` drives a spawned process, over a connection in this process: the same host, the same
   calls, the same compactions. The vocabulary is there from the first call on.
2. Cost is a share of what the host pays alone (preset `off`) at the same window, with a cache that is never cold.
3. A text is weighed once for all runs: weights do not depend on what is tried.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.devices import tokens
from ctxmgr.formats import pi
from ctxmgr.session.reading import Reader
from ctxmgr.study.driving import session as drive_session
from ctxmgr.study.driving.host_side import ReplayHost
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.figures.measures import measure
from ctxmgr.study.metrics.billing import PriceSheet
from ctxmgr.study.metrics.message_cache import MessageCache
from ctxmgr.study.metrics.ratio import Ratio
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording
from ctxmgr.study.spawning.client import RpcFailure
from ctxmgr.study.spawning.inprocess import Driver

SESSIONS = Path(__file__).parents[1] / "sessions"
NAMES = ("greenhouse", "ledger", "allotment")
POLICY = {"preset": "balanced"}
VOCABULARY = "o200k_base"

Figures = Mapping[str, float]
Run = tuple[str, int]  # session, window in tokens
RUNS: tuple[Run, ...] = tuple((name, window) for window in (64_000, 200_000) for name in NAMES)
WEIGHTS: dict[str, int] = {}  # rule 3

_encode = msgspec.json.Encoder().encode


class Came(msgspec.Struct):
    id: Any = None
    method: str = ""
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None


class Connected:
    """A connection in this process, as `ReplayHost` asks it. Requests of the server's own are refused."""

    def __init__(self) -> None:
        self.driver = Driver(weighers={VOCABULARY: weigher()}, fallback=VOCABULARY)
        self.asked = 0

    def request_raw(self, method: str, params: bytes) -> bytes:
        self.asked += 1
        body = b'{"jsonrpc":"2.0","id":%d,"method":%b,"params":%b}' % (self.asked, _encode(method), params)
        for raw in self.driver.receive(body):
            came = msgspec.json.decode(raw, type=Came)
            if came.method or came.id != self.asked:
                continue
            if came.error is not None:
                raise RpcFailure(came.error["code"], came.error["message"])
            return bytes(came.result)
        raise AssertionError(f"{method} was not answered")


@cache
def weigher() -> Callable[[str], int]:
    """The vocabulary, with a memory of what it has weighed; loaded with the first text that is new."""
    vocabulary = cache(lambda: tokens.load(VOCABULARY).weigher)

    def remembered(text: str) -> int:
        found = WEIGHTS.get(text)
        if found is None:
            found = WEIGHTS[text] = vocabulary()(text)
        return found

    return remembered


@cache
def ground() -> MessageCache:
    return MessageCache(Reader(pi, weigher(), VOCABULARY))


@cache
def recording(name: str) -> Recording:
    found = readers.read(readers.source(SESSIONS / f"{name}.jsonl"))
    assert isinstance(found, Recording)
    return found


def drive(name: str, window: int, policy: Mapping[str, Any]) -> ReplayResult:
    """One session. A fault of ctxmgr ends on the outcome's list of failures."""
    recorded, options = recording(name), ReplayOptions(append=True, measure=True)
    outcome = ReplayResult(name, str(policy.get("preset", "default")), window)
    side = ReplayHost(Connected(), recorded.session_id, outcome, append=True, measure=True)  # type: ignore[arg-type]
    begin = {
        "protocolVersion": "1.0",
        "capabilities": {"requestCompaction": "whenIdle", "edits": True},
        "messageFormat": recorded.format,
        "policy": dict(policy),
    }
    side.client.request_raw("initialize", _encode(begin))
    side.ask("session_start", {"model": {"id": recorded.model, "contextWindow": window}, "cwd": recorded.cwd})
    drive_session.run(side, recorded, options, window, lambda: None)
    outcome.fingerprint = side.hash.hexdigest()
    return outcome


@cache
def alone(name: str, window: int) -> float:
    """What the host pays without pruning, in dollars."""
    return measure(drive(name, window, {"preset": "off"}).observations, ground(), PriceSheet()).bill.warm


def figures(run: Run) -> Figures:
    """Of one session at one window under `POLICY`."""
    return measured(run, drive(*run, POLICY))


def measured(run: Run, outcome: ReplayResult) -> Figures:
    """Shares from 0 to 1, `cost` of the host's. A measure that is added here is held and tried like the others: it
    needs margins in `test_outcome`, and `scripts/sensitivity` counts what moves it."""
    assert outcome.failures == [], outcome.failures[:3]
    found = measure(outcome.observations, ground(), PriceSheet())
    return {
        "cost": found.bill.warm / alone(*run),
        "recall": part(found.recall.overall),
        "far": part(found.recall.far),
        "place": part(found.recall.in_place),
        "ground": part(found.lines),
    }


def means(some: Sequence[Figures]) -> Figures:
    return {name: sum(one[name] for one in some) / len(some) for name in some[0]}


def part(share: Ratio) -> float:
    """Where nothing was asked for nothing is missed."""
    return 1.0 if share.share is None else share.share
