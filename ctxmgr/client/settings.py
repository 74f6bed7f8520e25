"""What a program tells its client: where the sidecar runs, what the program does for it, how long is waited."""

import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from ctxmgr import isolation
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model.api import TelemetryEvent
from ctxmgr.model.api.compaction import CompleteParams, CompleteResult
from ctxmgr.model.api.lifecycle import RequestCompactionParams

OnRequestCompaction = Callable[[RequestCompactionParams], bool | Awaitable[bool]]
OnComplete = Callable[[CompleteParams], CompleteResult | Awaitable[CompleteResult]]
OnTelemetry = Callable[[TelemetryEvent], None]
OnEmbed = Callable[[Sequence[str]], list[list[float]] | Awaitable[list[list[float]]]]


class SpawnedSidecar(msgspec.Struct, frozen=True):
    """A process of its own. `command` is the whole of it (default: this Python's `ctxmgr serve`). The rest is as
    `subprocess.Popen` has it, except that standard error goes nowhere by default, for it may be the user's screen:
    its last line is kept, to report why the process ended. `state_dir`: where snapshots go; default: the user's
    state directory.

    It imports nothing of the project in which it is started. Of variables that begin with PYTHON only PYTHONPATH is
    handed on, less its folders that are relative or in the project, and PYTHONSAFEPATH is set."""

    command: Sequence[str] = msgspec.field(default_factory=lambda: isolation.command("serve"))
    state_dir: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stderr: Any = subprocess.DEVNULL


class InProcessSidecar(msgspec.Struct, frozen=True):
    """The same server in this process, on the client's loop: no process to spawn, and none to lose. `say` gets what
    it has to tell people, a line at a time, without conversation."""

    state_dir: str | None = None
    say: Callable[[str], None] = lambda line: None


class Host(msgspec.Struct, frozen=True):
    """What the program does for ctxmgr; what is given is declared. A coroutine function runs on the client's loop,
    another callable in a thread, so that it may call the client.

    `on_request_compaction`: accepted means queued; it is called for commands in `turn_end`'s answer too.
    `on_complete_on_context`, beside `on_complete`: its params have an `instruction` in the place of a prompt, which
    goes to the end of the program's last request and what came since, system prompt and tools as they were.
    `retrieve`: the model has a tool that calls `retrieve`. `archive`: what leaves is archived without one, too.
    `deliver`: when a compaction may run; None: none is asked for.
    `on_trouble` is told once when something goes wrong, `on_recovery` once when lists are answered again; both must
    return at once. `on_telemetry` is told what happens in its sessions, in numbers, and must return at once, too;
    what it raises is passed over.
    """

    on_request_compaction: OnRequestCompaction | None = None
    on_complete: OnComplete | None = None
    on_complete_on_context: OnComplete | None = None
    on_embed: OnEmbed | None = None
    on_trouble: Callable[[SidecarFault], None] | None = None
    on_recovery: Callable[[], None] | None = None
    on_telemetry: OnTelemetry | None = None
    retrieve: bool = False
    archive: bool = False
    deliver: Literal["whenIdle", "midRun"] | None = "whenIdle"
    name: str = "ctxmgr-client"


class RestartLimits(msgspec.Struct, frozen=True):
    """After `first_delay_ms`, doubled each time up to `longest_delay_ms`; given up after `limit` restarts within
    `within_ms`."""

    limit: int = 5
    within_ms: float = 300_000
    first_delay_ms: float = 250
    longest_delay_ms: float = 10_000


def _now_ms() -> float:
    return time.time() * 1000


class Timing(msgspec.Struct, frozen=True):
    """How long is waited, in milliseconds. `timeouts_ms` by method, over the usual ones: `context` 2,000,
    `initialize` and `session_start` 10,000; what may wait for a model its `deadlineMs` and 5,000, or 300,000; all
    others 5,000. `session_ms`: most of `session`, what is not done by then goes on. `hang_ms`: a process that has
    written nothing for so long after a late call is replaced; until it writes, no list and no event waits for it.
    `probe_ms`: so often one that lets a long call wait is asked whether it lives.
    `end_ms`: for the process to end before it is killed. `now_ms`: milliseconds since 1970."""

    timeouts_ms: Mapping[str, float] = {}
    session_ms: float = 5_000
    hang_ms: float = 15_000
    probe_ms: float = 5_000
    end_ms: float = 3_000
    restarts: RestartLimits = RestartLimits()
    now_ms: Callable[[], float] = _now_ms


SHORT_MS = 5_000
LONG_MS = 300_000  # a model writes
AFTER_DEADLINE_MS = 5_000  # ctxmgr answers at its deadline; what it makes do with then takes a moment
USUAL_MS = {
    "context": 2_000,  # a person waits for it; megabytes take some 30 ms
    "initialize": 10_000,  # an interpreter starts
    "session_start": 10_000,  # a snapshot and a tree are read
}
# may wait for a model, and hold nothing up: their lateness says nothing about the process
LONG = frozenset({"session_before_compact", "session_before_tree", "planCompaction", "compact", "summarizeBranch"})


def bound_ms(timing: Timing, method: str, deadline_ms: float | None = None) -> float:
    """How long an answer may take."""
    given = timing.timeouts_ms.get(method)
    if given is not None:
        return given
    if method not in LONG:
        return USUAL_MS.get(method, SHORT_MS)
    return deadline_ms + AFTER_DEADLINE_MS if deadline_ms is not None else LONG_MS
