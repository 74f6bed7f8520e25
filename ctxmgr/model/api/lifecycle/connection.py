"""What begins and ends: the connection, a session, the model it uses; and the types that all params and answers
are made of.

Numbers are typed int | float because JavaScript hosts write 1e21 or 1.0 where an integer is meant. Messages and
entries stay raw: what a host sends is decoded by its format, not here, and goes back byte for byte.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ctxmgr.model import prices
from ctxmgr.model.policy import Policy
from ctxmgr.model.tools import DeclaredTools

# Stands, in a list, for the messages before that were recognised without a parse.
KNOWN_MESSAGES = b'{"ctxmgr":"the messages you sent before"}'

Number = int | float
Count = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Window = Annotated[int, Meta(ge=1, le=2**53)] | Annotated[float, Meta(ge=1, le=2**53)]
RawList = list[msgspec.Raw]
Token = str | int | Annotated[float, Meta(multiple_of=1)]  # a whole number may be written 1.0


# members that mean the same wherever they stand
SessionId = Annotated[str, Meta(description="The session, by the id that `session_start` gave it. Any string.")]
Seq = Annotated[int, Meta(description="How many events of this session have taken effect. See reference.md#order.")]
Timestamp = Annotated[
    Number | str | None,
    Meta(description="When it was written: milliseconds since the epoch, or an ISO 8601 string."),
]
Entries = Annotated[RawList | None, Meta(description="The host's session tree, oldest entry first.")]
LeafId = Annotated[str | None, Meta(description="The entry the branch ends at; absent, the last of `entries`.")]
Instructions = Annotated[str | None, Meta(description="What the user asks of the summary, in words.")]
ProgressToken = Annotated[
    Token | None,
    Meta(description="Any token of the host: with one, `$/progress` tells how far the call is."),
]
Deadline = Annotated[
    Count | None,
    Meta(description="Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`."),
]


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of everything on the wire."""


class ClientInfo(Wire, frozen=True):
    """The program that spawned ctxmgr."""

    name: Annotated[str, Meta(description="Its name.")]
    version: Annotated[str | None, Meta(description="Its version.")] = None


class HostCapabilities(Wire, frozen=True):
    """What the host can do. Nothing is used that was not declared."""

    request_compaction: Annotated[
        Literal["whenIdle", "midRun"] | bool | None,
        Meta(
            description='When the host can compact on request: false (never), "whenIdle" (true means '
            'the same) or "midRun" (also between two model calls of one run).'
        ),
    ] = None
    complete: Annotated[
        bool | None, Meta(description="It runs a model call for ctxmgr on request: `complete`.")
    ] = None
    complete_on_context: Annotated[
        bool | None,
        Meta(
            description="Beside `complete`: it answers one that has an `instruction` by appending that, as one "
            "user message, to its last request and what came since, with the same system prompt and tools. Then "
            "the provider reads all before it from its cache."
        ),
    ] = None
    embed: Annotated[bool | None, Meta(description="It turns texts into vectors on request: `embed`.")] = None
    retrieve: Annotated[
        bool | None,
        Meta(
            description="Its model has a tool that calls `retrieve`. Without, markers say which call to make again "
            "instead of a handle, and nothing is archived unless `archive` asks for it."
        ),
    ] = None
    archive: Annotated[
        bool | None,
        Meta(
            description="What leaves is archived though its model has no tool for it: people `search` and "
            "`retrieve` it. No list changes by it."
        ),
    ] = None
    edits: Annotated[
        bool | None, Meta(description="It applies `edits`. Every `context` says by itself which answer it wants.")
    ] = None
    telemetry: Annotated[
        bool | None,
        Meta(description="It takes `telemetry/event`: what happens in its sessions, in numbers."),
    ] = None

    @property
    def archiving(self) -> Literal["", "originals", "handles"]:
        """Whether what leaves is archived, with handles by which the model asks for it."""
        return "handles" if self.retrieve else "originals" if self.archive else ""

    @property
    def keeps_originals(self) -> bool:
        """Whether what leaves is archived."""
        return self.archiving != ""


class InitializeParams(Wire, frozen=True):
    """Who the host is, what it can do, and the policy its sessions begin with."""

    protocol_version: Annotated[
        str, Meta(description='What the host speaks: "1.1", or an older one. Another major version is refused.')
    ]
    client_info: Annotated[
        ClientInfo | None, Meta(description="Who the host is, for people who read a transcript.")
    ] = None
    capabilities: Annotated[
        HostCapabilities | None, Meta(description="What the host can do. What is not declared is never asked for.")
    ] = None
    message_format: Annotated[
        str | None,
        Meta(
            description="The format of the host's messages, one of the answer's `messageFormats`, or \"auto\": "
            'the one that the first messages show. Absent, "pi".'
        ),
    ] = None
    policy: Annotated[dict[str, Any] | None, Meta(description="The keys that differ from the defaults.")] = None
    state_dir: Annotated[
        str | None, Meta(description="Where snapshots are kept; absent, the user's state directory.")
    ] = None
    process_id: Annotated[
        int | None, Meta(description="The host's own process. When it is gone, ctxmgr saves and ends.")
    ] = None
    tools: Annotated[
        DeclaredTools | None,
        Meta(
            description="The host's own tools, where no name tells what they do. What is declared goes before what "
            "ctxmgr knows by itself, in all sessions."
        ),
    ] = None


class ServerInfo(Wire, frozen=True):
    """Name and version of this ctxmgr."""

    name: Annotated[str, Meta(description='"ctxmgr".')]
    version: Annotated[str, Meta(description="The version of the program, not of the protocol.")]


