"""The connection, a session and the model it uses, and the types that all params and answers share.

Numbers are typed int | float because JavaScript hosts write 1e21 or 1.0 for an integer. Messages and entries stay
raw: their format decodes them, not this module, and they are returned byte for byte.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model import prices
from ctxmgr.model.policy import Policy
from ctxmgr.model.tools import DeclaredTools

# Stands, in a list, for earlier messages that were recognised without parsing.
KNOWN_MESSAGES = b'{"ctxmgr":"the messages you sent before"}'

Number = int | float
Count = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Window = Annotated[int, Meta(ge=1, le=2**53)] | Annotated[float, Meta(ge=1, le=2**53)]
RawList = list[msgspec.Raw]
Token = str | int | Annotated[float, Meta(multiple_of=1)]  # an integer may be written 1.0


# members with the same meaning everywhere
SessionId = Annotated[str, Meta(description="The session's id, as given to `session_start`. Any string.")]
Seq = Annotated[
    int, Meta(description="Number of the session's events that have taken effect. See reference.md#order.")
]
Timestamp = Annotated[
    Number | str | None,
    Meta(description="When it was written: milliseconds since the epoch, or an ISO 8601 string."),
]
Entries = Annotated[RawList | None, Meta(description="The host's session tree, oldest entry first.")]
LeafId = Annotated[str | None, Meta(description="The last entry of the branch. Default: the last of `entries`.")]
Instructions = Annotated[str | None, Meta(description="The user's instructions for the summary.")]
ProgressToken = Annotated[
    Token | None,
    Meta(description="Any token of the host. With one, `$/progress` reports the progress of the call."),
]
Deadline = Annotated[
    Count | None,
    Meta(description="Milliseconds until the answer is needed. Default: the policy's `deadlineMs`."),
]


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of everything on the wire."""


class ClientInfo(Wire, frozen=True):
    """The program that spawned ctxmgr."""

    name: Annotated[str, Meta(description="Its name.")]
    version: Annotated[str | None, Meta(description="Its version.")] = None


class HostCapabilities(Wire, frozen=True):
    """What the host can do. Capabilities that are not declared are never used."""

    request_compaction: Annotated[
        Literal["whenIdle", "midRun"] | bool | None,
        Meta(
            description='When the host can compact on request: false (never), "whenIdle" (the same as true) or '
            '"midRun" (also between two model calls of one run).'
        ),
    ] = None
    complete: Annotated[
        bool | None, Meta(description="The host runs a model call for ctxmgr on request: `complete`.")
    ] = None
    complete_on_context: Annotated[
        bool | None,
        Meta(
            description="The host also answers a `complete` that has an `instruction`. It appends the instruction "
            "as one user message to its last request and what came since, with the same system prompt "
            "and tools. The provider then reads everything before it from its cache."
        ),
    ] = None
    embed: Annotated[bool | None, Meta(description="The host turns texts into vectors on request: `embed`.")] = None
    retrieve: Annotated[
        bool | None,
        Meta(
            description="The host's model has a tool that calls `retrieve`. Without this, markers name the call "
            "to make again instead of a handle, and nothing is archived unless `archive` is declared."
        ),
    ] = None
    archive: Annotated[
        bool | None,
        Meta(
            description="What is removed is archived even if the model has no tool for it, so that people can "
            "`search` and `retrieve` it. Lists do not change."
        ),
    ] = None
    edits: Annotated[
        bool | None,
        Meta(description="The host applies `edits`. Each `context` still says which kind of answer it wants."),
    ] = None
    telemetry: Annotated[
        bool | None,
        Meta(description="The host receives `telemetry/event`: what happens in its sessions, in numbers."),
    ] = None

    @property
    def archiving(self) -> Literal["", "originals", "handles"]:
        """Whether removed content is archived, and whether with handles by which the model requests it."""
        return "handles" if self.retrieve else "originals" if self.archive else ""

    @property
    def keeps_originals(self) -> bool:
        """Whether removed content is archived."""
        return self.archiving != ""


class InitializeParams(Wire, frozen=True):
    """Who the host is, what it can do, and the policy that its sessions start with."""

    protocol_version: Annotated[
        str,
        Meta(
            description='Protocol version of the host: "1.1", or an older one. A different major version is '
            "refused."
        ),
    ]
    client_info: Annotated[
        ClientInfo | None, Meta(description="Who the host is, for people who read a transcript.")
    ] = None
    capabilities: Annotated[
        HostCapabilities | None,
        Meta(description="What the host can do. Capabilities that are not declared are never used."),
    ] = None
    message_format: Annotated[
        str | None,
        Meta(
            description="Format of the host's messages: one of the answer's `messageFormats`, or \"auto\" to "
            'detect it from the first messages. Default: "pi".'
        ),
    ] = None
    policy: Annotated[dict[str, Any] | None, Meta(description="Policy keys that differ from their defaults.")] = (
        None
    )
    state_dir: Annotated[
        str | None, Meta(description="Where snapshots are stored. Default: the user's state directory.")
    ] = None
    process_id: Annotated[
        int | None, Meta(description="The host's process id. When that process ends, ctxmgr saves and exits.")
    ] = None
    tools: Annotated[
        DeclaredTools | None,
        Meta(
            description="Tools of the host whose names do not say what they do. They take precedence over what "
            "ctxmgr knows, in all sessions."
        ),
    ] = None


class ServerInfo(Wire, frozen=True):
    """Name and version of this ctxmgr."""

    name: Annotated[str, Meta(description='"ctxmgr".')]
    version: Annotated[str, Meta(description="The version of the program, not of the protocol.")]


