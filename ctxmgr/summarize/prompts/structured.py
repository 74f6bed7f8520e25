"""The structured format (pi's sections), its variant for a branch, and the part for a turn that was cut."""

from ctxmgr.engine.memory import HeadingKind
from ctxmgr.summarize.prompts.shape import GOAL, NEXT, PROGRESS, Need, Shape

_SECTIONS = """\
## Goal
[What the user wants to end up with. Several goals: one line each.]

## Constraints & Preferences
- [A rule, wish or limit that the user stated, as the user put it; "(none)" if there is none]

## Progress
### Done
- [x] [Work that is finished, and the files it changed]

### In Progress
- [ ] [Work that has begun, and how far it got]

### Blocked
- [What stands in the way, with the error that shows it; "(none)" if nothing does]

## Key Decisions
- **[What was decided]**: [why]

## Next Steps
1. [What has to be done next, in the order it has to be done]
"""
_CRITICAL = """
## Critical Context
- [Findings, values, names, commands and error texts that the work can not go on without; or "(none)"]
"""
_TURN = """\
## Original Request
[What the user asked for in this turn, as the user put it]

## Progress So Far
- [What was found, decided and done in this part of the turn, with its files]

## Context Needed to Continue
- [What has to be known to understand the rest of the turn, which follows and is not shown here]
"""
_NEEDS = (GOAL, PROGRESS, NEXT)
_TURN_CONTEXT: frozenset[HeadingKind] = frozenset(("context",))

STRUCTURED = Shape("structured", _SECTIONS + _CRITICAL, _NEEDS)
BRANCH = Shape("structured", _SECTIONS, _NEEDS)
TURN = Shape(
    "turn",
    _TURN,
    (
        Need("Original Request", frozenset(("goal",))),
        Need("Progress So Far", frozenset(("done", "progress"))),
        Need("Context Needed to Continue", _TURN_CONTEXT),
    ),
)
