"""What `telemetry/event` tells a host that asked for it: numbers and words of ours, and no conversation."""

from typing import Annotated

from msgspec import Meta

from ctxmgr.model.api.lifecycle import Wire

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
