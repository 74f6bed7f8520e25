"""What is said of a method: a row of the table in `methods`."""

from typing import Any, Literal

import msgspec

# "request": always answered. "notification": never. "event": either, as the host likes.
Kind = Literal["request", "notification", "event"]
Direction = Literal["to ctxmgr", "to host"]


class Method(msgspec.Struct, frozen=True):
    """One row. `counted`: taking effect, it raises the session's `seq`. `result` None: the answer is null.

    `job`: it may take long and holds nothing up: it sees the session as it was in its turn, and no more.
    `both_ways`: the other side sends it as well.
    """

    name: str
    kind: Kind
    params: type[Any]
    result: Any
    summary: str
    session: bool = True
    job: bool = False
    counted: bool = False
    errors: tuple[int, ...] = ()
    direction: Direction = "to ctxmgr"
    both_ways: bool = False
