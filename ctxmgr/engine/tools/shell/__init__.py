"""What a shell's command line does to files. Knows programs and their options, no tool's name and no argument's."""

from ctxmgr.engine.tools.shell.changes import of_patch
from ctxmgr.engine.tools.shell.git import GitCall, brought_back, git_calls, only_shows
from ctxmgr.engine.tools.shell.lines import of_shell
from ctxmgr.engine.tools.shell.outline import outlined
from ctxmgr.engine.tools.shell.programs import (
    CheckKind,
    builds,
    check_kind,
    handles_files,
    is_checking,
    is_like_a_check,
    only_reads,
    subject_of,
    targets_apart,
    tool_of,
    words_of,
)
from ctxmgr.engine.tools.shell.swe_agent import replaced, window
from ctxmgr.engine.tools.shell.words import ShellCommand, parse, quoted
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped, unwrapped_words

__all__ = [
    "CheckKind",
    "GitCall",
    "ShellCommand",
    "brought_back",
    "builds",
    "git_calls",
    "handed_line",
    "handles_files",
    "check_kind",
    "is_checking",
    "is_like_a_check",
    "of_patch",
    "of_shell",
    "only_reads",
    "only_shows",
    "outlined",
    "parse",
    "quoted",
    "replaced",
    "subject_of",
    "targets_apart",
    "tool_of",
    "unwrapped",
    "unwrapped_words",
    "window",
    "words_of",
]
