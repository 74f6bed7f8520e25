"""A tool's result that a host tells as a user's text, by the line that it puts before it.

Cline, Roo Code and Kilo Code: `[read_file for 'a.py'] Result:`, and what the call was given may have lines of its
own. OpenHands, of models without tools: `EXECUTION RESULT of [execute_bash]:` (llm/fn_call_converter.py).
"""

import re

from ctxmgr.model import expression

MOST_GIVEN = 4_000  # characters of what a call was given, as the line repeats it

_HEADS = (
    expression(
        r"\[([\w-]+)(?:(?: for|(?<=switch_mode) to|(?<=new_task) in)\b"
        rf".{{0,{MOST_GIVEN}}}?)?\] Result:[^\S\n]*(?:\n\s*|\Z)",
        re.DOTALL,
    ),
    expression(r"EXECUTION RESULT of \[([\w-]+)\]:[^\S\n]*(?:\n|\Z)"),
)


def told_result(text: str) -> tuple[str, int] | None:
    """(the tool's name, where its result begins) in a text that begins with such a line; None for another."""
    for head in _HEADS if text.startswith(("[", "EXECUTION")) else ():
        if match := head.match(text):
            return match[1], match.end()
    return None
