"""What is kept of an original: without its secrets, unless the policy keeps them, at the same places."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ctxmgr.devices.archive.at_rest import at_rest
from ctxmgr.devices.archive.databases import ArchiveDatabases
from ctxmgr.devices.archive.file import NAME
from ctxmgr.masking import legible
from ctxmgr.model.archive import ArchiveRow
from ctxmgr.model.policy import Archive as Limits
from tests.unit.masking.secrets import SECRETS, secret_of

WAIT_SECONDS = 60  # only a failure waits so long
IDS = [f"{name} {at}" for at, (name, _, _) in enumerate(SECRETS)]
BEFORE = "some lines\nbefore it\n"


def kept(directory: Path, row: ArchiveRow, limits: Limits) -> tuple[ArchiveRow, list[ArchiveRow], bytes]:
    """What comes back, what a store is given, and the bytes on disk."""
    given: list[ArchiveRow] = []

    def on_put(rows: Sequence[ArchiveRow]) -> None:
        given.extend(rows)

    running = ArchiveDatabases()
    assert running.put(str(directory), "s", [row], limits, on_put).result(WAIT_SECONDS).fault is None
    answer = running.get(str(directory), "s", row.handle, limits).result(WAIT_SECONDS)
    on_disk = b"".join(path.read_bytes() for path in directory.glob(f"{NAME}*"))
    running.close()
    assert answer.row is not None
    return answer.row, given, on_disk + (directory / NAME).read_bytes()


@pytest.mark.parametrize(("name", "text", "left"), SECRETS, ids=IDS)
def test_no_secret_is_on_disk_or_in_a_store(tmp_path: Path, name: str, text: str, left: str) -> None:
    row = ArchiveRow("h", "k", f"bash command={text}", f"{BEFORE}{text}")
    back, given, on_disk = kept(tmp_path, row, Limits())
    assert secret_of(text, left).encode() not in on_disk
    assert given == [back]
    assert legible(back.text) == BEFORE + left.replace("{}", "[masked]")
    assert len(back.text) == len(row.text)


@pytest.mark.parametrize(("name", "text", "left"), SECRETS[:3], ids=IDS[:3])
def test_keep_secrets_keeps_originals_byte_for_byte(tmp_path: Path, name: str, text: str, left: str) -> None:
    row = ArchiveRow("h", "k", f"bash command={text}", f"{BEFORE}{text}")
    back, given, on_disk = kept(tmp_path, row, Limits(keep_secrets=True))
    assert (back, given) == (row, [row])
    assert secret_of(text, left).encode() in on_disk


def test_a_row_without_a_secret_is_the_same_row() -> None:
    row = ArchiveRow("h", "k", 'read path="a.py"', "x = 1\n")
    assert at_rest([row], Limits())[0] is row
