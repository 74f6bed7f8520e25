"""The formats of summaries: what each looks like, for the prompt and for reading.

- Structured (pi's sections), its variant for a branch, and the part for a turn that was cut.
- Nine-section (Claude Code's sections): first an analysis, which is discarded, then the summary.
- Handoff: short notes from one model to another that takes over.
- Continue: a prompt with which a fresh model can continue, and a short summary for people and lists.

Section names are those of the respective program; the descriptions are ours.
"""

import msgspec

from ctxmgr.engine.memory import CONTINUE_LEAD, HANDOFF_LEAD, HeadingKind, heading


class Need(msgspec.Struct, frozen=True):
    """A section that an answer must have: its name for people, and the kinds of heading that count as it."""

    name: str
    kinds: frozenset[HeadingKind]


class Shape(msgspec.Struct, frozen=True):
    """What a written summary looks like.

    `outline` is shown to the model: headings, and in square brackets what belongs under each. `titles`: its
    headings as keys (`key_of_title`), in order. `needs`: the sections without which an answer is incomplete: the
    first and the last of those that always have content. `short`: a <short> part precedes it. `lead`: a line before
    the text when it is put back. `max_tokens`: an answer never needs more. `hint`: a remark about this shape in the
    prompt. `task`: for a shape without outline, what to write, in somebody else's words.
    """

    name: str
    outline: str
    needs: tuple[Need, ...] = ()
    short: bool = False
    lead: str = ""
    max_tokens: int = 1_000_000
    hint: str = ""
    task: str = ""

    @property
    def is_free(self) -> bool:
        """Any text is accepted."""
        return not self.outline

    @property
    def titles(self) -> tuple[str, ...]:
        """The keys of the outline's headings, in order."""
        headings = (heading(line) for line in self.outline.splitlines())
        return tuple(key_of_title(each.text) for each in headings if each)


FREE = Shape("free", "")  # the caller's own instructions say what to write


def asked_for(task: str, ours: Shape) -> Shape:
    """The free shape of this task, or ours if there is none."""
    return msgspec.structs.replace(FREE, task=task.strip()) if task.strip() else ours


def key_of_title(title: str) -> str:
    """What two headings of the same section have in common: their words, in lower case."""
    return title.casefold().replace("*", "").strip(" :.#")


GOAL = Need("Goal", frozenset(("goal",)))
PROGRESS = Need("Progress", frozenset(("progress", "done", "active", "blocked", "current")))
NEXT = Need("Next Steps", frozenset(("next", "step")))


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
- [Findings, values, names, commands and error texts that the work cannot go on without; or "(none)"]
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

STRUCTURED = Shape("structured", _SECTIONS + _CRITICAL, _NEEDS)
BRANCH = Shape("structured", _SECTIONS, _NEEDS)
TURN = Shape(
    "turn",
    _TURN,
    (
        Need("Original Request", frozenset(("goal",))),
        Need("Progress So Far", frozenset(("done", "progress"))),
        Need("Context Needed to Continue", frozenset(("context",))),
    ),
)


_NINE_OUTLINE = """\
<analysis>
[Think here before you write. Walk through the conversation from its start: each request, what was done about it,
what was decided, which files and functions were touched, which errors came up and what became of them, where the
user corrected the assistant. Then look once more for what you have missed.]
</analysis>

<summary>
1. Primary Request and Intent:
   [All that the user asked for, in full]

2. Key Technical Concepts:
   - [A technology, pattern or idea that the work rests on]

3. Files and Code Sections:
   - [Path]: [why it matters, what was changed in it, and the lines that are needed again, quoted]

4. Errors and fixes:
   - [The error as it was shown]: [how it was met, and what the user said to it]

5. Problem Solving:
   - [What was worked out, and what is still being looked into]

6. All user messages:
   - [Every message that the user wrote, none left out; tool results are no user messages]

7. Pending Tasks:
   - [What was asked for and is not done; "(none)" if there is nothing]

8. Current Work:
   [What was being done at the very end, with its files and code]

9. Optional Next Step:
   [What follows straight from the user's latest request, with the words that show it; "(none)" if that is done]
</summary>
"""

NINE = Shape(
    "nine-section",
    _NINE_OUTLINE,
    (
        Need("1. Primary Request and Intent", frozenset(("goal",))),
        Need("6. All user messages", frozenset(("messages",))),
        Need("7. Pending Tasks", frozenset(("next",))),
        Need("8. Current Work", frozenset(("current",))),
    ),
    hint="Write the analysis in <analysis> tags and the summary in <summary> tags, each once.",
)


HANDOFF_TOKENS = 3_000  # of an answer; half more than requested, since a truncated answer is refused

_HANDOFF_OUTLINE = """\
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
    _HANDOFF_OUTLINE,
    (GOAL, PROGRESS, NEXT),
    lead=HANDOFF_LEAD,
    max_tokens=HANDOFF_TOKENS,
    hint="Be brief: notes to a colleague who knows the trade but not this work. Eight lines a section at most.",
)


SHORT_SENTENCES = 2

_CONTINUE_OUTLINE = """\
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
    _CONTINUE_OUTLINE,
    (GOAL, PROGRESS, NEXT),
    short=True,
    lead=CONTINUE_LEAD,
    hint=(
        'Below the short part, write to the model that goes on: address it as "you", and be so detailed that it '
        "needs nothing else."
    ),
)
