"""The params and answers of the methods that bring back removed content or protect it from removal, as on the
wire.
"""

from __future__ import annotations  # evaluated at the first call that needs them, not at start

from typing import Annotated

from msgspec import Meta

from ctxmgr.model.api.lifecycle import Count, Seq, SessionId, Wire

LONGEST_NAME = 1_024  # characters; some hosts join two ids of a provider, each with hundreds of characters
LONGEST_QUERY = 4_000  # characters; a model that pastes more wants to search within it
LONGEST_PATH = 4_096  # characters; the limit of Linux

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Path = Annotated[str, Meta(min_length=1, max_length=LONGEST_PATH)]
Size = Annotated[int, Meta(ge=1)] | Annotated[float, Meta(ge=1)]


class RetrieveParams(Wire, frozen=True):
    """What the model asks for. Refused (-32803) if `capabilities.retrieve` was not declared. An unknown handle is
    refused (-32602), with the call to make again in `data.call` if a receipt knows it."""

    session_id: SessionId
    handle: Annotated[str, Meta(description="The handle in the marker.")]
    offset: Annotated[Count | None, Meta(description="First character of the page. Default: 0.")] = None
    limit: Annotated[Size | None, Meta(description="Most characters in the page. Default: 20,000.")] = None


class RetrieveResult(Wire, frozen=True, omit_defaults=False):
    """One page of the original. Characters are Unicode code points of the original. A page with a masked secret
    may have more or fewer. The tool result that brings it to the model is not pruned for two epochs. It is
    recognized by the handle in the arguments of its call."""

    text: Annotated[str, Meta(description="The page.")]
    offset: Annotated[
        int, Meta(description="Index of its first character. The end of the original, if `offset` was beyond it.")
    ]
    next: Annotated[
        int | None,
        Meta(
            description="The `offset` of the next page. null after the last one. (A length in UTF-16 units, as in "
            "JavaScript, would be too large.)"
        ),
    ]
    total: Annotated[int, Meta(description="Characters in the whole original.")]
    more: Annotated[bool, Meta(description="True: there are more pages.")]
    call: Annotated[str, Meta(description="The tool and its key arguments, or what the message was.")]
    seq: Seq
    masked: Annotated[
        bool,
        Meta(
            description="True: this page has `[masked]` in place of a secret of a known shape, which was not "
            "stored (see the policy's `archive.keepSecrets`)."
        ),
    ] = False


class SearchParams(Wire, frozen=True):
    """What to look for in what was removed from this session. Refused (-32803) if nothing is archived."""

    session_id: SessionId
    query: Annotated[
        str,
        Meta(
            max_length=LONGEST_QUERY,
            description='Plain words, `"a phrase"`, `path:src/a.py`, `tool:bash`. Phrases, paths and tools are '
            "required. One of the words is enough. Identifiers and paths are found whole and by their "
            "parts. Every text is valid.",
        ),
    ]
    limit: Annotated[Size | None, Meta(description="Most hits, up to 50. Default: 10.")] = None


class SearchHit(Wire, frozen=True, omit_defaults=False):
    """One original that was found. Secrets of known shapes match no query and are shown as `[masked]`."""

    handle: Annotated[str, Meta(description="The handle for `retrieve`.")]
    rank: Annotated[int, Meta(description="Rank, 1 is the best. Ties are ordered by handle.")]
    call: Annotated[str, Meta(description="The tool and its key arguments, or what the message was.")]
    tool: Annotated[str | None, Meta(description="The tool. null for a message.")]
    path: Annotated[str | None, Meta(description="The first argument that is a path. null without one.")]
    epoch: Annotated[
        int | None, Meta(description="The epoch in which it was removed. null if no stored receipt lists it.")
    ]
    snippet: Annotated[str, Meta(description="The passage with most of the words. Dots mark cuts.")]
    offset: Annotated[
        int, Meta(description="Character of the original at which the snippet begins, for `retrieve`.")
    ]
    total: Annotated[int, Meta(description="Characters in the original.")]


class SearchResult(Wire, frozen=True, omit_defaults=False):
    """What was found. A search changes nothing: a hit does not count as retrieved."""

    hits: Annotated[tuple[SearchHit, ...], Meta(description="Best first. Empty if nothing matches.")]
    seq: Seq


class PinParams(Wire, frozen=True):
    """What to keep unchanged: exactly one of `callId`, `digest`, `path` and `tool`. Pins survive compactions and
    restarts. If a pin brings something back, the next `context` opens an epoch."""

    session_id: SessionId
    call_id: Annotated[
        Name | None, Meta(description="A tool call by its id: the message with the call, and its result.")
    ] = None
    digest: Annotated[Name | None, Meta(description="One message, by the digest from `explain`.")] = None
    path: Annotated[
        Path | None,
        Meta(
            description="Calls that name this file, with their results. May be a glob (`*` also matches `/`) or "
            "the end of a path: `src/*.py` matches `/home/me/src/a.py`."
        ),
    ] = None
    tool: Annotated[Name | None, Meta(description="All calls of this tool, with their results.")] = None


class UndoParams(Wire, frozen=True):
    """What was removed at this epoch comes back with the next `context`, and is pinned. An epoch without a stored
    receipt is refused (-32602)."""

    session_id: SessionId
    epoch: Annotated[Count, Meta(description="Its number, from `report.epoch`.")]
