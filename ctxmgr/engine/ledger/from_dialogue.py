"""Turns what a user says in the result of a call into facts: answers to a host's tool that asks, a plan approved or
rejected, why a call was rejected.

Rules:
1. Whose words these are is known by the tool (`result_kind`) and the host's own frame, never by a text alone. What
   the user wrote there is read as every message of the user is; an option that was chosen is the assistant's words.
2. Where a tool may have printed the frame, the words stand as what a result said: they make no rule.
3. What was rejected is known by its call, what was asked by the message of the result and the question's place.
"""

from ctxmgr.engine.ledger.from_user import ANSWERED_CHARACTERS, from_user
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import code, key_of, plain, quoted, shorten
from ctxmgr.engine.tools import ToolCall, plan_answer, plan_title, rejection, result_kind, user_answers
from ctxmgr.model import Block
from ctxmgr.model.saved import REJECTED, Source

CALL_CHARACTERS = 120  # of a call that was rejected
SAID_CHARACTERS = 400  # of the user's words beside it


def from_dialogue(result: Block, call: Block, made: ToolCall, into: Statements) -> bool:
    """Add what the user says in this result; does the call do nothing else?"""
    told, arguments = result_kind(call.made), call.arguments or {}
    said = rejection(result, call)
    if said is not None:
        what = f'the plan "{plain(plan_title(arguments))}"' if told == "plan" else _called(made)
        _rejected(what, said.reason, said.sure, into)
        return said.sure or made.shell is None
    if result.is_error or told not in ("answers", "plan"):
        return False
    if told == "answers":
        for number, one in enumerate(user_answers(arguments, result.text)):
            answer = f'"{shorten(plain(one.reply), ANSWERED_CHARACTERS)}"'
            detail = f"{answer} ({shorten(plain(one.means), SAID_CHARACTERS)})" if one.means else answer
            into.add("question", f"{into.origin}\n{number}", plain(one.question), "user", detail=detail)
            if one.written:
                from_user(one.written, into, opening=False)
    elif (plan := plan_answer(arguments, result.text)) is not None:
        name = f'the plan "{plain(plan.title)}"' if plan.title else "the plan"
        where = f" (it is in {code(plan.path, len(plan.path) + 1)})" if plan.path else ""
        if plan.approved:
            into.add("decision", key_of(f"approved {name}"), f"The user approved {name}{where}", "user")
        else:
            _rejected(f"{name}{where}", plan.reason, True, into)
    return True


def _rejected(what: str, said: str, sure: bool, into: Statements) -> None:
    """Add that a call was rejected, with what was said to it (rule 2)."""
    source: Source = "user" if sure else "tool"
    detail = quoted(said, SAID_CHARACTERS) if said else ""
    into.add("question", f"{into.origin}\n{key_of(what)}", what, source, REJECTED, detail)
    if sure and said:
        from_user(said, into, opening=False)


def _called(call: ToolCall) -> str:
    """The call as code, on one line."""
    asked = call.shell.command if call.shell is not None else f"{call.tool} {call.asked}".strip()
    return code(asked.strip().partition("\n")[0], CALL_CHARACTERS)
