"""The types that params and answers are made of.

Numbers are typed int | float because JavaScript hosts write 1e21 or 1.0 where an integer is meant. Messages and
entries stay raw: what a host sends is decoded by its format, not here, and goes back byte for byte.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

# Stands, in a list, for the messages before that were recognised without a parse.
KNOWN_MESSAGES = b'{"ctxmgr":"the messages you sent before"}'

Number = int | float
Count = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Window = Annotated[int, Meta(ge=1, le=2**53)] | Annotated[float, Meta(ge=1, le=2**53)]
RawList = list[msgspec.Raw]
Token = str | int | Annotated[float, Meta(multiple_of=1)]  # a whole number may be written 1.0


# members that mean the same wherever they stand
SessionId = Annotated[str, Meta(description="The session, by the id that `session_start` gave it. Any string.")]
Seq = Annotated[int, Meta(description="How many events of this session have taken effect. See reference.md#order.")]
Timestamp = Annotated[
    Number | str | None,
    Meta(description="When it was written: milliseconds since the epoch, or an ISO 8601 string."),
]
Entries = Annotated[RawList | None, Meta(description="The host's session tree, oldest entry first.")]
LeafId = Annotated[str | None, Meta(description="The entry the branch ends at; absent, the last of `entries`.")]
Instructions = Annotated[str | None, Meta(description="What the user asks of the summary, in words.")]
ProgressToken = Annotated[
    Token | None,
    Meta(description="Any token of the host: with one, `$/progress` tells how far the call is."),
]
Deadline = Annotated[
    Count | None,
    Meta(description="Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`."),
]


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of everything on the wire."""
