"""The configuration of a connection, which its sessions use, and decoded calls.

It is separate from `sessions.py` so that a start does not load the engine, which is loaded with the first session.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ctxmgr import __version__
from ctxmgr.formats import AUTO, FIRST_NAMES, FORMATS, checked_name, format_of
from ctxmgr.model import DeclaredTools, Preset, WeighAll, check_tools, invalid_params, policy_keys
from ctxmgr.model.api import lifecycle, since
from ctxmgr.wire import StrippedMessages

if TYPE_CHECKING:  # not loaded at a start
    from ctxmgr.formats import MessageFormat
    from ctxmgr.known_models import Registry
    from ctxmgr.session import Embedding

ClockMs = Callable[[], float]

PRESETS: tuple[str, ...] = Preset.__args__  # type: ignore[attr-defined]


def now_ms() -> float:
    """Milliseconds since an arbitrary moment."""
    return 1_000 * time.perf_counter()


class Setup(msgspec.Struct, frozen=True):
    """`record`: the file of the transcript. `preload`: a vocabulary to load before the first message.
    `max_message_bytes`: in bytes. `models`: model facts that replace the built-in ones. `store`: the address of a
    store that sessions are also saved to, at most `store_delay_ms` later. It holds each session for
    `store_lease_ms` (None: the default of the store).
    """

    state_dir: str | None = None
    record: str | None = None
    preload: str | None = None
    max_message_bytes: int = 64 << 20
    models: Any = None  # a Registry, whose module is not loaded at a start
    store: str | None = None
    store_delay_ms: int | None = None
    store_lease_ms: int | None = None


class ConnectionConfig(msgspec.Struct, frozen=True):
    """The configuration of a connection, as `initialize` sets it.

    `record`: write a transcript. `state_dir`: used if the host names none. `max_message_bytes`: in bytes. `models`:
    model facts that replace the built-in ones. `stores`: sessions are also saved to a store. `clock_ms`:
    milliseconds since an arbitrary moment, only to measure how long a call took. `weighers`: the vocabularies that
    are loaded at the start, by name. `embed` returns vectors of texts, or None. `format_name`: the message format.
    `version`: of the protocol. `keys`: policy keys of all sessions. `tools`: tools that the host declared.
    """

    record: bool = False
    state_dir: str | None = None
    max_message_bytes: int = 64 << 20
    models: "Registry | None" = None
    stores: bool = False
    clock_ms: ClockMs | None = None
    weighers: Mapping[str, WeighAll] = {}
    embed: "Embedding | None" = None
    format_name: str = "pi"
    keys: dict[str, Any] = {}
    capabilities: lifecycle.HostCapabilities = lifecycle.HostCapabilities()
    version: str = since.PROTOCOL_VERSION
    tools: DeclaredTools = ()

    @property
    def fmt(self) -> "MessageFormat":
        """The message format, loaded with the first session."""
        return format_of(self.format_name, "$.messageFormat")


class SessionRequest(msgspec.Struct, frozen=True):
    """A decoded call about one session. `omitted_count`: messages that were removed from its list.
    `surrogate_count`: surrogates that were repaired.
    """

    method: str
    params: Any
    wants_answer: bool
    omitted_count: int = 0
    surrogate_count: int = 0


class IncomingCall(msgspec.Struct, frozen=True):
    """A request or notification as the handlers get it. `surrogate_count`: unpaired surrogates in it that were
    repaired.
    """

    params: bytes | msgspec.Raw | None
    request: bool
    stripped: StrippedMessages = StrippedMessages()
    surrogate_count: int = 0


def settled(
    params: lifecycle.InitializeParams, terms: ConnectionConfig
) -> tuple[ConnectionConfig, lifecycle.InitializeResult]:
    """The configuration after `initialize`, and the answer to it. Raises InvalidParams."""
    version = since.agreed(params.protocol_version)
    if version is None:
        raise invalid_params(f"this server speaks {since.PROTOCOL_VERSION}", "$.protocolVersion")
    format_name = checked_name(params.message_format or "pi", "$.messageFormat")
    keys = params.policy or {}
    with policy_keys.refused_as_params():
        policy = policy_keys.policy(keys)
    check_tools(params.tools or (), "$.tools")
    agreed = msgspec.structs.replace(
        terms,
        format_name=format_name,
        version=version,
        keys=keys,
        capabilities=params.capabilities or lifecycle.HostCapabilities(),
        state_dir=params.state_dir or terms.state_dir,
        tools=params.tools or (),
    )
    formats = FIRST_NAMES if version == since.FIRST_VERSION else (*FORMATS, AUTO)
    result = lifecycle.InitializeResult(
        version,
        lifecycle.ServerInfo("ctxmgr", __version__),
        lifecycle.ServerCapabilities(formats, PRESETS),
        policy,
    )
    return agreed, result
