"""Recognizes a tool's result that a host reports as a user's text, by the line before it."""

import re

import msgspec

from ctxmgr.model.expressions import expression

MOST_GIVEN = 4_000  # characters of a call's input, as repeated in the line before its result


class ToldResult(msgspec.Struct, frozen=True):
    """How a text begins (`starts`) or ends that a host makes of a tool's result, and the expression it matches.
    `asked`: only behind an assistant's text that requests an action.
    """

    head: re.Pattern[str]
    starts: tuple[str, ...] = ()
    end: str = ""
    asked: bool = False

    def match(self, text: str) -> re.Match[str] | None:
        is_near = text.startswith(self.starts) if self.starts else text.endswith(self.end)
        return self.head.match(text) if is_near else None


_RESULT_LINES = (  # the first group is the tool's name
    ToldResult(  # Cline, Roo Code, Kilo Code
        expression(
            r"\[([\w-]+)(?:(?: for|(?<=switch_mode) to|(?<=new_task) in)\b"
            rf".{{0,{MOST_GIVEN}}}?)?\] Result:[^\S\n]*(?:\n\s*|\Z)",
            re.DOTALL,
        ),
        ("[",),
    ),
    # OpenHands, of models without tools (llm/fn_call_converter.py)
    ToldResult(expression(r"EXECUTION RESULT of \[([\w-]+)\]:[^\S\n]*(?:\n|\Z)"), ("EXECUTION",)),
    # Cherry Studio, utils/mcp-tools.ts, of models without tools
    ToldResult(expression(r"Here is the result of mcp tool use `([^`\n]{1,200})`:\s*"), ("Here is",)),
)


def told_result(text: str) -> tuple[str, int] | None:
    """(tool name, offset of the result) for a text that begins with such a line; None for any other."""
    match = next(filter(None, (row.match(text) for row in _RESULT_LINES)), None)
    return (match[1], match.end()) if match else None
