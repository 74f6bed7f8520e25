"""The command `forget`: its arguments, and what runs it."""

import argparse

DESCRIPTION = (
    "Deletes a session's snapshot, what lies beside it, and its originals in the archive. The exit "
    "code is 1 if the session is open or the disk refuses, 2 if nothing is kept of it."
)
EXAMPLE = "ctxmgr forget SESSION --state-dir /tmp/ctxmgr"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("session", metavar="SESSION", help="the session's id, as the host names it")
    command.add_argument("--state-dir", metavar="DIR", help="the state directory (default: the user's)")
    command.add_argument(
        "--store", metavar="URL", help="delete it in this store as well; not where it is open on another machine"
    )


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.inspection import forgetting

    return forgetting.run(parsed)
