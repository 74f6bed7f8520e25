"""What a shell's command line does to files. Knows programs and their options, no tool's name and no argument's."""

from ctxmgr.engine.tools.shell.changes import documents, of_patch
from ctxmgr.engine.tools.shell.lines import of_shell
from ctxmgr.engine.tools.shell.outline import outlined
from ctxmgr.engine.tools.shell.programs import MOST_SHELLS, SILENT, is_checking, is_look, words_of
from ctxmgr.engine.tools.shell.swe_agent import replaced, window
from ctxmgr.engine.tools.shell.words import Pipeline, Word, name_of, parse, quoted
from ctxmgr.engine.tools.shell.wrappers import handed_line, unwrapped

__all__ = [
    "MOST_SHELLS",
    "SILENT",
    "Pipeline",
    "Word",
    "documents",
    "handed_line",
    "is_checking",
    "is_look",
    "name_of",
    "of_patch",
    "of_shell",
    "outlined",
    "parse",
    "quoted",
    "replaced",
    "unwrapped",
    "window",
    "words_of",
]
