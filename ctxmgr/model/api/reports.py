"""What a projection says of itself: the report of each answer, and `explain` with its verdicts and receipts."""

from typing import Any, Literal

from ctxmgr.model.api.lifecycle import Wire
from ctxmgr.model.epochs import LeftKind


class ReadGone(Wire, frozen=True):
    """A file whose text, or some of it, left the model's view with this answer."""

    path: str


class Report(Wire, frozen=True):
    """What a projection did. Weights are uncalibrated tokens; `checks` names broken promises (normally none);
    `firstChangedIndex` is the first place where the answer differs from the last one, -1 where it only grew.

    `prefixTokens` and `prefixBytes`: so much of the last answer this one begins with, message by message.
    `messagesDropped`: left out one by one (preset balanced). With an epoch that was opened by this call: its
    `arithmetic`, and the files whose reads the model no longer sees.
    """

    raw_tokens: int
    tokens: int
    zone: str
    epoch: int
    first_changed_index: int
    turns_kept: int
    turns_dropped: int
    results_distilled: int
    results_pruned: int
    packet_tokens: int
    checks: tuple[str, ...]
    messages_dropped: int | None = None
    prefix_tokens: int | None = None
    prefix_bytes: int | None = None
    arithmetic: str | None = None
    reads_gone: tuple[ReadGone, ...] | None = None
    reason: str | None = None
    mended: int | None = None


class ContextResult(Wire, frozen=True):
    """Exactly one of `messages`, `edits` and `unchanged` is there. `base` is for the next call's `append`.

    An edit is `{keep: [from, to]}`, half-open, into the whole list with its appended part, or `{put: message}`.
    """

    base: str
    report: Report
    seq: int
    messages: list[Any] | None = None
    edits: list[dict[str, Any]] | None = None
    unchanged: bool | None = None


class Verdict(Wire, frozen=True, omit_defaults=False):
    """One message of the last projection. `index` is null for what was inserted; weights in tokens."""

    index: int | None
    digest: str
    verdict: Literal["kept", "distilled", "pruned", "dropped", "inserted"]
    rule: str
    before: int
    after: int


class ExplainParams(Wire, frozen=True):
    """`epoch`: whose receipt is wanted in full; the newest where it is absent."""

    session_id: str
    epoch: int | None = None


class Left(Wire, frozen=True):
    """One thing that left at an epoch: the tool and its telling arguments, or what the message was."""

    kind: LeftKind
    call: str
    why: str
    before: int
    after: int
    digest: str
    handle: str | None = None


class EpochReceipt(Wire, frozen=True):
    """What one epoch did. `left` is listed for the epoch that was asked about; `omitted`: so many more left."""

    epoch: int
    opening: str
    before: int
    after: int
    arithmetic: str
    count: int
    at: int | None = None
    left: tuple[Left, ...] | None = None
    omitted: int | None = None


class ExplainResult(Wire, frozen=True, omit_defaults=False):
    verdicts: tuple[Verdict, ...]
    epochs: tuple[EpochReceipt, ...]
    seq: int
