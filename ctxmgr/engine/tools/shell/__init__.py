"""What a shell's command line does to files. Knows programs and their options, no tool's name and no argument's."""

from ctxmgr.engine.tools.shell.changes import of_patch
from ctxmgr.engine.tools.shell.git import GitCall, brought_back, git_calls
from ctxmgr.engine.tools.shell.lines import of_shell, window
from ctxmgr.engine.tools.shell.programs import (
    check_kind,
    is_formatter,
    runs_project_check,
    subject_of,
    words_of,
)
from ctxmgr.engine.tools.shell.words import ShellCommand, pipelines_of, quoted
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped, unwrapped_words

__all__ = [
    "GitCall",
    "ShellCommand",
    "brought_back",
    "check_kind",
    "git_calls",
    "handed_line",
    "is_formatter",
    "of_patch",
    "of_shell",
    "pipelines_of",
    "quoted",
    "runs_project_check",
    "subject_of",
    "unwrapped",
    "unwrapped_words",
    "window",
    "words_of",
]
