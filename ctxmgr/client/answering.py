"""Builds the params of `initialize` from a program's options, and answers ctxmgr's requests with its callbacks."""

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from ctxmgr.client.channel import Answering, Hearing
from ctxmgr.client.settings import Host
from ctxmgr.model import Policy, policy_keys
from ctxmgr.model.api import GivenTools, TelemetryEvent, compaction, lifecycle, since, tools_of

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
