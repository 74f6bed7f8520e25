"""What a shell's command line does to files. Knows programs and their options, but no tool's and no argument's
name.
"""

from ctxmgr.engine.tools.shell.files import of_patch
from ctxmgr.engine.tools.shell.lines import of_shell, status_of, texts_in
from ctxmgr.engine.tools.shell.programs import (
    GitCall,
    check_kind,
    git_calls,
    is_formatter,
    runs_project_check,
    subjects_of,
    words_of,
)
from ctxmgr.engine.tools.shell.words import quoted

__all__ = [
    "GitCall",
    "check_kind",
    "git_calls",
    "is_formatter",
    "of_patch",
    "of_shell",
    "quoted",
    "runs_project_check",
    "status_of",
    "subjects_of",
    "texts_in",
    "words_of",
]
