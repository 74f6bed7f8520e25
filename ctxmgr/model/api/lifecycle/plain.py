"""The types that params and answers are made of.

Numbers are typed int | float because JavaScript hosts write 1e21 or 1.0 where an integer is meant. Messages and
entries stay raw: what a host sends is decoded by its format, not here, and goes back byte for byte.
"""

from typing import Annotated

import msgspec

# Stands, in a list, for the messages before that were recognised without a parse.
KNOWN_MESSAGES = b'{"ctxmgr":"the messages you sent before"}'

Number = int | float
Count = Annotated[int, msgspec.Meta(ge=0)] | Annotated[float, msgspec.Meta(ge=0)]
Window = Annotated[int, msgspec.Meta(ge=1, le=2**53)] | Annotated[float, msgspec.Meta(ge=1, le=2**53)]
RawList = list[msgspec.Raw]
Token = str | int | Annotated[float, msgspec.Meta(multiple_of=1)]  # a whole number may be written 1.0


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of everything on the wire."""
