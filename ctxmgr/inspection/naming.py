"""Finds the saved session that a person means: by its id, or by a prefix of it.

Ids of agents' sessions have the form `PROGRAM:ID`; the program may be omitted. `short` returns the shortest unique
prefix, with at least `SHORTEST` characters after the program. A session to be deleted is named by its whole id:
after `s1` has been deleted, `s1` is a prefix of `s10` alone.
"""

import contextlib
import json
from collections.abc import Collection, Iterable, Sequence
from os.path import commonprefix
from pathlib import Path

from ctxmgr.devices import ArchiveDatabase, ArchiveFault
from ctxmgr.devices.snapshots import file_name

MOST_NAMED = 10  # candidates
SHORTEST = 8
_LINE_BYTES = 4096  # of a snapshot's first line: the id is near its beginning


class NotOne(Exception):
    """The name matches no session, or more than one (`is_ambiguous`). The text says which."""

    def __init__(self, text: str, is_ambiguous: bool = False) -> None:
        super().__init__(text)
        self.is_ambiguous = is_ambiguous


def meant(directory: Path, named: str, archive: ArchiveDatabase | None = None) -> str:
    """The session with this id, or else the only one whose id begins with it. Raises NotOne, and ArchiveFault if
    `archive` is given and cannot be read.
    """
    if (directory / file_name(named)).exists():
        return named
    return one_of(named, known(directory, archive), directory)


def whole(directory: Path, named: str) -> str:
    """The session with this id, or with this id after its program. Raises NotOne."""
    id = meant(directory, named)
    if named not in (id, _without_program(id)):
        raise NotOne(f"no session has the id {named}; to delete {id}, give its whole id")
    return id


def one_of(named: str, ids: Collection[str], where: object) -> str:
    """Like `meant`, for these ids. `where`: their origin, for the text of a fault."""
    found = (
        [id for id in ids if id == named]
        or [id for id in ids if _without_program(id) == named]
        or [id for id in ids if id.startswith(named)]
        or [id for id in ids if _without_program(id).startswith(named)]
    )
    if not named or not found:
        raise NotOne(f"nothing is saved of {named} in {where}; --state-dir names another")
    if len(found) > 1:
        more = [f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
        listed = ", ".join([*found[:MOST_NAMED], *more])
        raise NotOne(f"{len(found)} sessions begin with {named}: {listed}", is_ambiguous=True)
    return found[0]


def _without_program(id: str) -> str:
    return id.partition(":")[2]


def known(directory: Path, archive: ArchiveDatabase | None = None) -> list[str]:
    """The ids of sessions with a snapshot or with originals, sorted."""
    ids = set(_saved(directory))
    if archive is not None:
        ids.update(size.session_id for size in archive.sizes())
    else:
        with contextlib.suppress(ArchiveFault), contextlib.closing(ArchiveDatabase(directory)) as own:
            ids.update(size.session_id for size in own.sizes())
    return sorted(ids)


def short(ids: Sequence[str]) -> dict[str, str]:
    """Each id with its shortest unique prefix."""
    ordered, made = sorted(ids), {}
    for at, id in enumerate(ordered):
        beside = [other for other in (*ordered[max(0, at - 1) : at], *ordered[at + 1 : at + 2]) if other != id]
        shared = max((len(commonprefix((id, other))) for other in beside), default=0)  # noqa: RUF071  no paths
        program = id.find(":") + 1
        made[id] = id[: max(shared + 1, program + SHORTEST)]
    return made


def _saved(directory: Path) -> Iterable[str]:
    """The session ids of snapshots, from their first lines."""
    if not directory.is_dir():
        return
    for path in directory.glob("*.jsonl"):
        with contextlib.suppress(OSError), path.open("rb") as file:
            head = file.readline(_LINE_BYTES).partition(b'"sessionId":')[2]
            with contextlib.suppress(ValueError):
                found, _ = json.JSONDecoder().raw_decode(head.decode("utf-8", "replace"))
                if isinstance(found, str):
                    yield found
