"""The options of a client: where the sidecar runs, what the program does for it (its `Host`), and the time-outs.
From a host come the params of `initialize`, and its callbacks answer ctxmgr's requests.
"""

import asyncio
import contextlib
import inspect
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from ctxmgr import isolation
from ctxmgr.client.channel import Answering, Hearing
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model import Policy, policy_keys
from ctxmgr.model.api import GivenTools, TelemetryEvent, compaction, lifecycle, since, tools_of
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


_encode = msgspec.json.Encoder().encode


def greeting(
    host: Host,
    policy: Policy | Mapping[str, Any] | None,
    format: str,
    state_dir: str | None,
    tools: GivenTools | None = None,
) -> lifecycle.InitializeParams:
    """Declares what has a callback. The caller adds its process id if the sidecar is another process. Raises
    InvalidParams if `policy` or `tools` are invalid. Formats are not checked: a sidecar may know more of them
    than its client."""
    capabilities = lifecycle.HostCapabilities(
        request_compaction=host.deliver or False,
        complete=host.on_complete is not None,
        complete_on_context=(host.on_complete is not None and host.on_complete_on_context is not None) or None,
        embed=host.on_embed is not None,
        retrieve=host.retrieve,
        archive=host.archive or None,
        edits=True,
        telemetry=True if host.on_telemetry is not None else None,
    )
    return lifecycle.InitializeParams(
        since.PROTOCOL_VERSION,
        lifecycle.ClientInfo(host.name),
        capabilities,
        format,
        policy_keys.checked_keys(policy),
        state_dir,
        tools=None if tools is None else tools_of(tools),
    )


def answering(host: Host) -> Answering:
    """The callbacks by the method that they answer."""

    async def compact(params: bytes) -> bytes:
        wanted = msgspec.json.decode(params, type=lifecycle.RequestCompactionParams)
        return _encode(await requested(host, wanted))

    async def complete(params: bytes) -> bytes:
        wanted = msgspec.json.decode(params, type=compaction.CompleteParams)
        on_context = wanted.instruction is not None
        return _encode(await _called(host.on_complete_on_context if on_context else host.on_complete, wanted))

    async def embed(params: bytes) -> bytes:
        wanted = msgspec.json.decode(params, type=compaction.EmbedParams)
        return _encode(compaction.EmbedResult(await _called(host.on_embed, wanted.texts)))

    given: dict[str, Callable[[bytes], Awaitable[bytes]]] = {"requestCompaction": compact}
    if host.on_complete is not None:
        given["complete"] = complete
    if host.on_embed is not None:
        given["embed"] = embed
    return given


def hearing(host: Host) -> Hearing:
    """The callbacks by the notification that they receive. Exceptions they raise are ignored: no list waits for
    them."""
    heard = host.on_telemetry
    if heard is None:
        return {}

    def event(params: bytes) -> None:
        with contextlib.suppress(Exception):
            heard(msgspec.json.decode(params, type=TelemetryEvent))

    return {"telemetry/event": event}


async def requested(host: Host, wanted: lifecycle.RequestCompactionParams) -> lifecycle.RequestCompactionResult:
    """A callback that raises rejects the request."""
    if host.on_request_compaction is None:
        return lifecycle.RequestCompactionResult(False, "the host takes no requests")
    try:
        accepted = await _called(host.on_request_compaction, wanted)
    except Exception:  # noqa: BLE001  the program's own
        return lifecycle.RequestCompactionResult(False, "the host's callback failed")
    return lifecycle.RequestCompactionResult(bool(accepted))


async def _called(callback: Callable[[Any], Any] | None, value: Any) -> Any:
    """Runs a coroutine function on the loop, any other callable in a thread."""
    assert callback is not None
    if inspect.iscoroutinefunction(callback):
        return await callback(value)
    result = await asyncio.to_thread(callback, value)
    return await result if inspect.isawaitable(result) else result
