"""Reads the lists of requests, of each what is new in it alone: a list mostly goes on from one that came before.

1. Messages at the beginning that stand there byte for byte as in an earlier list are that list's very objects.
2. What is read is the body without them; it says the same of all else. Where that is in doubt (the list stands
   elsewhere, there is a comma too many), all of the body is read.
"""

import itertools
import re

import msgspec

from ctxmgr.proxy.body import ListBody, list_body

MOST_LISTS = 8  # held: programs, sub-agents and side calls that speak in turn
MOST_BYTES = 64 << 20  # of all of them
_comma = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*").match


class RecentLists:
    """Of one proxy."""

    def __init__(self) -> None:
        self._lists: list[tuple[str, ListBody]] = []  # by the list's member, used last at the end

    def read(self, body: bytes, name: str) -> ListBody | None:
        """As `list_body`. Raises UnreadableBody."""
        count, before = max(
            ((_known(body, one), one) for member, one in self._lists if member == name),
            key=lambda found: found[0],
            default=((0, 0), None),
        )
        found = _from(body, name, before, *count) if before is not None and count[0] else None
        if found is None:
            found = list_body(body, name)
        if found is not None and found.messages:
            if before is not None and count[0] >= len(before.messages) - 1:
                self._lists = [one for one in self._lists if one[1] is not before]
            self._lists = _held([*self._lists[1 - MOST_LISTS :], (name, found)])
        return found


def _held(lists: list[tuple[str, ListBody]]) -> list[tuple[str, ListBody]]:
    """The newest, in no more than so many bytes."""
    sizes = itertools.accumulate(one.list_bytes for _, one in reversed(lists))
    fitting = sum(size <= MOST_BYTES for size in sizes)
    return lists[len(lists) - fitting :]


def _known(body: bytes, before: ListBody) -> tuple[int, int]:
    """So many messages of an earlier list the body begins with, and where the next one stands."""
    start = before.before + b"["
    count = place = 0
    if body.startswith(start):
        place = len(start)
        for raw in before.messages:
            comma = _comma(body, place + len(raw)) if body.startswith(raw, place) else None
            if comma is None:
                break
            count, place = count + 1, comma.end()
    return count, place


def _from(body: bytes, name: str, before: ListBody, count: int, place: int) -> ListBody | None:
    """Rule 2."""
    if body.startswith(b"]", place):
        return None
    rest = list_body(before.before + b"[" + body[place:], name)
    if rest is None or rest.before != before.before:
        return None
    return msgspec.structs.replace(rest, messages=[*before.messages[:count], *rest.messages])
