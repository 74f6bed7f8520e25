"""The params and answers of what brings back what left, or keeps it from leaving, as they stand on the wire."""

from typing import Annotated

import msgspec

from ctxmgr.model.api.lifecycle import Count, Wire

LONGEST_NAME = 1_024  # characters: some hosts put two ids of a provider's in one, with hundreds each
LONGEST_PATH = 4_096  # characters, as Linux has it

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
Path = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_PATH)]
Size = Annotated[int, msgspec.Meta(ge=1)] | Annotated[float, msgspec.Meta(ge=1)]


class RetrieveParams(Wire, frozen=True):
    """`offset` and `limit` in characters."""

    session_id: str
    handle: str
    offset: Count | None = None
    limit: Size | None = None


class RetrieveResult(Wire, frozen=True, omit_defaults=False):
    """One page of an original, in characters; `call` says what it is the original of."""

    text: str
    offset: int
    next: int | None
    total: int
    more: bool
    call: str
    seq: int


class PinParams(Wire, frozen=True):
    """Exactly one of the four is given."""

    session_id: str
    call_id: Name | None = None
    digest: Name | None = None
    path: Path | None = None
    tool: Name | None = None


class UndoParams(Wire, frozen=True):
    session_id: str
    epoch: Count
