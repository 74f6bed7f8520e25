"""What is remembered of cache marks: which starts of the answered list a provider was told to keep."""

import msgspec


class MarkedStart(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first `message_count` messages of the answered list: a mark stood at their end. `time_ms`: of the last
    call that marked it, None where the host told no time. `is_join`: there an epoch's list went on from the one
    before."""

    message_count: int = msgspec.field(name="count")
    time_ms: int | None = msgspec.field(default=None, name="at")
    is_join: bool = msgspec.field(default=False, name="join")
