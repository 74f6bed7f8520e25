"""Turns behaviors played here into snapshots for tests/contract/snapshots: what this version writes to disk.

    python -m scripts.generating.snapshots NAME BEHAVIOR=LINES...

Writes the first LINES lines of what each behavior saves to tests/contract/snapshots/NAME, which must not exist.

A snapshot records what a release wrote, so it is written once and never again: a later release that adds to the
state adds its own folder, with what the older ones lack. Beside each `X.snapshot` is `X.json`, the state that it
restores to, with the names on disk and without default values.
"""

import json
import sys
from pathlib import Path

import msgspec

from ctxmgr.devices.snapshots import to_line
from ctxmgr.session import journal
from tests.contract import scenarios  # noqa: F401  fills the manifest
from tests.contract.behaviours import MANIFEST

SNAPSHOTS = Path(__file__).parents[2] / "tests" / "contract" / "snapshots"


def main(name: str, *cuts: str) -> int:
    folder = SNAPSHOTS / name
    folder.mkdir(parents=True)
    for cut in cuts:
        behavior, _, count = cut.partition("=")
        lines = MANIFEST[behavior].scenario().saved[: int(count)]
        if len(lines) != int(count):
            raise SystemExit(f"{behavior} saves only {len(lines)} lines")
        state, _ = journal.restore(lines)
        stem = f"{behavior.replace('/', '.')}-{count}"
        (folder / f"{stem}.snapshot").write_bytes(b"".join(map(to_line, lines)))
        expected = json.loads(msgspec.json.encode(state))
        text = json.dumps(expected, ensure_ascii=False, indent=1, sort_keys=True)
        (folder / f"{stem}.json").write_text(f"{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