class ServerCapabilities(Wire, frozen=True, omit_defaults=False):
    """What this ctxmgr can do."""

    message_formats: Annotated[tuple[str, ...], Meta(description="Formats that `initialize` may name.")]
    presets: Annotated[tuple[str, ...], Meta(description="Presets that a policy may name.")]
    framings: Annotated[tuple[str, ...], Meta(description="Framings that are understood.")] = (
        "content-length",
        "ndjson",
    )
    append: Annotated[bool, Meta(description="`context` takes `append`.")] = True
    edits: Annotated[bool, Meta(description='`context` takes `answer: "edits"`.')] = True


class InitializeResult(Wire, frozen=True, omit_defaults=False):
    """What ctxmgr is and can do, and the policy that came of the host's keys."""

    protocol_version: Annotated[
        str, Meta(description="What is spoken: the older of what the host and ctxmgr speak.")
    ]
    server_info: Annotated[ServerInfo, Meta(description="Name and version of this ctxmgr.")]
    capabilities: Annotated[ServerCapabilities, Meta(description="What ctxmgr can do.")]
    policy: Annotated[Policy, Meta(description="All policy keys with their values.")]


class NoParams(Wire, frozen=True):
    """Nothing. `params` may be left out."""


class CancelParams(Wire, frozen=True):
    """Which request is cancelled."""

    id: Annotated[msgspec.Raw, Meta(description="The id of the request, as it was sent.")]


class SessionParams(Wire, frozen=True):
    """The session, and nothing else."""

    session_id: SessionId


class HostTierPrices(prices.BaseTier, Wire, frozen=True):
    """Dollars per million tokens of a request that is longer than a bound, of all of it. What is not told is as
    many times the plain price as input is."""

    above_tokens: Annotated[Count, Meta(description="The bound: tokens of input.")]  # type: ignore[assignment]
    input: Annotated[float, Meta(gt=0, description="Input that no cache held.")]
    output: Annotated[Count | None, Meta(description="Output; 0: not told.")] = None
    cache_read: Annotated[Count | None, Meta(description="Input read from a cache; 0: it is free.")] = None
    cache_write: Annotated[Count | None, Meta(description="Input written to a cache; 0: not told.")] = None


class Prices(prices.BasePrices, Wire, frozen=True):
    """Dollars per million tokens. Not told: as known of the very model, in proportion, else as each member says."""

    input: Annotated[Count | None, Meta(description="Input that no cache held; 0: no price is told.")] = None
    output: Annotated[Count | None, Meta(description="Output; 0: not told.")] = None
    cache_read: Annotated[
        Count | None, Meta(description="Input read from a cache; 0: it is free; absent: a tenth of the input's.")
    ] = None
    cache_write: Annotated[
        Count | None,
        Meta(
            description="Input written to a cache; absent or 0: as the input's, where the price of reading is "
            "told, else 1.25 of it."
        ),
    ] = None
    tiers: Annotated[
        tuple[HostTierPrices, ...],
        Meta(description="What longer requests cost instead; absent: as is known of the model, in proportion."),
    ] = ()


class Model(Wire, frozen=True):
    """A model and its window."""

    id: Annotated[
        str, Meta(description="The model's name. What is measured about its tokens is kept by this name.")
    ]
    context_window: Annotated[Window, Meta(description="Its window in tokens.")]
    provider: Annotated[str | None, Meta(description="Who runs it.")] = None
    max_output_tokens: Annotated[
        Count | None,
        Meta(description="The longest answer in tokens. Summaries that this model writes are kept below it."),
    ] = None
    prices: Annotated[Prices | None, Meta(description="What its tokens cost. Only proportions count.")] = None
    cache_ttl_ms: Annotated[
        Count | None, Meta(description="How long its provider keeps a cached prompt, in milliseconds.")
    ] = None
    batch: Annotated[
        bool,
        Meta(
            description="Its calls may wait, as requests of a batch do: where no prices are told, those known of a "
            "batch hold."
        ),
    ] = False
    strict_roles: Annotated[
        bool | None,
        Meta(
            description="Its template refuses a list in which users and the assistant do not take turns, tool flow "
            "left out: an answered list has them so where the given one has, and the packet stands inside a user's "
            "message. Without it the model's name tells, or a refusal."
        ),
    ] = None


class SessionStartParams(Wire, frozen=True):
    """A session and the model it begins with. It is no event: it does not count in `seq`."""

    session_id: Annotated[
        str, Meta(description="The host's own id of the session; the same id goes on where it ended.")
    ]
    model: Annotated[Model, Meta(description="The model that the session's lists are for.")]
    cwd: Annotated[
        str | None,
        Meta(description="The working directory. Lists of saved sessions show it; it is not used otherwise."),
    ] = None
    entries: Annotated[
        RawList | None,
        Meta(
            description="The host's session tree, oldest entry first: ctxmgr learns from it what a "
            "snapshot does not hold, and which entry each message belongs to."
        ),
    ] = None
    leaf_id: Annotated[
        str | None, Meta(description="The entry the session stands at; absent, the last of `entries`.")
    ] = None
    message_format: Annotated[
        str | None,
        Meta(description="The format of this session's messages; absent, that of `initialize`."),
    ] = None
    tools: Annotated[
        DeclaredTools | None,
        Meta(
            description="Tools of this session, beside those of `initialize` and before them. Absent here and "
            "there, what the session had holds."
        ),
    ] = None


class ModelSelectParams(Wire, frozen=True):
    """The model of the session from now on."""

    session_id: SessionId
    model: Annotated[Model, Meta(description="The new model.")]
