"""Writes what is generated and committed, all of it below `protocol/`. Run by scripts/gen."""

from pathlib import Path

from scripts.generating import everything, transcripts

PROTOCOL = Path(__file__).parents[2] / "protocol"


def main() -> None:
    made = transcripts.files()
    made |= everything.documents(made, everything.written_by_hand(PROTOCOL))
    for name, text in made.items():
        path = PROTOCOL / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            print(f"wrote {path.relative_to(PROTOCOL.parent)}")
    for path in everything.generated(PROTOCOL) - {PROTOCOL / name for name in made}:
        path.unlink()
        print(f"removed {path.relative_to(PROTOCOL.parent)}")


if __name__ == "__main__":
    main()
