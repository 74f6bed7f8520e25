"""Turns the part of a split turn that leaves into its request, its progress and what is needed to go on."""

from collections.abc import Sequence

from ctxmgr.engine.extractive_carry import FAILED, FILES, NAMES
from ctxmgr.engine.extractive_fit import Weigh, fit
from ctxmgr.engine.extractive_gather import gather
from ctxmgr.engine.extractive_layout import Layout, Part, Put
from ctxmgr.engine.extractive_lines import Kind, Line
from ctxmgr.engine.extractive_turns import last_words
from ctxmgr.engine.packet_text import one_line
from ctxmgr.engine.wording import shorten
from ctxmgr.model.branch import BranchMessage

REQUEST_CHARACTERS = 1_200
BRIEF_CHARACTERS = 300
LAST_CHARACTERS = 240

LAYOUT = Layout(
    (
        Part("## Original Request", (Put("goal", ""),)),
        Part("## Progress So Far", (Put("note"), Put("active"))),
        Part(
            "## Context Needed to Continue",
            (
                Put("decision", label="Decided: "),
                Put("blocked", label=FAILED),
                Put("error", label=FAILED),
                Put("file", label=FILES),
                Put("name", label=NAMES),
            ),
        ),
    )
)


def split_turn(prefix: Sequence[BranchMessage], budget: int, weigh: Weigh) -> str:
    """At most `budget` tokens; "" where nothing fits."""
    if budget <= 0:
        return ""
    lines = gather(prefix, None, budget)
    kinds: dict[Kind, list[Line]] = {
        kind: lines.kinds[kind]
        for kind in ("note", "decision", "blocked", "error", "file", "name")
        if kind in lines.kinds
    }
    asked = [stretch.request for stretch in lines.work.stretches if stretch.request]
    written = " ".join(asked) or one_line(_first(prefix), REQUEST_CHARACTERS)
    if written:
        text = shorten(written, REQUEST_CHARACTERS)
        kinds["goal"] = [Line(text, shorten(written, BRIEF_CHARACTERS))]
    last = last_words(lines.work.stretches[-1], LAST_CHARACTERS) if lines.work.stretches else ""
    if last and all(last not in line.text for line in kinds.get("note", [])):
        kinds["active"] = [Line(f"Last said: {last}")]
    return fit(kinds, LAYOUT, budget, weigh)


def _first(prefix: Sequence[BranchMessage]) -> str:
    """The text of the message that opened the turn."""
    for message in prefix:
        if message.view.role in ("user", "shell", "note"):
            return "\n".join(unit.text for unit in message.view.units)
    return ""
