"""Writes the generated files: one transcript a behaviour. Run by scripts/gen."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.protocol import scenarios  # noqa: E402,F401  fills the manifest
from tests.protocol.behaviours import MANIFEST  # noqa: E402

TRANSCRIPTS = ROOT / "protocol" / "transcripts"


def main() -> None:
    wanted = set()
    for name, one in sorted(MANIFEST.items()):
        path = TRANSCRIPTS / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = b"".join(line + b"\n" for line in one.scenario().lines)
        wanted.add(path)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
            print(f"wrote {path.relative_to(ROOT)}")
    for path in set(TRANSCRIPTS.rglob("*.jsonl")) - wanted:
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
