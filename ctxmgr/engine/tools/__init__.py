"""What tools do. One catalog knows the names of tools and arguments, and what a command line, a patch or a script
in them does; all other code receives a `ToolCall`.

It must not know how a call's result is shown, kept or reported: markers, facts and plans are made from what it
says.
"""

from ctxmgr.engine.tools import patches, paths
from ctxmgr.engine.tools.catalog import (
    CATALOG,
    USERS_SHELL,
    Memo,
    call_of_block,
    calls_of,
    identity,
    key_arguments,
    pi_file,
    result_kind,
    tool_call,
)
from ctxmgr.engine.tools.dialogue import (
    DENIED,
    may_tell_of_the_user,
    rejection,
    tells_an_output,
    user_answers,
)
from ctxmgr.engine.tools.effects import (
    CallOutcome,
    FileEffect,
    Task,
    ToolCall,
    result_row,
)
from ctxmgr.engine.tools.instructions import FILES as INSTRUCTION_FILES
from ctxmgr.engine.tools.instructions import SKILL_STARTS, files_named, is_instructing, is_skill, of_dependency
from ctxmgr.engine.tools.names import SURE, VERBS, WHOLE, ArgumentRole, EffectKind
from ctxmgr.engine.tools.outcome import (
    RunReport,
    asks_for,
    counts_text,
    end_of_run,
    goes_on_as,
    is_refused,
    never_began,
    outcome,
    weighed_run,
)
from ctxmgr.engine.tools.plans import (
    Approval,
    approval_in,
    approved_plan,
    changes_a_file,
    file_after,
    file_named,
    file_text,
    plan_answer,
    plan_proposed_by,
    plan_title,
)
from ctxmgr.engine.tools.rows import ToolRow
from ctxmgr.engine.tools.shell import (
    GitCall,
    check_kind,
    git_calls,
    is_formatter,
    runs_project_check,
    subjects_of,
)
from ctxmgr.engine.tools.tasks import created_id, listed_tasks, refuses_task

__all__ = [
    "Approval",
    "DENIED",
    "may_tell_of_the_user",
    "CallOutcome",
    "ArgumentRole",
    "CATALOG",
    "EffectKind",
    "FileEffect",
    "INSTRUCTION_FILES",
    "Memo",
    "GitCall",
    "goes_on_as",
    "git_calls",
    "SKILL_STARTS",
    "RunReport",
    "SURE",
    "Task",
    "ToolCall",
    "ToolRow",
    "USERS_SHELL",
    "VERBS",
    "WHOLE",
    "asks_for",
    "call_of_block",
    "calls_of",
    "counts_text",
    "created_id",
    "end_of_run",
    "files_named",
    "identity",
    "check_kind",
    "is_formatter",
    "runs_project_check",
    "subjects_of",
    "is_instructing",
    "of_dependency",
    "is_skill",
    "key_arguments",
    "is_refused",
    "never_began",
    "refuses_task",
    "listed_tasks",
    "outcome",
    "patches",
    "paths",
    "pi_file",
    "plan_answer",
    "plan_title",
    "rejection",
    "weighed_run",
    "result_kind",
    "result_row",
    "tool_call",
    "user_answers",
    "tells_an_output",
    "approved_plan",
    "changes_a_file",
    "approval_in",
    "file_after",
    "file_named",
    "file_text",
    "plan_proposed_by",
]
