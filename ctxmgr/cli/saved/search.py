"""The command `search`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    'Searches what left the lists of saved sessions, by its words: plain words, "a phrase", path:src/a.py, '
    "tool:bash. Identifiers and paths are found whole and by their parts; keys and passwords of known shapes are "
    "neither found nor shown. The exit code is 1 if nothing was found or the archive can not be read, 2 if no "
    "session, or more than one, is meant."
)
EXAMPLE = "ctxmgr search ENOSPC path:src/disk.py --limit 5"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("query", metavar="WORD", nargs="*", help="what to look for")
    command.add_argument(
        "--session", metavar="SESSION", help="in this session alone: its id, or how that begins (default: in all)"
    )
    command.add_argument("--limit", metavar="N", type=int, default=10, help="hits at most (default: %(default)s)")
    command.add_argument(
        "--original",
        metavar="HANDLE",
        help="print the whole original of a hit instead; with secrets only where archive.keepSecrets is set",
    )
    command.add_argument("--json", action="store_true", help="print hits as JSON")
    command.add_argument("--state-dir", metavar="DIR", help="the state directory (default: the settings' or yours)")


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.inspection import searching

    return searching.run(parsed)
