"""The continue format: a prompt with which a fresh model can go on, and a short summary for people and lists."""

from ctxmgr.engine.memory import CONTINUE_LEAD
from ctxmgr.summarize.prompts.shape import GOAL, NEXT, PROGRESS, Shape

SHORT_SENTENCES = 2

_OUTLINE = """\
<short>
[The work and where it stands, in one or two sentences]
</short>

## Goal
[What you are to reach, and what counts as reached]

## Constraints & Preferences
- [What you have to keep to]

## Key Decisions
- **[What was decided]**: [why]

## Done
- [x] [What is done and need not be done again, with its files]

## In Progress
- [ ] [What you are in the middle of: the file, what already works, what fails and how]

## Blocked
- [What stands in your way, with the error that shows it]

## Next Steps
1. [What you do next, in order, each with the file, command or check it needs]

## Critical Context
- [Everything else you need: names, values, snippets, error texts, dead ends]
"""

CONTINUE = Shape(
    "continue",
    _OUTLINE,
    (GOAL, PROGRESS, NEXT),
    short=True,
    lead=CONTINUE_LEAD,
    hint=(
        'Below the short part, write to the model that goes on: address it as "you", and be so detailed that it '
        "needs nothing else."
    ),
)
