"""What a user says in the result of a call: answers to a tool that asks, a plan approved or not, why a call was
rejected. Knows no fact."""

from ctxmgr.engine.tools.dialogue.as_text import DENIED, may_tell_of_the_user
from ctxmgr.engine.tools.dialogue.asking import user_answers
from ctxmgr.engine.tools.dialogue.plans import plan_answer, plan_title
from ctxmgr.engine.tools.dialogue.rejecting import rejection

__all__ = ["DENIED", "may_tell_of_the_user", "plan_answer", "plan_title", "rejection", "user_answers"]
