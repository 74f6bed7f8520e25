"""How far a session is safe in the store that it goes to."""

import msgspec


class Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """`seq`: of the newest event that is there, None where none is known to be. `note`: a sentence for people while
    something is wrong."""

    seq: int | None = None
    note: str | None = None
