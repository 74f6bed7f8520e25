"""What a shell's command line does to files. Knows programs and their options, no tool's name and no argument's."""

from ctxmgr.engine.tools.shell.changes import documents, of_patch
from ctxmgr.engine.tools.shell.git import GitCall, git_calls, only_shows
from ctxmgr.engine.tools.shell.lines import of_shell
from ctxmgr.engine.tools.shell.programs import is_checking, words_of
from ctxmgr.engine.tools.shell.swe_agent import replaced, window
from ctxmgr.engine.tools.shell.words import quoted

__all__ = [
    "GitCall",
    "documents",
    "git_calls",
    "is_checking",
    "of_patch",
    "of_shell",
    "only_shows",
    "quoted",
    "replaced",
    "window",
    "words_of",
]
