"""Stands in for the process that weighs, at a hundredth of its start: a program by itself, or a command of it.

What it does with what it is asked, by its two words: when it is to load, and when it is to count.
"""

import sys
from collections.abc import Callable

LOADED = b"\x82\xa5there\xc3\xa4note\xc0"  # there, and no note
TOKENS = 5  # whatever it is asked


def command(loading: str = "answers", counting: str = "answers") -> tuple[str, ...]:
    return (sys.executable, "-S", "-E", __file__, loading, counting)


def asked() -> bool:
    return bool(sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(4), "big")))


def answer(content: bytes, size: int | None = None) -> None:
    sys.stdout.buffer.write((len(content) if size is None else size).to_bytes(4, "big") + content)
    sys.stdout.buffer.flush()


def hang() -> None:
    print("the text that was sent", file=sys.stderr, flush=True)
    sys.stdin.buffer.read()  # as long as its parent lives


DEEDS: dict[str, Callable[[bytes], object]] = {
    "answers": answer,
    "dies": lambda content: sys.exit(3),
    "dies in the middle": lambda content: (answer(content[:1], 9), sys.exit(0)),
    "hangs": lambda content: hang(),
    "says something else": lambda content: answer(b"\xa5words"),
    "says nonsense": lambda content: answer(b"\xc1"),
    "says less than nothing": lambda content: answer(b"\xff"),
    "says too much": lambda content: answer(b"", 1 << 31),
}

if __name__ == "__main__":
    loading, counting = (DEEDS[word] for word in sys.argv[1:])
    asked()
    loading(LOADED)
    while asked():
        counting(bytes([TOKENS]))
