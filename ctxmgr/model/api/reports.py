"""What ctxmgr says of what it did: the report of each answer, `explain` with its verdicts and receipts, and what
`telemetry/event` tells a host that asked for it.
"""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated, Any, Literal

from msgspec import Meta

from ctxmgr.model.api.lifecycle import CacheBust, Seq, SessionId, Wire
from ctxmgr.model.epochs import LeftKind, PinBy


class ReadGone(Wire, frozen=True):
    """A file whose text left the model's view."""

    path: Annotated[str, Meta(description="As the call named it.")]


class TooBig(Wire, frozen=True):
    """A message of a list that does not fit the window, whatever is cut."""

    kind: Annotated[str, Meta(description="What it is: user, assistant, result, prompt, ...")]
    index: Annotated[int, Meta(description="Its place in the host's list.")]
    tokens: Annotated[int, Meta(description="Its weight as it is sent.")]


class Report(Wire, frozen=True):
    """What a projection did. Weights are ctxmgr's own count, before the provider's usage corrects it."""

    raw_tokens: Annotated[int, Meta(description="Weight of the list as it came.")]
    tokens: Annotated[int, Meta(description="Weight of the list to send.")]
    zone: Annotated[str, Meta(description="The zone that decided.")]
    epoch: Annotated[int, Meta(description="The number of the cache epoch in force; 0 where none was opened.")]
    first_changed_index: Annotated[
        int,
        Meta(
            description="The first place where this answer differs from the one before: up to there a "
            "provider's cache holds. -1 where the answer only grew at its end, whatever marks caching and however "
            "it is spelled; 0 where another list is the first after a restart."
        ),
    ]
    turns_kept: Annotated[int, Meta(description="Turns in the list to send.")]
    turns_dropped: Annotated[int, Meta(description="Turns left out of it.")]
    results_distilled: Annotated[int, Meta(description="Tool results shortened in it.")]
    results_pruned: Annotated[int, Meta(description="Tool results replaced by a marker in it.")]
    packet_tokens: Annotated[int, Meta(description="Weight of the packet, 0 without one.")]
    checks: Annotated[
        tuple[str, ...],
        Meta(
            description="Promises that did not hold; then the answer is the last good list. `fit`: the list is as "
            "short as it can be made, and does not fit the window; `tooBig` says why. Normally empty."
        ),
    ]
    cache_breakpoints: Annotated[
        tuple[int, ...] | None,
        Meta(
            description="Where cache marks belong on the list to send, where its provider takes marks: on the last "
            "content block that can bear one of the messages at these places, ascending, the newest message's "
            "as a rule. No other message of the list should have one. Empty where the provider caches without "
            "marks, where `ownMarks` leave none free, and after a fault: then a host sets its marks as it is "
            "used to."
        ),
    ] = None
    messages_dropped: Annotated[
        int | None,
        Meta(
            description="Messages left out by themselves, not with their turn: in preset balanced, and in others "
            "where the list did not fit."
        ),
    ] = None
    blocks_cut: Annotated[
        int | None, Meta(description="Results, texts and arguments cut in it: too long, or the list did not fit.")
    ] = None
    too_big: Annotated[
        tuple[TooBig, ...] | None,
        Meta(description="With `fit` in `checks`: the heaviest messages, the heaviest first."),
    ] = None
    prefix_tokens: Annotated[
        int | None, Meta(description="So much of the last answer, by weight, this one begins with.")
    ] = None
    prefix_bytes: Annotated[int | None, Meta(description="The same in bytes of its messages.")] = None
    arithmetic: Annotated[
        str | None, Meta(description="Of the epoch that this call opened: what it cost and what it saves.")
    ] = None
    reads_gone: Annotated[
        tuple[ReadGone, ...] | None,
        Meta(
            description="Files whose text, or some of it, left the model's view with this answer: a "
            "host that remembers what its model has read may forget it."
        ),
    ] = None
    reason: Annotated[str | None, Meta(description="Why the answer is `unchanged`, or is the last good list.")] = (
        None
    )
    mended: Annotated[int | None, Meta(description="Unpaired surrogates in the request that became U+FFFD.")] = None
    carried_tokens: Annotated[
        int | None,
        Meta(
            description="By so much the list is heavier than the host's: the packet carries what the host itself "
            "took away, and the scratchpad."
        ),
    ] = None
    cache_bust: Annotated[
        CacheBust | None,
        Meta(description="The prompt changed early, and ctxmgr did not change it. Absent: it did not."),
    ] = None


class ContextResult(Wire, frozen=True):
    """The list to send to the model. Exactly one of `messages`, `edits` and `unchanged` is there."""

    base: Annotated[
        str,
        Meta(
            description='A tag of this state of the list, for the next call\'s `append`. "" after a '
            "fault: the next call sends the whole list."
        ),
    ]
    report: Annotated[Report, Meta(description="What was done, and why.")]
    seq: Seq
    messages: Annotated[
        list[Any] | None,
        Meta(description="The list to send. What is kept of the host's messages is byte for byte as it came."),
    ] = None
    edits: Annotated[list[dict[str, Any]] | None, Meta(description="The list to send, in pieces, in order.")] = None
    unchanged: Annotated[bool | None, Meta(description="True: the host sends its own list as it is.")] = None


