"""The command `sessions`: the arguments of its actions, and what runs them."""

import argparse

from ctxmgr.cli.arguments import add_models, positive

DESCRIPTION = (
    "What the state directory holds: its sessions listed, one of them shown, exported into a file of its own, or "
    "deleted with its originals, by name or by age and size. One that is open is not "
    "deleted. The exit code is 1 if a session is open, if it "
    "can not be read whole, or if the disk refuses, 2 if there is no such session."
)
EXAMPLE = "ctxmgr sessions list"


def add_arguments(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(required=True, metavar="ACTION", dest="action")
    listing = _action(actions, "list", "all of them, the one saved last first", "ctxmgr sessions list --json")
    _add_store(listing, "list those in this store, of whatever machine: file:///DIR, s3://BUCKET/DIR")
    listing.add_argument("--json", action="store_true", help="print them as JSON")
    show = _action(actions, "show", "what ctxmgr knows of one", "ctxmgr sessions show SESSION --full")
    _add_session(show)
    show.add_argument("--full", action="store_true", help="show long texts whole")
    add_models(show)
    export = _action(
        actions, "export", "one in a file of its own, with its originals", "ctxmgr sessions export SESSION s.jsonl"
    )
    _add_session(export)
    export.add_argument("file", metavar="FILE", help="a file that is not there yet; it is made for you alone")
    delete = _action(actions, "delete", "some, with their originals", "ctxmgr sessions delete SESSION")
    _add_store(delete, "delete them in this store as well; one that is open on another machine is not deleted")
    delete.add_argument("session", metavar="SESSION", nargs="+", help="their ids")
    purge = _action(
        actions,
        "purge",
        "those that are old, or have no room; none that is open",
        "ctxmgr sessions purge --days 30",
    )
    _add_store(
        purge,
        "delete them in this store, and not here, but none that was changed within a day; ages are by the store's "
        "clock",
    )
    purge.add_argument("--days", metavar="N", type=positive, help="saved longer ago (default: archive.maxAgeDays)")
    purge.add_argument(
        "--megabytes",
        metavar="N",
        type=positive,
        help="the oldest, until so much is left (default: archive.maxMegabytes; with --store no limit)",
    )
    purge.add_argument("--dry-run", action="store_true", help="delete nothing; tell what would be")


def _action(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    action = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", epilog=f"for example: {example}"
    )
    action.add_argument("--state-dir", metavar="DIR", help="the state directory (default: the settings' or yours)")
    return action


def _add_store(action: argparse.ArgumentParser, what: str) -> None:
    action.add_argument("--store", metavar="URL", help=what)


def _add_session(action: argparse.ArgumentParser) -> None:
    action.add_argument("session", metavar="SESSION", help="the session's id, as the list has it")


def run(parsed: argparse.Namespace) -> int:
    from ctxmgr.inspection import sessions

    return sessions.run(parsed)
