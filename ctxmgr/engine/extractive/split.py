"""Turns the part of a split turn that leaves into its request, its progress and what is needed to go on.

The user's rules stand beside the request: the request is told shorter by and by, they are not.
"""

from collections.abc import Sequence

from ctxmgr.engine.extractive.assemble import gather
from ctxmgr.engine.extractive.collecting import carry, outcomes, request_of, work
from ctxmgr.engine.extractive.fit import fit
from ctxmgr.engine.extractive.layout import LineStyle, SectionLayout, SummaryLayout
from ctxmgr.engine.extractive.lines import Kind, SummaryLine
from ctxmgr.engine.text import shorten
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import BranchMessage

BRIEF_CHARACTERS = 300
LEAD_CHARACTERS = 120
LAST_CHARACTERS = 240

LAYOUT = SummaryLayout(
    (
        SectionLayout("## Original Request", (LineStyle("goal", ""),)),
        SectionLayout("## Progress So Far", (LineStyle("done"), LineStyle("active"))),
        SectionLayout(
            "## Context Needed to Continue",
            (
                LineStyle("constraint", label=carry.CONSTRAINT),
                LineStyle("decision", label=carry.DECIDED),
                LineStyle("found", label=carry.FOUND),
                LineStyle("blocked", label=carry.FAILED),
                LineStyle("error", label=carry.FAILED),
                LineStyle("file", label=carry.FILES),
                LineStyle("name", label=carry.NAMES),
            ),
        ),
    )
)


def split_turn(prefix: Sequence[BranchMessage], budget: int, weigh: Weigh, asked: str = "") -> str:
    """At most `budget` tokens; "" where nothing fits. `asked` is the request where the part itself holds none."""
    if budget <= 0:
        return ""
    written = request(prefix) or asked
    lines = gather(prefix, None, budget, newest=written)
    kinds: dict[Kind, list[SummaryLine]] = {
        kind: lines.kinds[kind]
        for kind in ("constraint", "done", "found", "decision", "blocked", "error", "file", "name")
        if kind in lines.kinds
    }
    if written:
        text = shorten(written, work.REQUEST_CHARACTERS)
        kinds["goal"] = [SummaryLine(text, shorten(written, BRIEF_CHARACTERS))]
        told = [line.text for line in kinds.get("done", [])]  # with its request: it outlives this part
        lead = f'"{shorten(written, LEAD_CHARACTERS)}{carry.ARROW}'
        kinds["done"] = [SummaryLine(one if one.startswith('"') else f"{lead}{one}", one) for one in told]
    last = outcomes.last_words(lines.work.stretches[-1], LAST_CHARACTERS) if lines.work.stretches else ""
    if last and all(last not in line.text for kind in ("found", "done") for line in kinds.get(kind, [])):
        kinds["active"] = [SummaryLine(f"{carry.LAST}{last}")]
    return fit(kinds, LAYOUT, budget, weigh)


def request(prefix: Sequence[BranchMessage]) -> str:
    """What the turn was asked, "" where its part holds no request: what a user wrote, else what its first message
    says in a user's place."""
    said = [
        ("\n".join(block.text for block in one.view.blocks if block.kind == "text"))
        for one in prefix
        if one.view.role == "user" and one.view.opens_turn
    ]
    asked = [text for one in said if (text := request_of(one, long_too=True))]
    return " ".join(asked) or _first(prefix)


def _first(prefix: Sequence[BranchMessage]) -> str:
    """The text of a shell run or a note that opened the turn; instructions for the model are no request."""
    for message in prefix:
        if message.view.role in ("shell", "note"):
            return request_of("\n".join(block.text for block in message.view.blocks), long_too=True)
    return ""
