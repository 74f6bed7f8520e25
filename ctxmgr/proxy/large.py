"""What is large is read in a thread, once: the loop has other programs to serve.

A message of 30 MB takes a tenth of a second to read, and each step of a call asks something else of it. What a
function of its bytes gave is held for the newest large messages, by the very object, so that the loop finds it.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

LARGE_BYTES = 1 << 20
MOST_HELD = 16  # values

_held: OrderedDict[tuple[Any, ...], tuple[bytes, Any]] = OrderedDict()


def once_if_large(read: Callable[P, R]) -> Callable[P, R]:
    """For a pure function whose last parameter is the message."""

    @wraps(read)
    def found(*given: P.args, **named: P.kwargs) -> R:
        raw = given[-1]
        if not isinstance(raw, bytes) or len(raw) < LARGE_BYTES:
            return read(*given, **named)
        key = (read, *given[:-1], id(raw))
        if (known := _held.get(key)) is not None and known[0] is raw:
            return known[1]  # type: ignore[no-any-return]
        value = read(*given, **named)
        _held[key] = (raw, value)
        while len(_held) > MOST_HELD:
            _held.popitem(last=False)
        return value

    return found
