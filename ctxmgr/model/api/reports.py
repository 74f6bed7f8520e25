"""What ctxmgr reports about its work: the report in each answer, `explain` with its verdicts and receipts, and the
`telemetry/event` notifications to hosts that requested them.
"""

from __future__ import annotations  # evaluated at the first call that needs them, not at start

from typing import Annotated, Any, Literal

from msgspec import Meta

from ctxmgr.model.api.lifecycle import CacheBust, Seq, SessionId, Wire
from ctxmgr.model.epochs import LeftKind, PinBy


class ReadGone(Wire, frozen=True):
    """A file whose text was removed from the model's view."""

    path: Annotated[str, Meta(description="The path, as the call named it.")]


class TooBig(Wire, frozen=True):
    """A message of a list that does not fit the window, whatever is cut."""

    kind: Annotated[str, Meta(description="What the message is: user, assistant, result, prompt, ...")]
    index: Annotated[int, Meta(description="Its index in the host's list.")]
    tokens: Annotated[int, Meta(description="Its tokens as it is sent.")]


class Report(Wire, frozen=True):
    """What a projection did. Token counts are ctxmgr's own, before the provider's usage corrects them."""

    raw_tokens: Annotated[int, Meta(description="Tokens of the list as it came.")]
    tokens: Annotated[int, Meta(description="Tokens of the list to send.")]
    zone: Annotated[str, Meta(description="The zone of the list before this call pruned it.")]
    epoch: Annotated[int, Meta(description="Number of the current cache epoch. 0 if none was opened.")]
    first_changed_index: Annotated[
        int,
        Meta(
            description="Index of the first message that differs from the previous answer. A provider's cache is "
            "valid up to there. -1: the list only grew at its end (cache marks and spelling are "
            "ignored). 0: a different list is the first one after a restart."
        ),
    ]
    turns_kept: Annotated[int, Meta(description="Turns in the list to send.")]
    turns_dropped: Annotated[int, Meta(description="Turns removed from it.")]
    results_distilled: Annotated[int, Meta(description="Tool results shortened in it.")]
    results_pruned: Annotated[int, Meta(description="Tool results replaced with a marker.")]
    packet_tokens: Annotated[int, Meta(description="Tokens of the packet. 0 without one.")]
    checks: Annotated[
        tuple[str, ...],
        Meta(
            description="Broken promises. The answer is then the last good list. `fit`: the list is as short as "
            "possible and still does not fit the window (see `tooBig`). Normally empty."
        ),
    ]
    cache_breakpoints: Annotated[
        tuple[int, ...] | None,
        Meta(
            description="Where cache marks belong, for a provider with marks: on the last block that can have "
            "one, in the messages with these indexes. Ascending, usually including the newest "
            "message. No other message of the list should have a mark. Empty if the provider has no "
            "marks, if `ownMarks` leaves none, and after a fault: the host then sets its marks as "
            "usual."
        ),
    ] = None
    messages_dropped: Annotated[
        int | None,
        Meta(
            description="Messages removed individually, not with their turn: in preset balanced, and in others if "
            "the list did not fit."
        ),
    ] = None
    blocks_cut: Annotated[
        int | None,
        Meta(
            description="Results, texts and arguments that were cut because they were too long or "
            "the list did not fit."
        ),
    ] = None
    too_big: Annotated[
        tuple[TooBig, ...] | None,
        Meta(description="With `fit` in `checks`: the messages with the most tokens, largest first."),
    ] = None
    prefix_tokens: Annotated[
        int | None, Meta(description="Tokens at the start of this list that are the same as in the last answer.")
    ] = None
    prefix_bytes: Annotated[int | None, Meta(description="The same in bytes of its messages.")] = None
    arithmetic: Annotated[
        str | None, Meta(description="For the epoch that this call opened: what it costs and what it saves.")
    ] = None
    reads_gone: Annotated[
        tuple[ReadGone, ...] | None,
        Meta(
            description="Files whose text was removed from the model's view, in whole or in part, with this "
            "answer. A host that remembers what its model has read can forget them."
        ),
    ] = None
    reason: Annotated[str | None, Meta(description="Why the answer is `unchanged` or the last good list.")] = None
    mended: Annotated[int | None, Meta(description="Unpaired surrogates in the request that became U+FFFD.")] = None
    carried_tokens: Annotated[
        int | None,
        Meta(
            description="Tokens by which the list exceeds the host's own: what the packet says about what the "
            "host itself removed, and the scratchpad."
        ),
    ] = None
    cache_bust: Annotated[
        CacheBust | None,
        Meta(description="The prompt changed early, and not because of ctxmgr. Absent otherwise."),
    ] = None


class ContextResult(Wire, frozen=True):
    """The list to send to the model. Exactly one of `messages`, `edits` and `unchanged` is present."""

    base: Annotated[
        str,
        Meta(
            description='Tag of this state of the list, for the next call\'s `append`. "" after a fault: the '
            "next call sends the whole list."
        ),
    ]
    report: Annotated[Report, Meta(description="What was done, and why.")]
    seq: Seq
    messages: Annotated[
        list[Any] | None,
        Meta(description="The list to send. Messages that are kept are byte for byte as they came."),
    ] = None
    edits: Annotated[list[dict[str, Any]] | None, Meta(description="The list to send, in pieces, in order.")] = None
    unchanged: Annotated[bool | None, Meta(description="True: the host sends its own list unchanged.")] = None


