"""The command line: one row per command, in tables by topic.

Must not import the code of a command before it runs, so that `ctxmgr serve` starts quickly.
"""

from ctxmgr.cli.commands import COMMANDS, main, parser

__all__ = ["COMMANDS", "main", "parser"]
