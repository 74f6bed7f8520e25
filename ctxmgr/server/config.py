"""What a connection is made with and hands to its sessions: the terms that `initialize` settled, and decoded calls.

Apart from `sessions.py`, so that a start does not wait for the engine: that is loaded when a session comes.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ctxmgr.formats import format_of
from ctxmgr.model import DeclaredTools, WeighAll
from ctxmgr.model.api import lifecycle, since
from ctxmgr.wire import StrippedMessages

if TYPE_CHECKING:  # a start does not wait for these
    from ctxmgr.formats import MessageFormat
    from ctxmgr.known_models import Registry

Embed = Callable[[Sequence[str]], list[list[float]] | None]
ClockMs = Callable[[], float]


def now_ms() -> float:
    """Milliseconds from some moment on."""
    return 1_000 * time.perf_counter()


class Setup(msgspec.Struct, frozen=True):
    """`record`: the transcript's file; `preload`: a vocabulary loaded before the first message is read;
    `max_message_bytes` in bytes; `models`: what is known of them, where it is not what is shipped; `store`: the
    address of a store that sessions also go to, at most `store_delay_ms` behind, where each is held for
    `store_lease_ms` (None: as the store has them)."""

    state_dir: str | None = None
    record: str | None = None
    preload: str | None = None
    max_message_bytes: int = 64 << 20
    models: Any = None  # a Registry, whose module a start does not wait for
    store: str | None = None
    store_delay_ms: int | None = None
    store_lease_ms: int | None = None


class ConnectionOptions(msgspec.Struct, frozen=True):
    """`record`: write a transcript. `state_dir`: used where the host names none; `max_message_bytes` in bytes.
    `models`: what is known of them, where it is not what is shipped. `stores`: sessions also go to a store.
    `clock_ms`: milliseconds from any moment on, to say how long a call took; nothing is decided by it."""

    record: bool = False
    state_dir: str | None = None
    max_message_bytes: int = 64 << 20
    models: "Registry | None" = None
    stores: bool = False
    clock_ms: ClockMs | None = None


class ConnectionConfig(msgspec.Struct, frozen=True):
    """`format_name` names the message format. `keys`: the policy keys all sessions begin with. `record`: write
    transcripts. `weighers`: the vocabularies that are there from the start, by name. `embed` gives vectors of
    texts, or None. `version` of the protocol that is spoken. `tools`: what the host declares of its own. `models`:
    what is known of them, where it is not what is shipped. `stores`: sessions also go to a store. `clock_ms`: to
    say how long a call took."""

    format_name: str
    weighers: dict[str, WeighAll]
    keys: dict[str, Any] = {}
    capabilities: lifecycle.HostCapabilities = lifecycle.HostCapabilities()
    state_dir: str | None = None
    record: bool = False
    embed: Embed | None = None
    version: str = since.PROTOCOL_VERSION
    tools: DeclaredTools = ()
    models: "Registry | None" = None
    stores: bool = False
    clock_ms: ClockMs | None = None

    @staticmethod
    def of(options: ConnectionOptions, weighers: Mapping[str, WeighAll], embed: Embed | None) -> "ConnectionConfig":
        """Before `initialize` has settled anything."""
        names = ("state_dir", "record", "models", "stores", "clock_ms")
        options_alone = {name: getattr(options, name) for name in names}
        return ConnectionConfig("pi", dict(weighers), embed=embed, **options_alone)

    @property
    def fmt(self) -> "MessageFormat":
        """The message format, loaded with the first session."""
        return format_of(self.format_name, "$.messageFormat")


class SessionRequest(msgspec.Struct, frozen=True):
    """A decoded call about one session. `omitted_count` messages were left out of a list, `surrogate_count`
    surrogates mended."""

    method: str
    params: Any
    wants_answer: bool
    omitted_count: int = 0
    surrogate_count: int = 0


class IncomingCall(msgspec.Struct, frozen=True):
    """A request or notification as the handlers get it. `surrogate_count` unpaired surrogates were mended in it."""

    params: bytes | msgspec.Raw | None
    request: bool
    stripped: StrippedMessages = StrippedMessages()
    surrogate_count: int = 0
