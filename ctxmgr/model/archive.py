"""What goes into the archive of originals, and what comes back of it."""

import msgspec


class ArchiveRow(msgspec.Struct, frozen=True, gc=False):
    """The original of one thing that left. `handle` is what a marker names it by, `key` its decision's key,
    `call_text` the tool and its telling arguments (or what the message was), `text` all of what left."""

    handle: str
    key: str
    call_text: str = msgspec.field(name="call")
    text: str


class ArchiveHit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One original that a search found. `tool` and `path` as its call names them. `snippet`: a stretch of the text,
    secrets masked, that begins at its character `offset` of `total`."""

    handle: str
    call_text: str = msgspec.field(name="call")
    tool: str | None
    path: str | None
    snippet: str
    offset: int
    total: int


class ArchiveAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The archive's answer to rows that were put (`fault` None: it has them), to a handle (`row` None: it holds
    none under it) or to a search (`hits`, best first). `fault` and `note` are sentences for people; with a note
    all went well."""

    row: ArchiveRow | None = None
    fault: str | None = None
    note: str | None = None
    hits: tuple[ArchiveHit, ...] = ()
