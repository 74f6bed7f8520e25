"""Whatever system call fails while an effect is carried out: each request is answered, other sessions go on, and
what was answered is known to the next life, or was said not to be.

As SQLite's tests do: a run without faults counts the calls that effects of a kind make, and for each n that is
tried there are runs in which the n-th fails, and some in which all fail from then on. `scripts/test --all` tries
the first and the last n of each line of ctxmgr that calls, and every tenth; `scripts/test` a few of some kinds.
"""

import os
import shutil
import tempfile
import typing
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ctxmgr.devices import weighing
from ctxmgr.devices.snapshots import file
from ctxmgr.server import effects as do
from ctxmgr.server import runtime
from tests.unit.devices import weighing_stand_in
from tests.unit.server.faults.conversation import Host, Talk
from tests.unit.server.faults.system import System, ends, faults, install
from tests.unit.server.host import MODEL, a

NONE = ("/no/such/program",)  # that weighs: it would cost each life its start
KINDS = typing.get_args(do.Effect)
MEMORY = "/dev/shm"
# the archive is at fault; the host has cancelled, or the job's work failed
MAY_FAIL = {"retrieve", "search", "compact"}
EACH_PLACE = 10  # the stride with which the ends of each place are tried, too
OFTEN = [
    (do.Send, 30),
    (do.Save, 40),
    (do.PutRows, 40),
    (do.Open, 40),
]  # with their strides
AT_THE_END = 2  # calls that a life may need less than the counted one, by which thread was first
CALLS_AT_LEAST = {
    do.Send: 20, do.Record: 40, do.Save: 26, do.Open: 20, do.Close: 5, do.Rest: 8, do.PutRows: 30,
    do.GetRow: 3, do.FindRows: 1, do.Flush: 2, do.RunInThread: 2, do.WeighTexts: 2, do.StartTimer: 1,
    do.Complete: 3, do.Abandon: 1, do.LoadWeigher: 8, do.WatchProcess: 2, do.Log: 1, do.End: 1,
}  # fmt: skip


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No power fails and no host ends here, and certificates are read once; on a disk in memory if there is one."""
    context = httpx.create_ssl_context()
    monkeypatch.setattr(httpx, "create_ssl_context", lambda **_: context)
    monkeypatch.setattr(runtime, "WATCH_SECONDS", 3_600.0)
    monkeypatch.setattr(file, "GROWN_BYTES", 64 << 10)  # what is said grows a file by more
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda descriptor: None)
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as directory:
        yield Path(directory)


async def lived(directory: Path, system: System) -> Talk:
    """A life with this layer under it, which is mended towards its end."""
    with pytest.MonkeyPatch.context() as patch:
        weighs = system.target in (do.LoadWeigher, do.WeighTexts)
        patch.setattr(weighing, "COMMAND", weighing_stand_in.command() if weighs else NONE)
        install(system, patch)
        record = None if system.target is do.Rest else directory / "record"
        store = directory / "store" if system.target is do.Flush else None
        host = Host(directory / "state", record, store)
        talk = Talk(host, directory)
        await talk.all()
        if system.target not in (do.End, do.Send):
            system.mend()
            await talk.ask("turn_end", sessionId="s", message=a("done"))
        code = await talk.leave()
        assert code == (0 if system.target is not do.Send or not system.failed else 1)
    return talk


async def known(directory: Path) -> int:
    """What the next life knows, in events."""
    host = Host(directory / "state")
    await host.ready(policy={"tokenizer": "estimate"})
    started = (await host.ask("session_start", sessionId="s", model=MODEL))["result"]
    assert started["status"]["notes"] == []
    host.runtime.end(0)
    await host.end()
    return int(started["seq"])


async def check(directory: Path, system: System) -> None:
    os.mkdir(directory)
    talk = await lived(directory, system)
    assert {method for method, _ in talk.failed} <= MAY_FAIL, talk.failed
    seq = await known(directory)
    assert seq == talk.seq or (system.target is do.Send and seq > talk.seq)
    shutil.rmtree(directory)


# httpx leaves its socket to the collector where an import fails while it closes
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("kind", "stride"), [*OFTEN, *(pytest.param(kind, EACH_PLACE, marks=pytest.mark.long) for kind in KINDS)]
)
async def test_a_fault_at_each_call_of_an_effect(kind: type, stride: int, state: Path) -> None:
    for life in ("a first life loads what is imported once", "counted"):
        counted = System(kind)
        await check(state / life, counted)
        assert kind in counted.seen
    assert len(counted.made) >= CALLS_AT_LEAST[kind], counted.made
    hit, reached = [], set()
    tried = {*range(1, len(counted.made) + 1, stride), *(ends(counted.made) if stride == EACH_PLACE else ())}
    for number in sorted(tried):
        for fault in faults(number):
            system = System(kind, number, fault)
            try:
                await check(state / f"{number}", system)
            except BaseException as wrong:
                wrong.add_note(
                    f"{fault.name} at call {number} of {kind.__name__}: {system.made[number - 1 : number]}"
                )
                raise
            hit += [number] * system.failed
            reached |= (
                {number} if len(system.made) >= number else set()
            )  # threads may need a call less than counted
    every = len(counted.made) - AT_THE_END  # which thread is first decides whether there are more
    assert set(hit) == reached >= {number for number in tried if number <= every}, counted.made


def test_each_kind_of_effect_has_a_row() -> None:
    assert set(CALLS_AT_LEAST) == set(KINDS)
