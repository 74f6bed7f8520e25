"""What tools do. One catalog knows the names of tools and of their arguments, and what a shell's command line, a
patch or a script in them does; everything else is handed a `ToolCall`.

It must not know how a call's result is shown, kept or told: markers, facts and plans are made of what it says.
"""

from ctxmgr.engine.tools import patches, paths
from ctxmgr.engine.tools.arguments import runs_in
from ctxmgr.engine.tools.catalog import (
    CATALOG,
    USERS_SHELL,
    Memo,
    call_of_block,
    calls_of,
    identity,
    key_arguments,
    result_kind,
    tool_call,
)
from ctxmgr.engine.tools.dialogue import plan_answer, plan_title, rejection, user_answers
from ctxmgr.engine.tools.effects import CHANGES, CallOutcome, EffectKind, FileEffect, Shell, Task, ToolCall
from ctxmgr.engine.tools.instructions import FILES as INSTRUCTION_FILES
from ctxmgr.engine.tools.instructions import files_named, is_instructing, is_skill, of_dependency
from ctxmgr.engine.tools.names import SURE, VERBS
from ctxmgr.engine.tools.outcome import (
    TARGET,
    RunReport,
    RunScope,
    asks_for,
    counts_text,
    end_of_run,
    failed_parts,
    goes_on_as,
    is_lost,
    is_of_kind,
    is_refused,
    is_usage_error,
    only_counts,
    outcome,
    outcome_by,
    part_was_in,
    runs_all_tests,
    scopes_of,
    tests_quoted,
    unwrapped,
    was_in,
    weighed_run,
)
from ctxmgr.engine.tools.pi_files import pi_file
from ctxmgr.engine.tools.roles import WHOLE, ArgumentRole, role_of
from ctxmgr.engine.tools.rows import ToolRow
from ctxmgr.engine.tools.shell import (
    CheckKind,
    GitCall,
    check_kind,
    git_calls,
    is_checking,
    is_like_a_check,
    only_shows,
    targets_apart,
)
from ctxmgr.engine.tools.tasks import created_id, listed_tasks, refuses_task
from ctxmgr.engine.tools.written import written

__all__ = [
    "TARGET",
    "CheckKind",
    "CallOutcome",
    "ArgumentRole",
    "CATALOG",
    "CHANGES",
    "EffectKind",
    "FileEffect",
    "INSTRUCTION_FILES",
    "Memo",
    "RunReport",
    "RunScope",
    "GitCall",
    "git_calls",
    "only_shows",
    "runs_in",
    "SURE",
    "Shell",
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
    "failed_parts",
    "files_named",
    "goes_on_as",
    "identity",
    "check_kind",
    "is_checking",
    "is_like_a_check",
    "is_instructing",
    "of_dependency",
    "is_skill",
    "key_arguments",
    "is_lost",
    "is_of_kind",
    "is_refused",
    "refuses_task",
    "listed_tasks",
    "only_counts",
    "outcome",
    "outcome_by",
    "patches",
    "paths",
    "pi_file",
    "plan_answer",
    "plan_title",
    "rejection",
    "weighed_run",
    "scopes_of",
    "role_of",
    "result_kind",
    "tool_call",
    "unwrapped",
    "user_answers",
    "written",
    "is_usage_error",
    "part_was_in",
    "runs_all_tests",
    "targets_apart",
    "tests_quoted",
    "was_in",
]
