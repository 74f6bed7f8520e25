"""What a verb may ask its caller for: work that takes long enough to belong in another thread, the archive, and for
a job also completions and vectors, which somebody else makes."""

from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

import msgspec

from ctxmgr.model import ArchiveRow, policy
from ctxmgr.model.compaction import CompletionRequest

INLINE_BYTES = 6_000  # of new text; below it weighing takes less than the hop to a thread and back is worth

Answer = TypeVar("Answer")


class Offload(msgspec.Struct, frozen=True):
    """A function to run anywhere; its value is sent back into the verb. It never raises for bad input."""

    run: Callable[[], Any]


class Weighing(Offload, frozen=True):
    """Work that asks a vocabulary, which may be another process: it holds up who waits for it, and nobody else."""


class ArchivePut(msgspec.Struct, frozen=True):
    """These rows in the archive; an `ArchiveAnswer` comes back."""

    rows: tuple[ArchiveRow, ...]
    limits: policy.Archive


class ArchiveGet(msgspec.Struct, frozen=True):
    """What the archive holds of this session under a handle; an `ArchiveAnswer` comes back."""

    handle: str
    limits: policy.Archive


class ArchiveSearch(msgspec.Struct, frozen=True):
    """What the archive holds of this session that has the words of a query, and what of these rows, which it did
    not take; an `ArchiveAnswer` comes back."""

    query: str
    limit: int
    unsaved: tuple[ArchiveRow, ...]
    limits: policy.Archive


class StoreFlush(msgspec.Struct, frozen=True):
    """Go on when what the session saved is in the store, or cannot be had there now. `leaving`: the session
    ends."""

    leaving: bool = False


class Embed(msgspec.Struct, frozen=True):
    """Vectors of these texts, by the host; None comes back where it gave none."""

    texts: tuple[str, ...]


class Await(msgspec.Struct, frozen=True):
    """Go on when this has ended, however it did."""

    future: Future[Any]


# a verb that may ask for work, for the archive, and for the store, on its way to its answer
Verb = Generator[Offload | ArchivePut | ArchiveGet | ArchiveSearch | StoreFlush, Any, Answer]
# a job may ask for a tuple of completions and for vectors as well
Routine = Generator[Offload | Embed | Await | tuple[CompletionRequest, ...], Any, Answer]


class ModelRunner(msgspec.Struct, frozen=True):
    """Who runs the summarising model, so many calls side by side. `window` and `max_output_tokens` in tokens."""

    kind: Literal["host", "endpoint", "none"]
    window: int
    max_output_tokens: int | None = None
    endpoint: policy.Endpoint | None = None
    concurrency: int = 1


class Job(msgspec.Struct, frozen=True):
    """A long call to be carried out beside the queues. `deadline_ms` in milliseconds from its start; `at_deadline`
    is the answer then, None where the steps themselves make do without a model. `token` for `$/progress`."""

    routine: Routine[Any]
    runner: ModelRunner
    deadline_ms: int | None = None
    at_deadline: Any = None
    token: str | int | float | None = None
