"""What a verb may ask its caller for: work that takes long enough to belong in another thread."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

import msgspec

INLINE_BYTES = 6_000  # of new text; below it weighing takes less than the hop to a thread and back is worth

Answer = TypeVar("Answer")


class Work(msgspec.Struct, frozen=True):
    """A function to run anywhere; its value is sent back into the verb. It never raises for bad input."""

    run: Callable[[], Any]


# a verb that may ask for work on its way to its answer
Verb = Generator[Work, Any, Answer]
