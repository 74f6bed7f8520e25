"""Turns of a conversation in few letters."""

from typing import Any

from tests.conversations import text_of
from tests.notation import Said, a, call, r, u

READ = call("read", path="x")
BULKY = text_of(200)  # 1 689 characters: distilled in every zone
LONG = u("please " + "do " * 200)


def turns(count: int, said: Said = LONG) -> list[Said]:
    """Turns of two messages."""
    return [one for _ in range(count) for one in (said, a("ok"))]


def did(text: str, **path: Any) -> list[Said]:
    return [a(call("read", **path)), r(text)]
