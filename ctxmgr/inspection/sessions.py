"""Runs `ctxmgr sessions`: what is saved, listed, shown, exported, deleted."""

from argparse import Namespace
from pathlib import Path

from ctxmgr import settings
from ctxmgr.devices import default_state_dir
from ctxmgr.devices.snapshots import file_name
from ctxmgr.inspection import deleting, exporting, inspecting, listing
from ctxmgr.plain_text import complain


def run(parsed: Namespace) -> int:
    """0: done; 1: a session is open, a file is broken, or the disk refuses; 2: there is no such session."""
    if parsed.action == "list" and parsed.store is not None:
        return listing.list_stored(parsed)
    try:
        named = parsed.state_dir or settings.read().settings_for().state_dir
    except settings.SettingsFault as fault:
        return complain("sessions", str(fault), 2)
    actions = {
        "list": listing.list_here,
        "show": _show,
        "export": exporting.run,
        "delete": deleting.delete,
        "purge": deleting.purge,
    }
    return actions[parsed.action](parsed, Path(named or default_state_dir()))


def _show(parsed: Namespace, directory: Path) -> int:
    path = directory / file_name(parsed.session)
    if not path.exists():
        where = f"nothing is saved of {parsed.session} in {directory}; --state-dir names another"
        return complain("sessions", where, 2)
    return inspecting.run(Namespace(file=str(path), full=parsed.full, models=parsed.models))
