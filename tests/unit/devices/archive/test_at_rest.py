"""What is kept of an original: without its secrets, unless the policy keeps them, at the same places."""

from collections.abc import Sequence
from pathlib import Path

from ctxmgr.devices.archive.database import ArchiveDatabases
from ctxmgr.devices.archive.file import NAME
from ctxmgr.masking import legible
from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.model.policy import Archive as Limits
from tests.unit.masking.secrets import SECRETS, secret_of

WAIT_SECONDS = 60  # only a failure waits so long
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


def test_no_secret_is_on_disk_or_in_a_store_unless_they_are_to_be_kept(tmp_path: Path) -> None:
    for number, (name, text, left) in enumerate(SECRETS[:3]):
        row = ArchiveRow("h", "k", f"bash command={text}", f"{BEFORE}{text}")
        back, given, on_disk = kept(tmp_path / f"masked {number}", row, Limits())
        assert secret_of(text, left).encode() not in on_disk, name
        assert given == [back]
        assert legible(back.text) == BEFORE + left.replace("{}", "[masked]")
        assert len(back.text) == len(row.text)
        back, given, on_disk = kept(tmp_path / f"kept {number}", row, Limits(keep_secrets=True))
        assert (back, given) == (row, [row])
        assert secret_of(text, left).encode() in on_disk
