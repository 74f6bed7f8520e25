"""Says how each format lays out the lines of an extractive summary: headings, what stands under them, shares.

The right to stay and the shares are a judgement, made by reading summaries of recorded sessions under budgets
from 300 to 13,000 tokens: no kind may starve the ones after it.
"""

import msgspec

from ctxmgr.engine.extractive import carry as labels
from ctxmgr.engine.extractive.lines import Kind


class Put(msgspec.Struct, frozen=True):
    """A kind of lines under a heading: the bullet ("1. " counts up) and the label before each text."""

    kind: Kind
    bullet: str = "- "
    label: str = ""


class Part(msgspec.Struct, frozen=True):
    """A heading and what stands under it. `bare`: a heading over others, with no lines of its own."""

    heading: str
    puts: tuple[Put, ...] = ()
    bare: bool = False


class Layout(msgspec.Struct, frozen=True):
    """`opening` stands before the first heading. `newest` bounds the lines of a kind, None for no bound.
    `most`: tokens it never needs more of."""

    parts: tuple[Part, ...]
    opening: str = ""
    newest: dict[Kind, int] = {}
    most: int = 1_000_000


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
    ("ran", 0.03),
    ("error", 0.05),
    ("likely", 0.02),
    ("name", 0.06),
)
"""Each kind's share of the budget, by right to stay: what it gets before the others are filled."""

_GOAL = Part("## Goal", (Put("goal", ""), Put("latest", "", labels.LATEST)))
_CONSTRAINTS = Part("## Constraints & Preferences", (Put("constraint"),))
_DECISIONS = Part("## Key Decisions", (Put("decision"),))
_NEXT = Part("## Next Steps", (Put("next", "1. "),))
_ACTIVE = Part("### In Progress", (Put("active", "- [ ] "),))
_BLOCKED = Part("### Blocked", (Put("blocked"),))
_PROGRESS = (Part("## Progress", bare=True), Part("### Done", (Put("done", "- [x] "),)), _ACTIVE, _BLOCKED)
_FILES = Put("file", label=labels.FILES)
_RAN = Put("ran", label=labels.RAN)
_ERRORS = Put("error", label=labels.FAILED)
_NAMES = Put("name", label=labels.NAMES)
_ASKED = Put("asked", label=labels.ASKED)
_FOUND = Put("found", label=labels.FOUND)
_PLANNED = Put("planned", label=labels.PLANNED)
_PLANS = (_PLANNED, Put("likely", label=labels.LIKELY))
_CONTEXT = Part("## Critical Context", (*_PLANS, _ASKED, Put("note"), _FOUND, _FILES, _RAN, _ERRORS, _NAMES))

STRUCTURED = Layout((_GOAL, _CONSTRAINTS, *_PROGRESS, _DECISIONS, _NEXT, _CONTEXT))

BRANCH = Layout(
    (
        _GOAL,
        _CONSTRAINTS,
        Part("## Progress", bare=True),
        Part("### Done", (Put("done", "- [x] "), Put("note"), _FOUND)),
        _ACTIVE,
        _BLOCKED,
        _DECISIONS,
        Part("## Next Steps", (Put("next", "1. "), _PLANNED)),
    )
)

NINE = Layout(
    (
        Part(
            "1. Primary Request and Intent:",
            (
                Put("goal", ""),
                Put("latest", "", labels.LATEST),
                Put("constraint", label=labels.CONSTRAINT),
            ),
        ),
        Part("2. Key Technical Concepts:", (Put("decision", label=labels.DECIDED), _NAMES)),
        Part("3. Files and Code Sections:", (_FILES,)),
        Part("4. Errors and fixes:", (Put("blocked", label=labels.BLOCKED), _ERRORS)),
        Part("5. Problem Solving:", (Put("outcome", label=labels.DONE), Put("note"), _FOUND, _RAN)),
        Part("6. All user messages:", (Put("request"),)),
        Part("7. Pending Tasks:", (Put("next"), *_PLANS)),
        Part("8. Current Work:", (Put("active", "- ", labels.NOW),)),
        Part("9. Optional Next Step:"),
    )
)

_SHORT_PARTS = (
    _GOAL,
    _CONSTRAINTS,
    _DECISIONS,
    Part("## Done", (Put("done", "- [x] "),)),
    Part("## In Progress", (Put("active", "- [ ] "),)),
    Part("## Blocked", (Put("blocked"),)),
    _NEXT,
)
HANDOFF = Layout(
    (*_SHORT_PARTS, Part("## Critical Context", (*_PLANS, Put("note"), _FOUND, _FILES, _ERRORS))),
    newest={"done": 8, "note": 8, "found": 8, "planned": 4, "likely": 2},
    most=2_000,
)

CONTINUE = Layout((*_SHORT_PARTS, _CONTEXT), opening=labels.CONTINUE, newest={"note": 24, "found": 24})

LAYOUTS = {"structured": STRUCTURED, "nine-section": NINE, "handoff": HANDOFF, "continue": CONTINUE}
