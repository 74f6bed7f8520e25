"""Fetches versitygw, the S3 server that the store is tested against, by Go's module proxy, pinned by version (its
hash is in Go's checksum database), into the user's cache.

`python -m tests.store.installing` fetches it once. Tests fetch nothing: they skip aloud where it is missing, or
fail where skips are not allowed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests import needs
from tests.programs.installing import CACHE

MODULE, VERSION = "github.com/versity/versitygw/cmd/versitygw", "v1.8.0"
FOLDER = CACHE / f"versitygw-{VERSION}"
PATH = FOLDER / "versitygw"
FETCH_SECONDS = 900


def installed() -> Path:
    """The server's path, for a test."""
    if not PATH.exists():
        needs.missing(f"versitygw {VERSION} is not at {PATH}: scripts/programs fetches it")
    return PATH


def main() -> int:
    if PATH.exists():
        return 0
    go = shutil.which("go")
    if go is None:
        print("versitygw could not be fetched: Go is not installed", file=sys.stderr)
        return 1
    made = FOLDER.with_name(f"{FOLDER.name}.part")
    made.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GOBIN": str(made)}
    try:
        subprocess.run([go, "install", f"{MODULE}@{VERSION}"], env=environment, check=True, timeout=FETCH_SECONDS)
    except (OSError, subprocess.SubprocessError) as fault:
        print(f"versitygw could not be fetched: {fault}", file=sys.stderr)
        return 1
    made.rename(FOLDER)
    print(f"versitygw {VERSION}: {PATH}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
