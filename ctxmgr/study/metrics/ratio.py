"""A count of things that were asked for, and how many of them were there."""

from collections.abc import Iterable

import msgspec


class Ratio(msgspec.Struct, frozen=True, gc=False):
    part: int = 0
    total: int = 0

    @property
    def share(self) -> float | None:
        """None where nothing was asked for."""
        return self.part / self.total if self.total else None


def total(some: Iterable[Ratio]) -> Ratio:
    """Of all together: each counts by what was asked of it."""
    held = of = 0
    for one in some:
        held += one.part
        of += one.total
    return Ratio(held, of)
