"""The params and answers of what begins and ends: the connection, a session, the model it uses."""

from typing import Any, Literal

import msgspec

from ctxmgr.model.api.lifecycle.plain import Count, RawList, Window, Wire
from ctxmgr.model.policy import Policy


class ClientInfo(Wire, frozen=True):
    name: str
    version: str | None = None


class HostCapabilities(Wire, frozen=True):
    """What the host can do. Nothing is used that was not declared."""

    request_compaction: Literal["whenIdle", "midRun"] | bool | None = None
    complete: bool | None = None
    embed: bool | None = None
    retrieve: bool | None = None
    edits: bool | None = None


class InitializeParams(Wire, frozen=True):
    protocol_version: str
    client_info: ClientInfo | None = None
    capabilities: HostCapabilities | None = None
    message_format: str | None = None
    policy: dict[str, Any] | None = None
    state_dir: str | None = None
    process_id: int | None = None


class ServerInfo(Wire, frozen=True):
    name: str
    version: str


class ServerCapabilities(Wire, frozen=True, omit_defaults=False):
    """`messageFormats` that `initialize` may name, `presets` that a policy may, framings that are understood."""

    message_formats: tuple[str, ...]
    presets: tuple[str, ...]
    framings: tuple[str, ...] = ("content-length", "ndjson")
    append: bool = True
    edits: bool = True


class InitializeResult(Wire, frozen=True, omit_defaults=False):
    protocol_version: str
    server_info: ServerInfo
    capabilities: ServerCapabilities
    policy: Policy


class NoParams(Wire, frozen=True):
    pass


class CancelParams(Wire, frozen=True):
    id: msgspec.Raw


class SessionParams(Wire, frozen=True):
    session_id: str


class Prices(Wire, frozen=True):
    """Dollars per million tokens."""

    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None


class Model(Wire, frozen=True):
    """`contextWindow` in tokens, `cacheTtlMs` in milliseconds."""

    id: str
    context_window: Window
    provider: str | None = None
    max_output_tokens: Count | None = None
    prices: Prices | None = None
    cache_ttl_ms: Count | None = None


class SessionStartParams(Wire, frozen=True):
    session_id: str
    model: Model
    cwd: str | None = None
    entries: RawList | None = None
    leaf_id: str | None = None


class ModelSelectParams(Wire, frozen=True):
    session_id: str
    model: Model
