"""Turns a recorded session and a preset into what the preset comes to there: cost, closed cost, what was still in
view, and how many of the memory probes its lists answer.

1. Driven as `ctxmgr replay` drives a spawned process, over a connection in this process: the same hosts, the same
   calls, the same compactions.
2. Costs are shares of what the host pays alone (preset `off`) at the same window: `cost` with a cache that is never
   cold, `billed` with the overhead of each call, `closed` with what the model fetches again, too.
3. A text is weighed once for all runs, and probes are made once for a session: neither depends on what is tried.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ctxmgr.closed_loop import MessageCache, PriceSheet
from ctxmgr.devices import tokens
from ctxmgr.formats import pi
from ctxmgr.session.reading import Reader
from ctxmgr.study.driving.drive import run as run_session
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.figures import Measures
from ctxmgr.study.figures.closed_cost import closed_loop
from ctxmgr.study.figures.cost import of_session
from ctxmgr.study.figures.table import METRICS
from ctxmgr.study.probes.evidence import EvidenceIndex
from ctxmgr.study.probes.figures import ProjectedLists, Scores, answers, scores
from ctxmgr.study.probes.kinds import Examined, examined
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording
from ctxmgr.study.replay.command import MODELLED, RECORDED, HostModel
from ctxmgr.study.spawning import Driver, RpcFailure
from tests.legality.pi import JudgedHost

SESSIONS = Path(__file__).parents[1] / "sessions"
NAMES = ("greenhouse", "ledger", "allotment")
VOCABULARY = "o200k_base"
MODELS = {MODELLED: HostModel(), RECORDED: HostModel(modelled=False, stays_warm=False)}


class Run(NamedTuple):
    """`window` in tokens; `host` as `ctxmgr replay --host` names them."""

    session: str
    window: int
    preset: str = "balanced"
    host: str = MODELLED

    @property
    def label(self) -> str:
        return f"{self.session} {self.window} {self.preset} {self.host}"

    @property
    def seldom(self) -> bool:
        """Where a change shows that no other run shows, it is small: measured by the long tests."""
        return self.window == 40_000 or self.host == RECORDED


Figures = Mapping[str, float]
KINDS = (
    (64_000, "balanced", MODELLED),
    (200_000, "balanced", MODELLED),
    (64_000, "balanced", RECORDED),
    (40_000, "balanced", MODELLED),
    (64_000, "turns", MODELLED),
)
RUNS: tuple[Run, ...] = tuple(Run(name, *kind) for kind in KINDS for name in NAMES)
WEIGHTS: dict[str, int] = {}  # rule 3

_encode = msgspec.json.Encoder().encode


class Came(msgspec.Struct):
    id: Any = None
    method: str = ""
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None


class Connected:
    """A connection in this process, as a driven host asks it. Requests of the server's own are refused."""

    def __init__(self) -> None:
        self.driver = Driver(weighers={VOCABULARY: weigher()})
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
    return MessageCache(Reader(pi, weigher()))


@cache
def recording(name: str) -> Recording:
    found = readers.read(readers.source(SESSIONS / f"{name}.jsonl"))
    assert isinstance(found, Recording)
    return found


@cache
def questions(name: str, window: int) -> Examined:
    return examined(recording(name), window, ground().weight)


@cache
def drive(run: Run) -> ReplayResult:
    """One session, driven once for all tests. A fault of ctxmgr ends on the outcome's list of failures."""
    recorded, host = recording(run.session), MODELS[run.host]
    options = ReplayOptions(append=True, measure=True, host=host.limits(run.window), write=host.write())
    outcome = ReplayResult(run.session, run.preset, run.window)
    side = JudgedHost(Connected(), recorded.session_id, outcome, append=True, measure=True)
    begin = {
        "protocolVersion": "1.0",
        "capabilities": {"requestCompaction": "whenIdle", "edits": True},
        "messageFormat": recorded.format,
        "policy": {"preset": run.preset, **host.policy(PriceSheet().prices)},
    }
    side.client.request_raw("initialize", _encode(begin))
    model = {"id": recorded.model, "contextWindow": run.window}
    side.ask("session_start", {"model": model, "cwd": recorded.cwd})
    run_session(side, recorded, options, run.window, lambda: None)
    outcome.fingerprint = side.hash.hexdigest()
    return outcome


@cache
def alone(run: Run) -> tuple[float, float, float]:
    """What the host pays without pruning, in dollars: for its lists alone, billed, and closed loop."""
    seen = drive(run._replace(preset="off")).observations
    loop = closed_loop(seen, ground(), PriceSheet())
    calls = of_session(Measures(seen, ground(), PriceSheet()))
    return sum(call.warm for call in calls), loop.billed, loop.closed


def figures(run: Run) -> Figures:
    return measured(run, drive(run))


def measured(run: Run, outcome: ReplayResult) -> Figures:
    """Shares from 0 to 1, `cost` and `closed` of the host's; a kind of probe, as far as the session has any, of all
    that are asked. A measure that is added here needs margins in `test_outcome`."""
    assert outcome.failures == [], outcome.failures[:3]
    found = Measures(outcome.observations, ground(), PriceSheet())
    by_path = {metric.path: metric for metric in METRICS}
    lists, billed, closed = alone(run._replace(preset="off"))
    loop = closed_loop(outcome.observations, ground(), PriceSheet())
    asked = questions(run.session, run.window)
    index = EvidenceIndex(asked.names)
    return {
        "cost": sum(call.warm for call in of_session(found)) / lists,
        "billed": loop.billed / billed,
        "closed": loop.closed / closed,
        "recall": part(by_path["recall.overall"].plain(found, None)["share"]),
        "far": part(by_path["recall.far"].plain(found, None)["share"]),
        "place": part(by_path["recall.inPlace"].plain(found, None)["share"]),
        "ground": part(by_path["grounding"].plain(found, None)["share"]),
        **by_kind(scores(answers(asked, index, ProjectedLists(index, outcome.observations)))),
    }


def by_kind(found: Scores) -> Figures:
    return {f"probe {kind}": one.every.share for kind, one in found.kinds.items() if one.every.share is not None}


def means(some: Sequence[Figures]) -> Figures:
    """Of each figure over those that have it."""
    names = dict.fromkeys(name for one in some for name in one)
    having = {name: [one[name] for one in some if name in one] for name in names}
    return {name: sum(values) / len(values) for name, values in having.items()}


def part(share: float | None) -> float:
    """Where nothing was asked for nothing is missed."""
    return 1.0 if share is None else share
