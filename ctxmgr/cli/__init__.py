"""The command line: one file a command, with `DESCRIPTION`, `add_arguments` and `run`.

Must not import what carries a command out before it runs: `ctxmgr serve` starts no slower for what it never uses.
"""

from ctxmgr.cli.commands import COMMANDS, main, parser

__all__ = ["COMMANDS", "main", "parser"]
