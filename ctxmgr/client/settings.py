"""The options of a client: where the sidecar runs, what the program does for it, and the time-outs."""

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
    """A process of its own. `command` is the whole command (default: `ctxmgr serve` with this Python). `cwd`,
    `env` and `stderr` are those of `subprocess.Popen`. By default, standard error is not shown, because it may
    be the user's screen; its last line is kept to report why the process ended. `state_dir`: where sessions are
    saved (default: the user's state directory).

    The sidecar imports nothing from the project in which it starts. Of the variables that begin with PYTHON it
    gets only PYTHONPATH, without folders that are relative or in the project. PYTHONSAFEPATH is set.
    """

    command: Sequence[str] = msgspec.field(default_factory=lambda: isolation.command("serve"))
    state_dir: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stderr: Any = subprocess.DEVNULL


class InProcessSidecar(msgspec.Struct, frozen=True):
    """Runs the server in this process, on the loop of the client. There is no process to spawn or to lose. `say`
    gets each message for people, one line at a time, without conversation text."""

    state_dir: str | None = None
    say: Callable[[str], None] = lambda line: None


class Host(msgspec.Struct, frozen=True):
    """What the program does for ctxmgr. Each callback that is given is declared as a capability. A coroutine
    function runs on the loop of the client, any other callable in a thread, so that it may call the client.

    `on_request_compaction`: returning True means that the compaction is queued. It gets every request to compact;
    the answer of `turn_end` then has none. `on_complete_on_context` needs `on_complete` too: its params have an
    `instruction` instead of a prompt. Append it to the program's last request and the messages since, with the
    same system prompt and tools. `retrieve`: the model has a tool that calls `retrieve`. `archive`: archive what
    is removed even without such a tool. `deliver`: when a compaction may run; None: never request one.
    `on_trouble` is called once when something goes wrong, `on_recovery` once when lists are answered again.
    `on_telemetry` gets numbers about each session; exceptions it raises are ignored. These three must return at
    once.
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
    """The first delay is `first_delay_ms`. It doubles each time, up to `longest_delay_ms`. The client gives up
    after `limit` restarts within `within_ms`."""

    limit: int = 5
    within_ms: float = 300_000
    first_delay_ms: float = 250
    longest_delay_ms: float = 10_000


def _now_ms() -> float:
    return time.time() * 1000


class Timing(msgspec.Struct, frozen=True):
    """Time-outs, in milliseconds. `timeouts_ms` overrides them by method. The defaults are: `context` 2,000;
    `initialize` and `session_start` 10,000; calls that may wait for a model their `deadlineMs` plus 5,000, or
    300,000; all others 5,000.

    `session_ms`: most that `session` waits; the rest continues in the background. `hang_ms`: a process that writes
    nothing for so long after a late call is replaced; until it writes, no list and no event waits for it.
    `probe_ms`: how often a process that works on a long call is probed. `end_ms`: how long the process may take to
    end before it is killed. `now_ms`: milliseconds since 1970.
    """

    timeouts_ms: Mapping[str, float] = {}
    session_ms: float = 5_000
    hang_ms: float = 15_000
    probe_ms: float = 5_000
    end_ms: float = 3_000
    restarts: RestartLimits = RestartLimits()
    now_ms: Callable[[], float] = _now_ms


SHORT_MS = 5_000
LONG_MS = 300_000  # a model writes the answer
AFTER_DEADLINE_MS = 5_000  # ctxmgr answers at its deadline; preparing an answer without the model takes a moment
USUAL_MS = {
    "context": 2_000,  # a person waits for it; megabytes take about 30 ms
    "initialize": 10_000,  # starts an interpreter
    "session_start": 10_000,  # reads a snapshot and a tree
}
# may wait for a model, and block nothing: a late answer says nothing about the process
LONG = frozenset({"session_before_compact", "session_before_tree", "planCompaction", "compact", "summarizeBranch"})


def bound_ms(timing: Timing, method: str, deadline_ms: float | None = None) -> float:
    """How long to wait for an answer, in milliseconds."""
    given = timing.timeouts_ms.get(method)
    if given is not None:
        return given
    if method not in LONG:
        return USUAL_MS.get(method, SHORT_MS)
    return deadline_ms + AFTER_DEADLINE_MS if deadline_ms is not None else LONG_MS
