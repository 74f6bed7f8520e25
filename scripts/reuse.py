"""How often replies repeat what is in a list, by kind and age: the table that `keep` is based on.

    python -m scripts.reuse RECORDING...

Prints one row for each kind of block, in the order of `ctxmgr/engine/retention/worth.py`, with the yield at
each age: stretches of six words that a reply repeats and that no message of the newest 6,000 tokens contains, per
1,000 tokens of that kind and age, and per call. A stretch counts for the newest block that contains it. The
engine's table is the geometric mean of two sets of recordings.
"""

import argparse
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, extend
from ctxmgr.engine.retention import AGES, LONG_CHARACTERS, YIELDS, kind_of
from ctxmgr.formats import pi
from ctxmgr.model import Message
from ctxmgr.session import Reader
from ctxmgr.study.recordings import Recording, readers

STRETCH_WORDS = 6
WORD = re.compile(r"\w+")
NEWEST_TOKENS = 6_000  # what is in these is in every list
EDGES = (6_000, 12_000, 25_000, 50_000, 100_000)  # where the columns of the table begin, in tokens of age

Origin = tuple[str, int]  # kind, tokens of conversation before it
Cell = tuple[str, int]  # kind, column


class Tally:
    """`served`: stretches by cell. `offered`: tokens in each cell, summed over calls."""

    def __init__(self) -> None:
        self.served: Counter[Cell] = Counter()
        self.offered: Counter[Cell] = Counter()

    def yields(self, kind: str) -> list[float]:
        """Per 1,000 tokens and call, one figure for each column."""
        cells = [(kind, column) for column in range(len(EDGES))]
        return [1_000 * self.served[cell] / self.offered[cell] if self.offered[cell] else 0.0 for cell in cells]


def stretches(text: str) -> set[int]:
    """Every run of six words, as a number."""
    words = WORD.findall(text)
    return {hash(tuple(words[start : start + STRETCH_WORDS])) for start in range(len(words) - STRETCH_WORDS + 1)}


def blocks(conversation: ConversationIndex, index: int) -> Iterator[tuple[str, str, int]]:
    """The kind, the text and the tokens of each block of a message that has a row in the table."""
    for number, block in enumerate(conversation.messages[index].view.blocks):
        weight = conversation.messages[index].weights[number]
        if block.kind == "result":
            yield kind_of(conversation, BlockRef(index, number)), block.text, weight
        elif block.kind == "call":
            yield "arguments" if len(block.text) > LONG_CHARACTERS else "call", block.text, weight


def counted(messages: tuple[Message, ...], tally: Tally) -> None:
    """Adds one conversation."""
    conversation = extend(ConversationIndex(), messages)
    newest: dict[int, Origin] = {}
    rows: list[tuple[Origin, int]] = []
    tokens_before = 0
    for index, message in enumerate(messages):
        if message.view.role == "assistant":
            reply = stretches("\n".join(block.text for block in message.view.blocks))
            repeats = Counter(origin for stretch in reply if (origin := newest.get(stretch)) is not None)
            for (kind, before), count in repeats.items():
                if (column := _column(tokens_before - before)) >= 0:
                    tally.served[kind, column] += count
            for (kind, before), weight in rows:
                if (column := _column(tokens_before - before)) >= 0:
                    tally.offered[kind, column] += weight
        for kind, text, weight in blocks(conversation, index):
            origin = kind, tokens_before
            rows.append((origin, weight))
            newest |= dict.fromkeys(stretches(text), origin)
        tokens_before += message.weight


def _column(age: int) -> int:
    """-1 for what is too new."""
    return bisect_right(EDGES, age) - 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts.reuse", description=__doc__.partition("\n")[0])
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    tally = Tally()
    for path in parser.parse_args(arguments).recordings:
        recorded = readers.read(readers.source(path))
        if isinstance(recorded, Recording):
            messages = [entry.message for entry in recorded.entries if entry.kind == "message"]
            counted(Reader(pi).read(messages), tally)
    print(f"{'age in tokens':14}", *(f"{age:>9,}" for age in AGES))
    for kind in YIELDS:
        print(f"{kind:14}", *(f"{figure:>9.4f}" for figure in tally.yields(kind)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
