"""What goes wrong on a call, by plan: `{3: failing(529), 7: Cut(after_events=4), 9: Reset(), 11: Hold(gate)}`.

The keys count the calls of a model from 0, repeated ones too; token counts and other paths are none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.model_server import Gate


@dataclass(frozen=True)
class Status:
    """An error as the provider says it, instead of an answer."""

    status: int
    sentence: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """The connection ends in the middle of an answer's stream."""

    after_events: int = 4


@dataclass(frozen=True)
class Reset:
    """The connection is reset before an answer begins."""


@dataclass(frozen=True)
class Hold:
    """The answer begins when the test opens the gate."""

    gate: Gate


Fault = Status | Cut | Reset | Hold
SENTENCES = {429: "This request would exceed your rate limit", 529: "Overloaded", 500: "Internal server error"}


def failing(status: int, retry_after_s: int | None = None) -> Status:
    headers = {} if retry_after_s is None else {"retry-after": str(retry_after_s)}
    return Status(status, SENTENCES.get(status, "Something went wrong"), headers)
