"""The tools of known hosts, one row per family: their names, their purpose, and misleading argument names.

Names are compared by letters and digits only (`read_file` equals `ReadFile`), without a server's prefix. Facts are
from the hosts' own sources and from recorded sessions; hosts that no row names use the same names too.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from ctxmgr.engine.tools.names import ArgumentRole

Family = Literal[
    "read", "write", "edit", "delete", "move", "copy", "list", "search", "fetch", "plan", "delegate", "run",
    "editor", "patch", "call", "",
]  # fmt: skip
Tells = Literal["", "instructions", "tasks", "answers", "plan"]
"""What a tool's result is: instructions to go by, the state of the host's own tasks, what the user answered to the
questions in the call, whether the user approved the plan in it."""
Does = Literal["run", "write", "edit", "delete", "read", "search", "list"]  # of a declared tool


class ToolRow(msgspec.Struct, frozen=True):
    """Tools of one family. `names`, and `hosts` that have one of them.

    `roles`: of arguments by name, where `names.role_of` would be wrong. `where`: the argument that the row
    requires; of two rows with one name the first that applies is used. `tells`: what its result is, if not just a
    tool's text. `does`: for a tool that its host declared, the action on each argument, in order.
    """

    family: Family
    names: tuple[str, ...]
    hosts: str
    roles: Mapping[str, ArgumentRole] = {}
    where: str = ""
    tells: Tells = ""
    does: tuple[tuple[Does, str], ...] = ()


def row(
    family: Family,
    names: str,
    hosts: str,
    roles: Mapping[str, ArgumentRole] | None = None,
    where: str = "",
) -> ToolRow:
    """A row with its names in one text."""
    return ToolRow(family, tuple(names.split()), hosts, roles or {}, where)


SKILLS = ToolRow(
    "delegate",
    ("Skill", "use_skill", "activate_skill", "load_skill", "read_skill", "skill_view"),
    "Claude Code, OpenCode, Cline, Gemini CLI, Goose",
    tells="instructions",
)
ROWS: tuple[ToolRow, ...] = (
    # files: read
    row("read", "read", "OpenCode", where="filePath"),
    row("read", "read", "pi, Claude Code, Cursor, Amp, Factory"),
    row(
        "read",
        "read_file view view_file open_file file_read fs_read read_text_file cat_file",
        "Gemini CLI, Cursor, Cline, Roo Code, Copilot, Continue, Zed, Windsurf, Copilot CLI, MCP file servers",
    ),
    row("read", "copilot_readFile read_notebook NotebookRead", "Copilot, Claude Code"),
    row("read", "read_file_range read_currently_open_file", "Continue"),
    row("read", "read_many_files", "Gemini CLI", {"include": "paths"}),
    row("read", "read_files read_multiple_files view_files", "Cline, MCP file servers"),
    row("read", "open", "SWE-agent"),
    # files: write
    row(
        "write",
        "write write_file write_to_file create_file create file_write save_file"
        " create_new_file create_text_file",
        "pi, Claude Code, OpenCode, Gemini CLI, Cline, Roo Code, Copilot, Goose, Aider, SWE-agent, Continue",
    ),
    row("write", "copilot_createFile create_new_jupyter_notebook", "Copilot"),
    # files: edit
    row(
        "edit",
        "edit multi_edit edit_file file_edit str_replace str_replace_file"
        " replace replace_in_file search_replace search_and_replace insert insert_content edit_existing_file"
        " single_find_and_replace multi_replace replace_lines replace_file_content multi_replace_file_content",
        "pi, Claude Code, OpenCode, Gemini CLI, Cursor, Cline, Roo Code, Copilot CLI, Goose, Aider, OpenHands,"
        " SWE-agent, Windsurf, Kimi, Continue",
    ),
    row(
        "edit",
        "replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_notebook_file edit_files"
        " copilot_replaceString copilot_multiReplaceString copilot_insertEdit copilot_editNotebook",
        "Copilot",
    ),
    row("edit", "NotebookEdit edit_notebook undo_edit reapply", "Claude Code, Cursor, Amp"),
    row(
        "editor",
        "str_replace_editor str_replace_based_edit_tool file_editor text_editor planning_file_editor",
        "OpenHands, Anthropic, Goose, Augment",
    ),
    row("editor", "fs_write", "Amazon Q", where="command"),
    row("patch", "apply_patch patch apply_diff copilot_applyPatch", "Codex, OpenCode, Copilot, Cline, Roo Code"),
    # files: delete, move
    row("delete", "delete delete_file delete_files delete_path remove_file remove_files", "Cursor, Zed, Augment"),
    row("move", "move_file move_path rename_file", "MCP file servers, Zed"),
    row("copy", "copy_file copy_path", "MCP file servers, Zed"),
    # looks
    row(
        "list",
        "ls list list_files list_dir list_directory read_dir directory_tree tree create_directory_tree"
        " list_code_definition_names get_errors read_lints get_changed_files copilot_listDirectory"
        " copilot_getErrors get_file_info lsp todo_read",
        "pi, Claude Code, Gemini CLI, Cursor, Cline, Roo Code, Copilot, Goose, OpenCode, MCP file servers",
    ),
    ToolRow("list", ("TaskList", "TaskGet"), "Claude Code", tells="tasks"),
    row(
        "search",
        "grep glob find search search_files file_search grep_search search_file_content"
        " code_search codebase_search semantic_search find_file find_path find_by_name search_dir search_file"
        " copilot_findFiles copilot_findTextInFiles copilot_searchCodebase",
        "pi, Claude Code, Gemini CLI, Cursor, Cline, Roo Code, Copilot, OpenCode, OpenHands, SWE-agent, Zed",
    ),
    row(
        "fetch",
        "WebFetch web_search google_web_search fetch fetch_webpage fetch_url copilot_fetchWebPage",
        "Claude Code, Gemini CLI, OpenCode, Cursor, Cline, Copilot, Roo Code",
    ),
    # runs
    row(
        "run",
        "bash sh shell exec exec_command shell_command run_command run_commands run_shell_command"
        " run_terminal_cmd run_terminal_command run_in_terminal terminal local_shell execute_bash execute_command"
        " execute powershell launch_process",
        "pi, Claude Code, Codex, OpenCode, Gemini CLI, Cursor, Cline, Roo Code, Copilot, Copilot CLI, Goose,"
        " OpenHands, SWE-agent, mini-swe-agent, Zed, Windsurf",
    ),
    row("run", "execute_ipython_cell execute_code run_notebook_cell", "OpenHands, Aider, Copilot"),
    # plans and others
    row("plan", "TaskCreate TaskUpdate", "Claude Code", {"description": "about", "activeForm": "about"}),
    row(
        "plan",
        "TodoWrite write_todos todo update_plan update_todo update_todo_list manage_todo_list task_tracker"
        " SetTodoList",
        "Claude Code, Gemini CLI, Codex, OpenCode, Cursor, Roo Code, Copilot, Goose, OpenHands, Kimi",
    ),
    row("delegate", "Task Agent new_task subagent runSubagent spawn_agent delegate",
        "Claude Code, OpenCode, Cline, Roo Code, Copilot, Gemini CLI"),
    SKILLS,
    ToolRow(
        "",
        ("AskUserQuestion", "question", "request_user_input", "ask_user", "ask_followup_question"),
        "Claude Code, OpenCode, Codex, Gemini CLI, Cline, Roo Code",
        tells="answers",
    ),
    ToolRow(
        "plan",
        ("ExitPlanMode", "plan_exit", "plan_mode_respond", "create_plan"),
        "Claude Code, Gemini CLI, Qwen Code, Copilot CLI, OpenCode, Kilo Code, Cline, Cursor",
        tells="plan",
    ),
    row("call", "use_mcp_tool", "Cline, Roo Code"),
)  # fmt: skip