class Verdict(Wire, frozen=True, omit_defaults=False):
    """What happened to one message. Token counts are ctxmgr's own."""

    index: Annotated[int | None, Meta(description="Its index in the host's list. null for what ctxmgr inserted.")]
    digest: Annotated[str, Meta(description="A digest of the message, independent of its position.")]
    verdict: Annotated[
        Literal["kept", "distilled", "pruned", "cut", "dropped", "inserted"],
        Meta(description="What happened to it."),
    ]
    rule: Annotated[str, Meta(description="Why.")]
    before: Annotated[int, Meta(description="Its tokens as it came.")]
    after: Annotated[int, Meta(description="Its tokens in the list to send.")]
    call: Annotated[
        str,
        Meta(
            description="Its first call or result as the tool and its key arguments, or what the message is, for "
            "example `user text`. Secrets are shown as `[masked]`."
        ),
    ] = ""


class ExplainParams(Wire, frozen=True):
    """The session, and an epoch."""

    session_id: SessionId
    epoch: Annotated[
        int | None, Meta(description="The epoch whose receipt is wanted in full. Default: the newest.")
    ] = None


class Left(Wire, frozen=True):
    """One thing that was removed."""

    kind: Annotated[LeftKind, Meta(description="What was done to it. `shortened`: the arguments of a call.")]
    call: Annotated[
        str,
        Meta(
            description="The tool and its key arguments, or what the message was. Secrets are shown as `[masked]`."
        ),
    ]
    why: Annotated[str, Meta(description="The rule that decided.")]
    before: Annotated[int, Meta(description="Its tokens as it came.")]
    after: Annotated[int, Meta(description="Its tokens now.")]
    digest: Annotated[str, Meta(description="The digest of its message, to pin it by.")]
    handle: Annotated[str | None, Meta(description="The handle for `retrieve`. null without an archive.")] = None


class EpochReceipt(Wire, frozen=True):
    """What one epoch did, and its arithmetic."""

    epoch: Annotated[int, Meta(description="Its number.")]
    opening: Annotated[
        str,
        Meta(
            description="Why it was opened: price, cold, red, forced, compaction, tree, model, "
            "policy, pin, undo, rewritten."
        ),
    ]
    before: Annotated[int, Meta(description="Tokens of the list to send without this epoch.")]
    after: Annotated[int, Meta(description="Tokens of the list to send with it.")]
    arithmetic: Annotated[str, Meta(description="What it costs and what it saves, in one line.")]
    count: Annotated[int, Meta(description="How many things were removed.")]
    at: Annotated[int | None, Meta(description="The call's time.")] = None
    left: Annotated[
        tuple[Left, ...] | None,
        Meta(description="What was removed, in the order of the list. Present for one epoch."),
    ] = None
    omitted: Annotated[
        int | None, Meta(description="How many more were removed that are not listed: the smallest ones.")
    ] = None
    text: Annotated[
        str | None,
        Meta(
            description='What it did, for people. Example: "removed 12 old results, 17,000 tokens; pays after 3 '
            'calls".'
        ),
    ] = None
    pays_after: Annotated[
        int | None,
        Meta(
            description="Number of calls after which it has saved what it cost. 0: at once. Absent if it saves "
            "nothing, or if this is unknown."
        ),
    ] = None


class HeldPin(Wire, frozen=True, omit_defaults=False):
    """A pin, and what it keeps. `unpin` takes `{by: value}`."""

    by: Annotated[PinBy, Meta(description="What the pin names.")]
    value: Annotated[str, Meta(description="The digest, call id, path or tool.")]
    messages: Annotated[int, Meta(description="Number of messages of the last list that it keeps.")]
    call: Annotated[
        str | None,
        Meta(
            description="As in a verdict, for the message that is pinned by digest or by call id. Otherwise null."
        ),
    ] = None


class ExplainResult(Wire, frozen=True, omit_defaults=False):
    """What happened to each message of the last list."""

    verdicts: Annotated[
        tuple[Verdict, ...], Meta(description="In the order of the list. Inserted messages come first.")
    ]
    epochs: Annotated[tuple[EpochReceipt, ...], Meta(description="The receipts that are kept, oldest first.")]
    seq: Seq
    pins: Annotated[tuple[HeldPin, ...], Meta(description="All pins of the session, oldest first.")] = ()


Attribute = str | int | float | bool


class TelemetryEvent(Wire, frozen=True):
    """Something that happened in a session. It contains nothing that a user, a model or a tool wrote."""

    name: Annotated[
        str,
        Meta(
            description="ctxmgr.list, ctxmgr.epoch, ctxmgr.compaction or ctxmgr.fallback. For usage that a host "
            "reported: gen_ai.client.inference.operation.details of the semantic conventions."
        ),
    ]
    attributes: Annotated[
        dict[str, Attribute],
        Meta(
            description="Names from OpenTelemetry's semantic conventions for generative AI (`gen_ai.*`, "
            "`error.type`), and our own (`ctxmgr.*`). What the host itself sent is limited to the ids "
            "of session and model and the provider's name."
        ),
    ]
