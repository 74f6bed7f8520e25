"""Where the lists of conversations without a name ended: by that one is known again after a restart of the proxy.

1. A line of the file is a conversation's key, the number of messages of its last list, and their digest. The last
   line of a key holds. It tells nothing of what was said.
2. A list goes on from the longest of those that it begins with.
3. Proxies share the file: each adds lines at its end. One that has grown is written anew with the newest keys.
4. A disk at fault stops nothing: conversations begin anew then.
"""

import contextlib
import hashlib
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

FILE = "proxy-conversations"
MOST_KEYS = 1_000
MOST_LINES = 10_000
DIGEST_BYTES = 8
MODE, FOLDER_MODE = 0o600, 0o700
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)

End = tuple[int, str]  # so many messages, and their digest


def digest(parts: Iterable[bytes]) -> str:
    found = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        _add(found, part)
    return found.hexdigest()


class ListEnds:
    """Of one state directory."""

    def __init__(self, state_dir: str) -> None:
        self._path = Path(state_dir) / FILE
        self._lines = 0  # of the file, as far as is known here

    def find(self, base: str, messages: Sequence[bytes], taken: Collection[str]) -> str | None:
        """The key of the conversation with this base that the list goes on from; none that is `taken`."""
        ends = {key: end for key, end in self._read().items() if key.startswith(f"{base}.") and key not in taken}
        wanted = {count for count, _ in ends.values()}
        digests: dict[int, str] = {}
        found = hashlib.blake2b(digest_size=DIGEST_BYTES)
        for number, raw in enumerate(messages, 1):
            _add(found, raw)
            if number in wanted:
                digests[number] = found.hexdigest()
        fitting = [(count, key) for key, (count, told) in ends.items() if digests.get(count) == told]
        return max(fitting)[1] if fitting else None

    def note(self, key: str, messages: Sequence[bytes]) -> None:
        """The conversation's last list."""
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            self._append(self._path, [(key, (len(messages), digest(messages)))])
            self._lines += 1
            if self._lines >= MOST_LINES:
                self._shorten()

    # within

    def _read(self) -> dict[str, End]:
        """The newest last."""
        ends: dict[str, End] = {}
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return {}
        for line in lines:
            parts = line.split(" ")
            if len(parts) == 3 and parts[1].isdecimal():
                ends.pop(parts[0], None)
                ends[parts[0]] = (int(parts[1]), parts[2])
        self._lines = len(lines)
        return ends

    def _shorten(self) -> None:
        ends = self._read()
        beside = self._path.with_name(f"{FILE}.{os.getpid()}")
        beside.unlink(missing_ok=True)
        self._append(beside, [*ends.items()][-MOST_KEYS:])
        beside.replace(self._path)
        self._lines = min(len(ends), MOST_KEYS)

    def _append(self, path: Path, ends: Sequence[tuple[str, End]]) -> None:
        text = "".join(f"{key} {count} {told}\n" for key, (count, told) in ends)
        file = os.open(path, FLAGS, MODE)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def _add(found: "hashlib.blake2b", part: bytes) -> None:
    found.update(len(part).to_bytes(8, "big"))
    found.update(part)
