"""What ctxmgr asks of a host's models while it writes, and how it says how far it is."""

from typing import Any, Literal

from ctxmgr.model.api.lifecycle import Token, Wire


class CompleteParams(Wire, frozen=True):
    """One model call for the host to run: one user message under a system prompt, no tools."""

    session_id: str | None
    purpose: str
    system: str
    prompt: str
    max_tokens: int


class CompleteResult(Wire, frozen=True):
    """`stopReason`: "stop", "length", "toolUse", "error" or "aborted"; only "stop" is taken for an answer."""

    text: str = ""
    stop_reason: str = "stop"
    usage: Any = None
    error_message: str | None = None


class EmbedParams(Wire, frozen=True):
    """Texts to turn into vectors, by a model of the host."""

    session_id: str | None
    texts: tuple[str, ...]


class EmbedResult(Wire, frozen=True):
    """One vector a text, in their order, all of one length."""

    vectors: list[list[float]]


class ProgressValue(Wire, frozen=True):
    """`percentage` from 0 to 100."""

    kind: Literal["begin", "report", "end"]
    message: str | None = None
    percentage: int | None = None


class ProgressParams(Wire, frozen=True):
    token: Token
    value: ProgressValue
