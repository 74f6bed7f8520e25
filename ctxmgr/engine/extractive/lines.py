"""The lines a summary without a model may hold: by kind, each with a brief form where it can be told shorter."""

from typing import Literal

import msgspec

from ctxmgr.engine.extractive.collecting import WorkHistory

SEEN_BACK = 400  # lines of a kind that are looked back at for the same words

Kind = Literal[
    "goal", "latest", "constraint", "decision", "next", "active", "blocked", "done", "outcome", "asked",
    "request", "file", "error", "ran", "name", "note", "found", "planned", "likely",
]  # fmt: skip


class SummaryLine(msgspec.Struct, frozen=True):
    """One line without its bullet; several with a code fence. `brief` "" where it can not be told shorter."""

    text: str
    brief: str = ""


class SummaryLines(msgspec.Struct):
    """All that a summary could say, by kind, each list from old to new. `state`: where the newest request
    stands."""

    kinds: dict[Kind, list[SummaryLine]] = {}
    weights: dict[str, float] = {}
    state: str = ""
    work: WorkHistory = msgspec.field(default_factory=WorkHistory)

    def add(self, kind: Kind, text: str, brief: str = "") -> None:
        """State one line, unless the same words stand in this kind already."""
        held = self.kinds.setdefault(kind, [])
        if text and all(line.text != text for line in held[-SEEN_BACK:]):
            held.append(SummaryLine(text, brief if len(brief) < len(text) else ""))
