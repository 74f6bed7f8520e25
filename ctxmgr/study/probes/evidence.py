"""What a probe asks, and what must be in a list for it to be answered.

A probe's parts have weights that add up to one. A part is met by the mean of its evidence, or by the best of it.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

ProbeKind = Literal[
    "goal",
    "constraint",
    "correction",
    "asks",
    "question",
    "instructions",
    "tasks",
    "files.modified",
    "files.read",
    "file.state",
    "errors",
    "tests",
    "commits",
    "env",
    "next",
]
FactState = Literal["changed", "deleted", "open", "done", "failed", "working"]


class Wording(msgspec.Struct, frozen=True):
    """Pieces of normalised text (`wording`), found anywhere: the share of them that is there."""

    pieces: tuple[str, ...]


class Exact(msgspec.Struct, frozen=True):
    """A token, letter by letter but for case, with neither letter nor digit beside it."""

    text: str


class PathMention(msgspec.Struct, frozen=True):
    """A file by its last two components, by name and directory on one line, or by a name no other file has."""

    path: str


class PathState(msgspec.Struct, frozen=True):
    """The same, where it is told as that: by a call, or by a word on the line or in the heading above it."""

    path: str
    state: FactState


class TextState(msgspec.Struct, frozen=True):
    """One of these pieces, with a word of the state on its line or in the heading above it."""

    names: tuple[str, ...]
    state: FactState


Evidence = Wording | Exact | PathMention | PathState | TextState


class ProbePart(msgspec.Struct, frozen=True):
    """`best`: the best of its evidence counts, else the mean."""

    weight: float
    evidence: tuple[Evidence, ...]
    best: bool = False


class Probe(msgspec.Struct, frozen=True):
    """`question` and `answer` for people. `used`: the recorded session went on to use it. `subject`: the command or
    file that it is about, by which who does not know the answer looks for it; "" where there is none."""

    kind: ProbeKind
    question: str
    answer: str
    parts: tuple[ProbePart, ...]
    used: bool
    subject: str = ""


def grade(probe: Probe, share: Callable[[Evidence], float]) -> float:
    """0 to 1. `share`: how much of one evidence is in the list."""
    total = 0.0
    for part in probe.parts:
        shares = list(map(share, part.evidence))
        total += part.weight * (max(shares) if part.best else sum(shares) / len(shares))
    return total
