"""The params and answers of what brings back what left, or keeps it from leaving, as they stand on the wire."""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated

from msgspec import Meta

from ctxmgr.model.api.lifecycle import Count, Seq, SessionId, Wire

LONGEST_NAME = 1_024  # characters: some hosts put two ids of a provider's in one, with hundreds each
LONGEST_QUERY = 4_000  # characters; a model that pastes more means to search for something in it
LONGEST_PATH = 4_096  # characters, as Linux has it

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Path = Annotated[str, Meta(min_length=1, max_length=LONGEST_PATH)]
Size = Annotated[int, Meta(ge=1)] | Annotated[float, Meta(ge=1)]


class RetrieveParams(Wire, frozen=True):
    """What the model asks for again. Refused (-32803) where `capabilities.retrieve` was not declared. An unknown
    handle is refused (-32602), with the call to make again in `data.call` where a receipt knows it."""

    session_id: SessionId
    handle: Annotated[str, Meta(description="The handle in the marker.")]
    offset: Annotated[Count | None, Meta(description="The first character of the page; absent, 0.")] = None
    limit: Annotated[Size | None, Meta(description="Characters of the page at most; absent, 20,000.")] = None


class RetrieveResult(Wire, frozen=True, omit_defaults=False):
    """One page of the original. Characters are Unicode code points, of the original: a page with a masked secret
    may have more or fewer. The result that brings it to the model is not
    pruned for two epochs: it is known by the handle in the arguments of its call."""

    text: Annotated[str, Meta(description="The page.")]
    offset: Annotated[int, Meta(description="Its first character; at the end where the one asked for is beyond.")]
    next: Annotated[
        int | None,
        Meta(
            description="The `offset` of the next page; null after the last. (A length that a program "
            "counts in UTF-16 units, as JavaScript does, would lead beyond it.)"
        ),
    ]
    total: Annotated[int, Meta(description="Characters of the whole.")]
    more: Annotated[bool, Meta(description="True: there is another page.")]
    call: Annotated[str, Meta(description="The tool and its telling arguments, or what the message was.")]
    seq: Seq
    masked: Annotated[
        bool,
        Meta(
            description="True: this page reads `[masked]` where the original had a secret of a known shape; it was "
            "not kept (the policy's `archive.keepSecrets`)."
        ),
    ] = False


class SearchParams(Wire, frozen=True):
    """What is looked for among what left of this session. Refused (-32803) where nothing is archived."""

    session_id: SessionId
    query: Annotated[
        str,
        Meta(
            max_length=LONGEST_QUERY,
            description='Plain words, `"a phrase"`, `path:src/a.py`, `tool:bash`. Phrases, paths and tools have to '
            "be there; of the words one is enough. Identifiers and paths are found whole and by their parts. No "
            "text is wrong.",
        ),
    ]
    limit: Annotated[Size | None, Meta(description="Hits at most, of 50; absent, 10.")] = None


class SearchHit(Wire, frozen=True, omit_defaults=False):
    """One original that was found. Secrets of known shapes are found by no query, and read `[masked]` here."""

    handle: Annotated[str, Meta(description="What `retrieve` finds the original by.")]
    rank: Annotated[int, Meta(description="1 is the best. Of equals the order is by handle.")]
    call: Annotated[str, Meta(description="The tool and its telling arguments, or what the message was.")]
    tool: Annotated[str | None, Meta(description="The tool; null of a message.")]
    path: Annotated[str | None, Meta(description="The first of the arguments that is a path; null without one.")]
    epoch: Annotated[int | None, Meta(description="At which it left; null where no receipt that is kept lists it.")]
    snippet: Annotated[str, Meta(description="The stretch that has the most of the words; dots where it is cut.")]
    offset: Annotated[
        int, Meta(description="The character of the original at which the snippet begins, as `retrieve` takes it.")
    ]
    total: Annotated[int, Meta(description="Characters of the original.")]


class SearchResult(Wire, frozen=True, omit_defaults=False):
    """What was found. It changes nothing: what only shows here was not brought back."""

    hits: Annotated[tuple[SearchHit, ...], Meta(description="Best first; empty where nothing holds the words.")]
    seq: Seq


class PinParams(Wire, frozen=True):
    """What has to stay as it is: exactly one of `callId`, `digest`, `path` and `tool`. Pins outlive compactions and
    restarts. Where something that left comes back by one, the next `context` opens an epoch."""

    session_id: SessionId
    call_id: Annotated[
        Name | None, Meta(description="A tool call by its id: the message that makes it, and its result.")
    ] = None
    digest: Annotated[Name | None, Meta(description="One message, by the digest that `explain` shows.")] = None
    path: Annotated[
        Path | None,
        Meta(
            description="Calls that name this file, with their results. A glob (`*` also over `/`); "
            "it may be the end of a path, as `src/*.py` is of `/home/me/src/a.py`."
        ),
    ] = None
    tool: Annotated[Name | None, Meta(description="All calls of this tool, with their results.")] = None


class UndoParams(Wire, frozen=True):
    """What left at this epoch comes back with the next `context`, and is pinned. An epoch of which no receipt is
    kept is refused (-32602)."""

    session_id: SessionId
    epoch: Annotated[Count, Meta(description="Its number, as `report.epoch` said it.")]
