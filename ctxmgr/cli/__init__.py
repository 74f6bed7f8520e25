"""The command line: a row a command, in tables by what the commands are about.

Must not import what carries a command out before it runs: `ctxmgr serve` starts no slower for what it never uses.
"""

from ctxmgr.cli.commands import COMMANDS, main, parser

__all__ = ["COMMANDS", "main", "parser"]
