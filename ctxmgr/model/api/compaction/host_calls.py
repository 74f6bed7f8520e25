"""What ctxmgr asks of a host's models while it writes, and how it says how far it is."""

from __future__ import annotations  # evaluated with the first call that needs them, not at the start

from typing import Annotated, Any, Literal

from msgspec import Meta

from ctxmgr.model.api.lifecycle import Token, Wire


class CompleteParams(Wire, frozen=True):
    """One model call for the host to run: one user message under a system prompt, no tools. Or, where there is an
    `instruction`, the host's last request once more with that at its end."""

    session_id: Annotated[
        str | None, Meta(description="The session it is for; null where the call that needs it named none.")
    ]
    purpose: Annotated[str, Meta(description="What it is for.")]
    system: Annotated[str, Meta(description='The system prompt; "" with an `instruction`.')]
    prompt: Annotated[str, Meta(description='The user message; "" with an `instruction`.')]
    max_tokens: Annotated[int, Meta(description="The longest answer in tokens.")]
    instruction: Annotated[
        str | None,
        Meta(
            description="Only where `capabilities.completeOnContext` is declared: one user message, to be appended "
            "to the session's last request and what came since (the reply, its results), with the same system "
            "prompt and the same tools. What the model answers is not to become part of the session. An answer "
            "that can not be used, such as a tool call, is asked for again with a copy of the conversation in "
            "`prompt`."
        ),
    ] = None


class CompleteResult(Wire, frozen=True):
    """What the model answered. A failed call may be answered with an error as well."""

    text: Annotated[str, Meta(description="The text.")] = ""
    stop_reason: Annotated[
        str,
        Meta(
            description='"stop", "length", "toolUse", "error" or "aborted"; the spellings of other '
            'interfaces ("end_turn", "max_tokens", "tool_calls") are known. Only "stop" '
            "is taken for an answer."
        ),
    ] = "stop"
    usage: Annotated[
        Any,
        Meta(
            description="`{input, output, cacheRead, cacheWrite}` in tokens; what has another shape is passed over."
        ),
    ] = None
    error_message: Annotated[str | None, Meta(description="What went wrong.")] = None


class EmbedParams(Wire, frozen=True):
    """Texts to turn into vectors, by a model of the host."""

    session_id: Annotated[
        str | None, Meta(description="The session it is for; null where the call that needs it named none.")
    ]
    texts: Annotated[tuple[str, ...], Meta(description="The texts.")]


class EmbedResult(Wire, frozen=True):
    """The vectors."""

    vectors: Annotated[list[list[float]], Meta(description="One vector a text, in their order, all of one length.")]


class ProgressValue(Wire, frozen=True):
    """One step of a call."""

    kind: Annotated[Literal["begin", "report", "end"], Meta(description="Where in the call it is.")]
    message: Annotated[str | None, Meta(description="What is being done, for people.")] = None
    percentage: Annotated[int | None, Meta(description="From 0 to 100.")] = None


class ProgressParams(Wire, frozen=True):
    """How far a call is."""

    token: Annotated[Token, Meta(description="The `progressToken` of the call.")]
    value: Annotated[ProgressValue, Meta(description="How far it is.")]
