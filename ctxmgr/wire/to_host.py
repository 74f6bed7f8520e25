"""What ctxmgr sends by itself: the rows of the table of methods whose direction is to the host."""

from ctxmgr.model.api import TelemetryEvent, compaction, lifecycle
from ctxmgr.wire.method import Method

TO_HOST: tuple[Method, ...] = (
    Method(
        "requestCompaction",
        "request",
        lifecycle.RequestCompactionParams,
        lifecycle.RequestCompactionResult,
        "Asks the host to compact; accepted means queued, and is answered at once.",
        direction="to host",
    ),
    Method(
        "complete",
        "request",
        compaction.CompleteParams,
        compaction.CompleteResult,
        "One model call that the host runs; asked only where `capabilities.complete` is declared.",
        direction="to host",
    ),
    Method(
        "embed",
        "request",
        compaction.EmbedParams,
        compaction.EmbedResult,
        "Vectors of texts, by a model of the host; asked only where `capabilities.embed` is declared.",
        direction="to host",
    ),
    Method(
        "$/progress",
        "notification",
        compaction.ProgressParams,
        None,
        "How far a request is that named a `progressToken`.",
        session=False,
        direction="to host",
    ),
    Method(
        "telemetry/event",
        "notification",
        TelemetryEvent,
        None,
        "What happened in a session, in numbers; sent only where `capabilities.telemetry` is declared.",
        session=False,
        direction="to host",
    ),
)