class Verdict(Wire, frozen=True, omit_defaults=False):
    """What became of one message. Weights are ctxmgr's own."""

    index: Annotated[int | None, Meta(description="Its place in the host's list; null for what ctxmgr put in.")]
    digest: Annotated[str, Meta(description="A digest of the message, the same wherever it stands.")]
    verdict: Annotated[
        Literal["kept", "distilled", "pruned", "cut", "dropped", "inserted"], Meta(description="What became of it.")
    ]
    rule: Annotated[str, Meta(description="Why.")]
    before: Annotated[int, Meta(description="Its weight as it came.")]
    after: Annotated[int, Meta(description="Its weight in the list to send.")]
    call: Annotated[
        str,
        Meta(
            description="Its first call or result as the tool and its telling arguments, or what the message is, "
            "such as `user text`; secrets read `[masked]`."
        ),
    ] = ""


class ExplainParams(Wire, frozen=True):
    """The session, and an epoch."""

    session_id: SessionId
    epoch: Annotated[
        int | None, Meta(description="Whose receipt is wanted in full; the newest where it is absent.")
    ] = None


class Left(Wire, frozen=True):
    """One thing that left."""

    kind: Annotated[LeftKind, Meta(description="What was done to it; `shortened` are the arguments of a call.")]
    call: Annotated[
        str,
        Meta(description="The tool and its telling arguments, or what the message was; secrets read `[masked]`."),
    ]
    why: Annotated[str, Meta(description="The rule that decided.")]
    before: Annotated[int, Meta(description="Its weight as it came.")]
    after: Annotated[int, Meta(description="Its weight now.")]
    digest: Annotated[str, Meta(description="The message's, to pin it by.")]
    handle: Annotated[str | None, Meta(description="What `retrieve` finds it by; null without an archive.")] = None


class EpochReceipt(Wire, frozen=True):
    """What one epoch did, and the arithmetic of it."""

    epoch: Annotated[int, Meta(description="Its number.")]
    opening: Annotated[
        str,
        Meta(
            description="Why it was opened: price, cold, red, forced, compaction, tree, model, "
            "policy, pin, undo, rewritten."
        ),
    ]
    before: Annotated[int, Meta(description="Weight of the list to send as it would have been without it.")]
    after: Annotated[int, Meta(description="Weight of the list to send with it.")]
    arithmetic: Annotated[str, Meta(description="What it cost and what it saves, in one line.")]
    count: Annotated[int, Meta(description="How many things left.")]
    at: Annotated[int | None, Meta(description="The call's time.")] = None
    left: Annotated[
        tuple[Left, ...] | None, Meta(description="What left, in the order of the list; told of one epoch.")
    ] = None
    omitted: Annotated[int | None, Meta(description="So many more left that are not listed: the lightest.")] = None
    text: Annotated[
        str | None,
        Meta(description='What it did, for people: "removed 12 old results, 17,000 tokens; pays after 3 calls".'),
    ] = None
    pays_after: Annotated[
        int | None,
        Meta(
            description="The number of calls after which it has saved what it cost; 0: at once. Absent where it "
            "saves nothing, or where this is not known."
        ),
    ] = None


class HeldPin(Wire, frozen=True, omit_defaults=False):
    """A pin, and what it holds. `unpin` takes `{by: value}`."""

    by: Annotated[PinBy, Meta(description="What it was made by.")]
    value: Annotated[str, Meta(description="The digest, call id, path or tool.")]
    messages: Annotated[int, Meta(description="The number of messages of the last list that it holds.")]
    call: Annotated[
        str | None,
        Meta(description="As in a verdict, of the message that is pinned by digest or by call id; null elsewhere."),
    ] = None


class ExplainResult(Wire, frozen=True, omit_defaults=False):
    """What became of each message of the last list."""

    verdicts: Annotated[
        tuple[Verdict, ...], Meta(description="In the order of the list; what was put in comes first.")
    ]
    epochs: Annotated[tuple[EpochReceipt, ...], Meta(description="The receipts that are kept, oldest first.")]
    seq: Seq
    pins: Annotated[tuple[HeldPin, ...], Meta(description="All pins of the session, oldest first.")] = ()


Attribute = str | int | float | bool


class TelemetryEvent(Wire, frozen=True):
    """One thing that happened in a session. Nothing that a user, a model or a tool wrote is in it."""

    name: Annotated[
        str,
        Meta(
            description="ctxmgr.list, ctxmgr.epoch, ctxmgr.compaction, ctxmgr.fallback, or, for the usage that a "
            "host reported, the semantic conventions' gen_ai.client.inference.operation.details."
        ),
    ]
    attributes: Annotated[
        dict[str, Attribute],
        Meta(
            description="By the names of OpenTelemetry's semantic conventions for generative AI (`gen_ai.*`, "
            "`error.type`), and of our own (`ctxmgr.*`). Of what a host sent there are the ids of session and "
            "model and the provider's name."
        ),
    ]
