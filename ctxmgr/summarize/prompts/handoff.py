"""The handoff format: short notes by one model for another that takes the work over."""

from ctxmgr.engine.memory import HANDOFF_LEAD
from ctxmgr.summarize.prompts.shape import GOAL, NEXT, PROGRESS, Shape

PREFIX = HANDOFF_LEAD
MOST_TOKENS = 3_000  # of an answer: half as much again as is asked for, since what is cut off is refused

_OUTLINE = """\
## Goal
[What the user wants, in a sentence or two]

## Constraints & Preferences
- [What the user insisted on]

## Key Decisions
- [What was decided, and why]

## Done
- [x] [What is finished, in one line each, with its files]

## In Progress
- [ ] [What is half done, and how far it got]

## Blocked
- [What stands in the way]

## Next Steps
1. [What is left, in order, clear enough to be begun at once]

## Critical Context
- [Data, examples, commands and places that whoever goes on would otherwise have to find again]
"""

HANDOFF = Shape(
    "handoff",
    _OUTLINE,
    (GOAL, PROGRESS, NEXT),
    lead=PREFIX,
    max_tokens=MOST_TOKENS,
    hint="Be brief: notes to a colleague who knows the trade but not this work. Eight lines a section at most.",
)
