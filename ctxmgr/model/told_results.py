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


_RESULT_LINES = (  # the first group, if there is one, is the tool's name
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
    # Continue, core/tools/systemMessageTools/convertSystemTools.ts
    ToldResult(expression(r"Tool output for ([\w.:/-]{1,100}) tool call:\s*"), ("Tool output",)),
    # bridges that give tools to models without them: llm-bridge, routers before Claude Code
    ToldResult(
        expression(
            r"\[Tool (?:result|output|response) (?:for|from) [\"'`]?([\w.:/-]{1,100})[\"'`]?"
            r"(?: \(call_id: [^\s)]{1,100}\))?\](?: \(\w{1,20}\))?(?::|[^\S\n]*\n)\s*",
            re.IGNORECASE,
        ),
        ("[Tool ", "[tool "),
    ),
    # LangChain, agents/conversational_chat/prompt.py and chat agents in JSON
    ToldResult(expression(r"TOOL RESPONSE:[^\S\n]*\n\s*-{3,}[^\S\n]*\n"), ("TOOL RESPONSE",)),
    # AutoGen, conversable_agent.py
    ToldResult(
        expression(r"exitcode: -?\d+ \(execution (?:succeeded|failed)\)\s*\nCode output:\s*"), ("exitcode",)
    ),
    # mini-swe-agent, action_observation_template; SWE-agent, next_step_template
    ToldResult(expression(r"<returncode>-?\d+</returncode>\s*\n(?=<output)"), ("<returncode>",)),
    ToldResult(expression(r"OBSERVATION:[^\S\n]*\n"), ("OBSERVATION",)),
)


def told_result(text: str) -> tuple[str, int] | None:
    """(tool name or "", offset of the result) for a text that begins with such a line; None for any other."""
    match = next(filter(None, (row.match(text) for row in _RESULT_LINES)), None)
    return (match[1] if match.re.groups else "", match.end()) if match else None
