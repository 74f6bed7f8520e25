"""What the APIs of model servers differ in: the address, the headers, the request, and how an answer is read."""

from typing import Any, Protocol

from ctxmgr.devices.endpoint.answer import Answer
from ctxmgr.model.compaction import CompletionRequest


class Api(Protocol):
    """One API, in one way of asking where servers differ."""

    def address(self, base: bytes) -> bytes:
        """The path that is asked, of the path of `baseUrl`."""
        ...

    def headers(self, key: str | None) -> dict[str, str]:
        """Those of this API; None: no key is sent."""
        ...

    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]: ...

    def answer(self, max_tokens: int) -> Answer:
        """A reader of one answer."""
        ...

    def refused_by(self, words: str) -> str:
        """The name of what a refusal is about and can be asked in another way; "" where it is about none."""
        ...

    def other(self, way: str) -> "Api":
        """The same with this asked in the other way."""
        ...
