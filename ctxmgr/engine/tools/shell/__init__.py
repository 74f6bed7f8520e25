"""What a shell's command line does to files. Knows programs and their options, no tool's name and no argument's."""

from ctxmgr.engine.tools.shell.changes import of_patch
from ctxmgr.engine.tools.shell.git import GitCall, brought_back, git_calls
from ctxmgr.engine.tools.shell.lines import of_shell
from ctxmgr.engine.tools.shell.outline import outlined
from ctxmgr.engine.tools.shell.programs import (
    check_kind,
    is_like_a_check,
    subject_of,
    words_of,
)
from ctxmgr.engine.tools.shell.swe_agent import replaced, window
from ctxmgr.engine.tools.shell.words import ShellCommand, parse, quoted
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped, unwrapped_words

__all__ = [
    "GitCall",
    "ShellCommand",
    "brought_back",
    "git_calls",
    "handed_line",
    "check_kind",
    "is_like_a_check",
    "of_patch",
    "of_shell",
    "outlined",
    "parse",
    "quoted",
    "replaced",
    "subject_of",
    "unwrapped",
    "unwrapped_words",
    "window",
    "words_of",
]
