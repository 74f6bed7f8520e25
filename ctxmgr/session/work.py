"""What a method may request from its caller: work that belongs in another thread, the archive, and for a job also
completions and vectors that somebody else makes.
"""

from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

import msgspec

from ctxmgr.model import ArchiveRow, policy
from ctxmgr.model.compaction import CompletionRequest

INLINE_BYTES = 6_000  # of new text; counting less takes less time than a hop to a thread and back

Answer = TypeVar("Answer")


class Offload(msgspec.Struct, frozen=True):
    """A function to run anywhere; its value is sent back into the method. It never raises for bad input."""

    run: Callable[[], Any]


class Weighing(Offload, frozen=True):
    """Work that uses a vocabulary, perhaps in another process. It blocks only the caller."""


class ArchivePut(msgspec.Struct, frozen=True):
    """Put these rows in the archive; returns an `ArchiveAnswer`."""

    rows: tuple[ArchiveRow, ...]
    limits: policy.Archive


class ArchiveGet(msgspec.Struct, frozen=True):
    """Get what the archive has of this session under a handle; returns an `ArchiveAnswer`."""

    handle: str
    limits: policy.Archive


class ArchiveSearch(msgspec.Struct, frozen=True):
    """Search the archive of this session, and these rows that it refused, for the words of a query; returns an
    `ArchiveAnswer`.
    """

    query: str
    limit: int
    unsaved: tuple[ArchiveRow, ...]
    limits: policy.Archive


class StoreFlush(msgspec.Struct, frozen=True):
    """Continue when the session's saved lines are in the store, or cannot be stored now. `leaving`: the session
    ends.
    """

    leaving: bool = False


class Embed(msgspec.Struct, frozen=True):
    """Vectors of these texts from the host; returns None if it gave none."""

    texts: tuple[str, ...]


class Await(msgspec.Struct, frozen=True):
    """Continue when this has ended, in any way."""

    future: Future[Any]


# a verb that may ask for work, for the archive, and for the store, on its way to its answer
Verb = Generator[Offload | ArchivePut | ArchiveGet | ArchiveSearch | StoreFlush, Any, Answer]
# a job may ask for a tuple of completions and for vectors as well
Routine = Generator[Offload | Embed | Await | tuple[CompletionRequest, ...], Any, Answer]


class ModelRunner(msgspec.Struct, frozen=True):
    """Who runs the summarizing model, and how many calls at once. `window` and `max_output_tokens` in tokens."""

    kind: Literal["host", "endpoint", "none"]
    window: int
    max_output_tokens: int | None = None
    endpoint: policy.Endpoint | None = None
    concurrency: int = 1


class Job(msgspec.Struct, frozen=True):
    """A long call to run beside the queues. `deadline_ms`: milliseconds from its start; `at_deadline`: the answer
    then, None if the steps handle that themselves without a model. `token`: for `$/progress`.
    """

    routine: Routine[Any]
    runner: ModelRunner
    deadline_ms: int | None = None
    at_deadline: Any = None
    token: str | int | float | None = None