class ServerCapabilities(Wire, frozen=True, omit_defaults=False):
    """What this ctxmgr can do."""

    message_formats: Annotated[tuple[str, ...], Meta(description="Formats that `initialize` accepts.")]
    presets: Annotated[tuple[str, ...], Meta(description="Presets that a policy accepts.")]
    framings: Annotated[tuple[str, ...], Meta(description="Framings that ctxmgr understands.")] = (
        "content-length",
        "ndjson",
    )
    append: Annotated[bool, Meta(description="`context` accepts `append`.")] = True
    edits: Annotated[bool, Meta(description='`context` accepts `answer: "edits"`.')] = True


class InitializeResult(Wire, frozen=True, omit_defaults=False):
    """What ctxmgr is and can do, and the resulting policy."""

    protocol_version: Annotated[
        str, Meta(description="The protocol version in use: the older of the host's and ctxmgr's.")
    ]
    server_info: Annotated[ServerInfo, Meta(description="Name and version of this ctxmgr.")]
    capabilities: Annotated[ServerCapabilities, Meta(description="What ctxmgr can do.")]
    policy: Annotated[Policy, Meta(description="All policy keys with their values.")]


class NoParams(Wire, frozen=True):
    """No members. `params` may be omitted."""


class CancelParams(Wire, frozen=True):
    """The request to cancel."""

    id: Annotated[msgspec.Raw, Meta(description="Id of the request, as it was sent.")]


class SessionParams(Wire, frozen=True):
    """The session."""

    session_id: SessionId


class HostTierPrices(prices.BaseTier, Wire, frozen=True):
    """Dollars per million tokens of a request above a size. They apply to the whole request. A missing price
    changes in the same proportion as `input`."""

    above_tokens: Annotated[Count, Meta(description="The size: tokens of input.")]  # type: ignore[assignment]
    input: Annotated[float, Meta(gt=0, description="Uncached input.")]
    output: Annotated[Count | None, Meta(description="Output. 0: unknown.")] = None
    cache_read: Annotated[Count | None, Meta(description="Cache reads. 0: free.")] = None
    cache_write: Annotated[Count | None, Meta(description="Cache writes. 0: unknown.")] = None


class Prices(prices.BasePrices, Wire, frozen=True):
    """Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion,
    or else as each member says."""

    input: Annotated[Count | None, Meta(description="Uncached input. 0: unknown.")] = None
    output: Annotated[Count | None, Meta(description="Output. 0: unknown.")] = None
    cache_read: Annotated[
        Count | None, Meta(description="Cache reads. 0: free. Default: a tenth of the input price.")
    ] = None
    cache_write: Annotated[
        Count | None,
        Meta(
            description="Cache writes. Absent or 0: the input price if `cacheRead` is given, otherwise 1.25 times "
            "the input price."
        ),
    ] = None
    tiers: Annotated[
        tuple[HostTierPrices, ...],
        Meta(description="Prices of longer requests. Default: as known of the model, in proportion."),
    ] = ()


class Model(Wire, frozen=True):
    """A model and its context window."""

    id: Annotated[
        str, Meta(description="The model's name. What is learned about its token counts is stored under this name.")
    ]
    context_window: Annotated[Window, Meta(description="Context window in tokens.")]
    provider: Annotated[str | None, Meta(description="The model's provider.")] = None
    max_output_tokens: Annotated[
        Count | None,
        Meta(description="Longest reply in tokens. Summaries that this model writes are kept below it."),
    ] = None
    prices: Annotated[Prices | None, Meta(description="Prices of its tokens. Only ratios matter.")] = None
    cache_ttl_ms: Annotated[
        Count | None, Meta(description="Milliseconds that its provider keeps a prompt in its cache.")
    ] = None
    batch: Annotated[
        bool,
        Meta(description="The calls may wait, as batch requests do. Without prices, the known batch prices apply."),
    ] = False
    strict_roles: Annotated[
        bool | None,
        Meta(
            description="The model's template requires user and assistant messages to alternate (apart from tool "
            "calls and results). Lists then alternate if the given list does, and the packet is part "
            "of a user message. Without this member, the model's name or a refusal decides."
        ),
    ] = None


class SessionStartParams(Wire, frozen=True):
    """A session and the model that it starts with. This is not an event and does not count in `seq`."""

    session_id: Annotated[
        str, Meta(description="The host's id of the session. The same id continues where the session ended.")
    ]
    model: Annotated[Model, Meta(description="The model that the session's lists are for.")]
    cwd: Annotated[
        str | None,
        Meta(description="Working directory. Lists of saved sessions show it. It is not used otherwise."),
    ] = None
    entries: Annotated[
        RawList | None,
        Meta(
            description="The host's session tree, oldest entry first. ctxmgr learns from it what a snapshot does "
            "not contain, and which entry each message belongs to."
        ),
    ] = None
    leaf_id: Annotated[
        str | None, Meta(description="The session's current entry. Default: the last of `entries`.")
    ] = None
    message_format: Annotated[
        str | None,
        Meta(description="Format of this session's messages. Default: that of `initialize`."),
    ] = None
    tools: Annotated[
        DeclaredTools | None,
        Meta(
            description="Tools of this session. They take precedence over those of `initialize`. If neither gives "
            "any, those of the saved session apply."
        ),
    ] = None


class ModelSelectParams(Wire, frozen=True):
    """The session's model from now on."""

    session_id: SessionId
    model: Annotated[Model, Meta(description="The new model.")]
