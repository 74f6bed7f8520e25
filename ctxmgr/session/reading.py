"""Turns raw messages into messages the engine can weigh: decoded once, weighed once. Runs in any thread."""

from collections.abc import Callable, Sequence
from types import ModuleType

import msgspec

from ctxmgr.engine.digest import digest
from ctxmgr.model.messages import Message, View

IMAGE_TOKENS = 1_200  # weight of one image: between what providers charge for small and for large ones


class Read(msgspec.Struct, frozen=True):
    """What a verb asks for when it must know new messages: reading them may take long."""

    raws: tuple[bytes, ...]

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(len(raw) for raw in self.raws)


class Reader:
    """Reads messages of one format with one weigher; `name` says which weigher."""

    def __init__(self, form: ModuleType, weigh: Callable[[str], int], name: str) -> None:
        self.form, self.weigh, self.name = form, weigh, name

    def read(self, raws: Sequence[bytes]) -> tuple[Message, ...]:
        return tuple(self._message(raw) for raw in raws)

    def _message(self, raw: bytes) -> Message:
        view: View = self.form.view(raw)
        weights = tuple(
            (self.weigh(unit.text) if unit.text else 0) + IMAGE_TOKENS * unit.images for unit in view.units
        )
        return Message(raw, digest(view), view, weights, sum(weights) + self.form.extra_weight(view))
