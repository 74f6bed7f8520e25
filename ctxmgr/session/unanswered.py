"""What was made of a list for a call that nobody waits for any more: the next call need not make it again."""

from typing import Any

import msgspec

from ctxmgr.model import Message
from ctxmgr.session.reading import Reader


class Unanswered(msgspec.Struct, frozen=True):
    """`attempt` came of `given` and `asked`; `messages` are those that were read for it, by `reader`."""

    given: tuple[Any, ...]
    asked: tuple[Any, ...]
    reader: Reader
    messages: tuple[Message, ...]
    attempt: Any

    def is_of(self, given: tuple[Any, ...], asked: tuple[Any, ...]) -> bool:
        """Would the same come of these? What was given are objects that nobody changes: they are the same ones."""
        return all(map(lambda one, other: one is other, self.given, given)) and self.asked == asked
