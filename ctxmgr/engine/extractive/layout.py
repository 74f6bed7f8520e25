"""Says how each format lays out the lines of an extractive summary: headings, what stands under them, shares.

The right to stay and the shares are a judgement, made by reading summaries of recorded sessions under budgets
from 300 to 13,000 tokens: no kind may starve the ones after it.
"""

import msgspec

from ctxmgr.engine.extractive.collecting import carry as labels
from ctxmgr.engine.extractive.lines import Kind


class LineStyle(msgspec.Struct, frozen=True):
    """A kind of lines under a heading: the bullet ("1. " counts up) and the label before each text."""

    kind: Kind
    bullet: str = "- "
    label: str = ""


class SectionLayout(msgspec.Struct, frozen=True):
    """A heading and what stands under it. `bare`: a heading over others, with no lines of its own."""

    heading: str
    line_styles: tuple[LineStyle, ...] = ()
    bare: bool = False


class SummaryLayout(msgspec.Struct, frozen=True):
    """`opening` stands before the first heading. `line_limits`: so many newest lines of a kind, all
    where it has none. `max_tokens`: tokens it never needs more of."""

    parts: tuple[SectionLayout, ...]
    opening: str = ""
    line_limits: dict[Kind, int] = {}
    max_tokens: int = 1_000_000


RIGHTS: tuple[tuple[Kind, float], ...] = (
    ("goal", 0.15),
    ("latest", 0.10),
    ("constraint", 0.20),
    ("decision", 0.10),
    ("next", 0.08),
    ("active", 0.06),
    ("blocked", 0.05),
    ("done", 0.26),
    ("outcome", 0.20),
    ("found", 0.14),
    ("file", 0.06),
    ("request", 0.25),
    ("note", 0.12),
    ("asked", 0.06),
    ("planned", 0.05),
    ("ran", 0.05),
    ("error", 0.05),
    ("likely", 0.02),
    ("name", 0.06),
)
"""Each kind's share of the budget, by right to stay: what it gets before the others are filled."""

_GOAL = SectionLayout("## Goal", (LineStyle("goal", ""), LineStyle("latest", "", labels.LATEST)))
_CONSTRAINTS = SectionLayout("## Constraints & Preferences", (LineStyle("constraint"),))
_DECISIONS = SectionLayout("## Key Decisions", (LineStyle("decision"),))
_NEXT = SectionLayout("## Next Steps", (LineStyle("next", "1. "),))
_ACTIVE = SectionLayout("### In Progress", (LineStyle("active", "- [ ] "),))
_BLOCKED = SectionLayout("### Blocked", (LineStyle("blocked"),))
_PROGRESS = (
    SectionLayout("## Progress", bare=True),
    SectionLayout("### Done", (LineStyle("done", "- [x] "),)),
    _ACTIVE,
    _BLOCKED,
)
_FILES = LineStyle("file", label=labels.FILES)
_RAN = LineStyle("ran", label=labels.RAN)
_ERRORS = LineStyle("error", label=labels.FAILED)
_NAMES = LineStyle("name", label=labels.NAMES)
_ASKED = LineStyle("asked", label=labels.ASKED)
_FOUND = LineStyle("found", label=labels.FOUND)
_PLANNED = LineStyle("planned", label=labels.PLANNED)
_PLANS = (_PLANNED, LineStyle("likely", label=labels.LIKELY))
_CONTEXT = SectionLayout(
    "## Critical Context", (*_PLANS, _ASKED, LineStyle("note"), _FOUND, _FILES, _RAN, _ERRORS, _NAMES)
)

STRUCTURED = SummaryLayout((_GOAL, _CONSTRAINTS, *_PROGRESS, _DECISIONS, _NEXT, _CONTEXT))

BRANCH = SummaryLayout(
    (
        _GOAL,
        _CONSTRAINTS,
        SectionLayout("## Progress", bare=True),
        SectionLayout("### Done", (LineStyle("done", "- [x] "), LineStyle("note"), _FOUND)),
        _ACTIVE,
        _BLOCKED,
        _DECISIONS,
        SectionLayout("## Next Steps", (LineStyle("next", "1. "), _PLANNED)),
    )
)

NINE = SummaryLayout(
    (
        SectionLayout(
            "1. Primary Request and Intent:",
            (
                LineStyle("goal", ""),
                LineStyle("latest", "", labels.LATEST),
                LineStyle("constraint", label=labels.CONSTRAINT),
            ),
        ),
        SectionLayout("2. Key Technical Concepts:", (LineStyle("decision", label=labels.DECIDED), _NAMES)),
        SectionLayout("3. Files and Code Sections:", (_FILES,)),
        SectionLayout("4. Errors and fixes:", (LineStyle("blocked", label=labels.BLOCKED), _ERRORS)),
        SectionLayout(
            "5. Problem Solving:", (LineStyle("outcome", label=labels.DONE), LineStyle("note"), _FOUND, _RAN)
        ),
        SectionLayout("6. All user messages:", (LineStyle("request"),)),
        SectionLayout("7. Pending Tasks:", (LineStyle("next"), *_PLANS)),
        SectionLayout("8. Current Work:", (LineStyle("active", "- ", labels.NOW),)),
        SectionLayout("9. Optional Next Step:"),
    )
)

_SHORT_PARTS = (
    _GOAL,
    _CONSTRAINTS,
    _DECISIONS,
    SectionLayout("## Done", (LineStyle("done", "- [x] "),)),
    SectionLayout("## In Progress", (LineStyle("active", "- [ ] "),)),
    SectionLayout("## Blocked", (LineStyle("blocked"),)),
    _NEXT,
)
HANDOFF = SummaryLayout(
    (
        *_SHORT_PARTS,
        SectionLayout("## Critical Context", (*_PLANS, _ASKED, LineStyle("note"), _FOUND, _FILES, _ERRORS)),
    ),
    line_limits={"done": 8, "note": 8, "found": 8, "planned": 4, "likely": 2},
    max_tokens=2_000,
)

CONTINUE = SummaryLayout((*_SHORT_PARTS, _CONTEXT), opening=labels.CONTINUE, line_limits={"note": 24, "found": 24})

LAYOUTS = {"structured": STRUCTURED, "nine-section": NINE, "handoff": HANDOFF, "continue": CONTINUE}
