"""Turns what a user says in the result of a call into facts: answers to a host's tool that asks, a plan approved or
rejected, why a call was rejected. Whose words these are is known by the tool and the host's own frame."""

from ctxmgr.engine.memory.one_line import code
from ctxmgr.engine.memory.statements import Statements
from ctxmgr.engine.memory.wording import both_ends, plain
from ctxmgr.engine.tools import ToolCall, plan_answer, plan_title, rejection, result_kind, user_answers
from ctxmgr.model import Block
from ctxmgr.model.saved import APPROVED, REJECTED, Source

CALL_CHARACTERS = 120  # of a call that was rejected
QUESTION_CHARACTERS, SAID_CHARACTERS = 240, 400


def from_dialogue(result: Block, call: Block, made: ToolCall, into: Statements) -> bool:
    """Add what the user says in this result; does the call do nothing else? Of one that may have been rejected
    nothing is known to be done."""
    told, arguments = result_kind(call.made), call.arguments or {}
    said = rejection(result, call)
    if said is not None:
        what = f"the plan {plain(plan_title(arguments))}" if told == "plan" else _called(made)
        _add(what, said.reason, REJECTED, into, "user" if said.sure else "tool")
        return True
    if result.is_error or told not in ("answers", "plan"):
        return False
    if told == "answers":
        for one in user_answers(arguments, result.text):
            _add(plain(one.question), one.reply, "", into)
    elif (plan := plan_answer(arguments, result.text)) is not None:
        what = f"the plan {plain(plan.title)}".strip()
        _add(what, plan.reason, APPROVED if plan.approved else REJECTED, into)
    return True


def _add(what: str, said: str, status: str, into: Statements, source: Source = "user") -> None:
    text, detail = both_ends(what, QUESTION_CHARACTERS), both_ends(plain(said), SAID_CHARACTERS)
    into.add("question", f"{into.origin}\n{text}", text, source, status, detail)


def _called(call: ToolCall) -> str:
    """The call as code, on one line."""
    asked = call.shell.command if call.shell is not None else f"{call.tool} {call.asked}".strip()
    return code(asked.strip().partition("\n")[0], CALL_CHARACTERS)
