"""What programs change that are no shell's own: formatters, scripts of Python, and the rounds of a loop."""

from ctxmgr.engine.tools.shell.editing.formatters import formatted
from ctxmgr.engine.tools.shell.editing.loops import without_loops
from ctxmgr.engine.tools.shell.editing.python_scripts import files_of, script_of

__all__ = ["files_of", "formatted", "script_of", "without_loops"]
