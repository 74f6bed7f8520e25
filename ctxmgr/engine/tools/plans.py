"""What a host says of a plan: in the result of the call that shows it to the user, or in the user's name.

1. A host's own sentence at the start of the result says whether a plan was approved; without one nothing is known.
   A plan is known by its heading, or its first line.
2. Some hosts have no call for it: the assistant's text holds the plan in tags, and the user's next message is the
   host's sentence that it is approved.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ctxmgr.engine.tools.catalog import CATALOG
from ctxmgr.engine.tools.dialogue import told_result

TITLE_CHARACTERS = 120

_ACT_MODE = "[The user has switched to ACT MODE"  # Cline
_APPROVED = (  # Claude Code, Qwen Code; Gemini CLI, Copilot CLI; OpenCode, Kilo Code
    *(f"User has approved {which} plan" for which in ("your", "the", "exiting")),
    "Plan approved",
    "User approved switching to",
    _ACT_MODE,
)
_REJECTED = "Plan rejected."
_FEEDBACK = f"{_REJECTED} User feedback: "
_PLAN = "## Approved Plan"  # how the line begins behind which the host repeats it
_PLAN_ARGUMENTS = ("plan", "summary", "response")  # of such a call; Copilot CLI has the second, Cline the third
_PROPOSED = (  # in an assistant's text, between tags: Codex; Cline, of models without tools
    (("<proposed_plan>",), "</proposed_plan>"),
    (("<plan_mode_respond>", "<response>"), "</response>"),
)
_IMPLEMENT = "Implement the plan."  # Codex, in the user's name (PLAN_IMPLEMENTATION_CODING_MESSAGE)
_PLAN_TOLD = "plan_mode_respond"
_MARKS = " \t#>*_-"  # before the words of a heading


class PlanAnswer(msgspec.Struct, frozen=True):
    """`title` of the plan, "" where nothing tells, and its whole `text`; `reason`: why it was rejected."""

    approved: bool
    title: str
    reason: str = ""
    text: str = ""


def plan_answer(arguments: Mapping[str, Any], result: str) -> PlanAnswer | None:
    """What the result says of the plan; None for nothing."""
    sentence = result.lstrip()
    approved = sentence.startswith(_APPROVED)
    if not approved and not sentence.startswith(_REJECTED):
        return None
    reason = ""
    if sentence.startswith(_FEEDBACK):
        reason = sentence.removeprefix(_FEEDBACK).partition("\n\n")[0].strip()
    return PlanAnswer(approved, plan_title(arguments, result), reason, _plan_text(arguments, result))


def approved_plan(tool: str, arguments: Mapping[str, Any], result: str) -> str:
    """The whole text of a plan that the user approved, as the call or its result has it; "" for none."""
    answer = plan_answer(arguments, result) if tells_of_a_plan(tool, arguments) else None
    return answer.text if answer is not None and answer.approved else ""


def proposed_plan(text: str) -> str:
    """The plan that an assistant's text holds for its user to approve; "" for none."""
    for tags, end in _PROPOSED:
        behind = text
        for tag in tags:
            behind = behind.partition(tag)[2]
        plan, closed, _ = behind.partition(end)
        if closed:
            return plan.strip()
    return ""


def approves_the_plan(text: str) -> bool:
    """Whether the text of a user's message says that the plan which the assistant's message before it holds is
    approved."""
    told = told_result(text.lstrip())
    of_plan = told is not None and told[0] == _PLAN_TOLD
    return text.strip() == _IMPLEMENT or (
        of_plan and told is not None and text.lstrip()[told[1] :].startswith(_ACT_MODE)
    )


def tells_of_a_plan(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the tool asks the user to approve a plan."""
    row = CATALOG.listed(tool, arguments)
    return row is not None and row.tells == "plan"


def plan_title(arguments: Mapping[str, Any], result: str = "") -> str:
    """The heading of a plan, or its first line."""
    lines = [line for line in _plan_text(arguments, result).splitlines() if line.strip()]
    line = next((heading for heading in lines if heading.startswith("#")), lines[0] if lines else "")
    return line.lstrip(_MARKS).strip()[:TITLE_CHARACTERS]


def _plan_text(arguments: Mapping[str, Any], result: str) -> str:
    given = (arguments.get(name) for name in _PLAN_ARGUMENTS)
    told = next((text for text in given if isinstance(text, str) and text.strip()), "")
    return (result.partition(_PLAN)[2].partition("\n")[2].strip() or told).strip()  # the user may have edited it
