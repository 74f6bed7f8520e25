"""Turns a course into where each reply's names last stood before it: so whoever cuts a list knows what is missed.

A name that the user said stands in what always stays: it can not be missed, but it counts.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from ctxmgr.study.baselines.timeline import Course

Names = Callable[[bytes], Iterable[str]]


class Standing(msgspec.Struct, frozen=True, gc=False):
    """Of one reply. `names`: how many of its names had occurred before; `last`: of those that no user message has,
    the places of the last messages that have them."""

    names: int
    last: tuple[int, ...]


def standing(found: Course, names: Names) -> Iterator[Standing]:
    """One for each call. `names`: of a message's bytes; each message is asked about once."""
    last: dict[str, int] = {}
    spoken: set[str] = set()
    replies = {asked.end for asked in found.asked}
    for place, one in enumerate(found.items):
        here = sorted(set(names(one.raw)))
        if place in replies:
            known = [name for name in here if name in last or name in spoken]
            yield Standing(len(known), tuple(last[name] for name in known if name not in spoken))
        if one.role == "user":
            spoken.update(here)
        else:
            last.update(dict.fromkeys(here, place))
