"""The nine-section format (Claude Code's sections): an analysis first, which is thrown away, then the summary."""

from ctxmgr.summarize.prompts.shape import Need, Shape

_OUTLINE = """\
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
    _OUTLINE,
    (
        Need("1. Primary Request and Intent", frozenset(("goal",))),
        Need("6. All user messages", frozenset(("messages",))),
        Need("7. Pending Tasks", frozenset(("next",))),
        Need("8. Current Work", frozenset(("current",))),
    ),
    hint="Write the analysis in <analysis> tags and the summary in <summary> tags, each once.",
)
