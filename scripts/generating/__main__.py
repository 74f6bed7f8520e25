"""Writes the generated files that are committed below `protocol/`, `docs/reference/` and `ctxmgr/data/`."""

from collections.abc import Mapping
from pathlib import Path

from scripts.generating import everything, pages
from scripts.generating.spec import schema

ROOT = Path(__file__).parents[2]
PROTOCOL, DOCS, DATA = ROOT / "protocol", ROOT / "docs", ROOT / "ctxmgr" / "data"


def main() -> None:
    write(DATA, everything.shipped())  # first, since conversations contain it
    made = everything.conversations()
    made |= everything.documents(made, everything.written_by_hand(PROTOCOL))
    write(PROTOCOL, made)
    write(DOCS, pages.files(schema.document()))
    for path in everything.generated(PROTOCOL) - {PROTOCOL / name for name in made}:
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")


def write(below: Path, made: Mapping[str, str]) -> None:
    """Writes texts by path below a folder. Unchanged files are not touched."""
    for name, text in made.items():
        path = below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
