"""The command `ab`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Runs one prompt twice, in two copies of the work tree: as the program sends it, and with ctxmgr. Shows the "
    "provider's own counts of both, how long each took, and what each changed in its copy. Both are real runs and "
    "both are billed. The work tree itself is not changed."
)
EXAMPLE = "ctxmgr ab --arg=--permission-mode --arg=acceptEdits -- Mend the failing test"


def add_arguments(command: argparse.ArgumentParser) -> None:
    from ctxmgr.cli.arguments import add_settings

    command.add_argument(
        "--program",
        choices=("claude", "codex", "opencode", "gemini"),
        default="claude",
        help="what to run (default: claude)",
    )
    command.add_argument(
        "--arg", metavar="ARGUMENT", action="append", default=[], help="one more argument of the program's"
    )
    command.add_argument("--upstream", metavar="URL", help="the provider (default: where the program would go)")
    command.add_argument("--keep", action="store_true", help="leave the two copies, and say where they are")
    command.add_argument("--json", action="store_true", help="print everything as JSON")
    add_settings(command)
    command.add_argument("prompt", metavar="-- PROMPT", nargs=argparse.REMAINDER, help="what to ask of the program")


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.programs import receipt

    return receipt.run(parsed)
