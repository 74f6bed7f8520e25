"""The state directory: whose it is, who else may read it, how full its disk is, what lies in it."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxmgr.devices import archive_fault, archive_path, snapshots
from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings

SUBJECT = "state directory"
MEGABYTE = 1_000_000
LITTLE_BYTES, NONE_BYTES = 1_000 * MEGABYTE, 50 * MEGABYTE  # free: below these it warns, and does not work for long
NAMED = 3  # files of a kind that are told by name


def directory(place: Surroundings) -> Iterator[Diagnosis]:
    """What the system says of the directory itself."""
    state = place.state
    if not state.exists():
        yield Diagnosis("ok", SUBJECT, f"{state} is made with the first session")
        return
    status = state.stat()
    if not stat.S_ISDIR(status.st_mode):
        yield Diagnosis("bad", SUBJECT, f"{state} is no directory: no session is saved", "move that file away")
    elif hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        yield Diagnosis("bad", SUBJECT, f"{state} belongs to another user", "name your own with CTXMGR_STATE_DIR")
    elif not os.access(state, os.W_OK | os.X_OK):
        yield Diagnosis("bad", SUBJECT, f"{state} can not be written: no session is saved", f"chmod 700 {state}")
    elif os.name != "nt" and stat.S_IMODE(status.st_mode) & 0o077:
        mode = f"{stat.S_IMODE(status.st_mode):o}"
        yield Diagnosis("warn", SUBJECT, f"{state} can be read by others (mode {mode})", f"chmod 700 {state}")
    else:
        yield Diagnosis("ok", SUBJECT, f"{state} is yours alone")


def space(place: Surroundings) -> Iterator[Diagnosis]:
    state = place.state
    there = next(path for path in (state, *state.parents) if path.exists())
    free = shutil.disk_usage(there).free
    severity, advice = ("ok", "")
    if free < LITTLE_BYTES:
        severity, advice = (
            ("bad" if free < NONE_BYTES else "warn"),
            "make room; ctxmgr sessions shows what is saved",
        )
    yield Diagnosis(severity, "space", f"{free / MEGABYTE:,.0f} MB are free on its disk", advice)  # type: ignore[arg-type]


def sessions(place: Surroundings) -> Iterator[Diagnosis]:
    """How many there are, which can not be read, and who has some open."""
    if not place.state.is_dir():
        return
    try:
        files = snapshots.saved_files(place.state)
    except OSError as fault:
        yield Diagnosis("bad", "sessions", f"{place.state} can not be read: {fault.strerror}")
        return
    size = sum(file.size_bytes for file in files) / MEGABYTE
    open_ones = [file for file in files if file.holder is not None]
    running = f", {len(open_ones)} of them open now" if open_ones else ""
    yield Diagnosis("ok", "sessions", f"{len(files)} saved ({size:,.1f} MB){running}")
    broken = [file for file in files if file.holder is None and snapshots.read(Path(file.path)).fault]
    if broken:
        yield Diagnosis(
            "warn",
            "sessions",
            f"{len(broken)} can not be read: {_names([file.path for file in broken])}",
            "each begins anew when its host opens it, and the old file is set aside; ctxmgr inspect FILE says why",
        )


def set_aside(place: Surroundings) -> Iterator[Diagnosis]:
    """Files that nothing reads any more."""
    if not place.state.is_dir():
        return
    try:
        files = sorted(snapshots.leftovers(place.state))
    except OSError:  # `sessions` has said so
        return
    if files:
        size = sum(size for _, size in files) / MEGABYTE
        names = _names([path for path, _ in files])
        text = f"{len(files)} files were set aside or left over ({size:,.1f} MB): {names}"
        yield Diagnosis("warn", "left over", text, "delete them where you do not need them; nothing reads them")


def archive(place: Surroundings) -> Iterator[Diagnosis]:
    path = archive_path(place.state)
    if not path.exists():
        return
    size = path.stat().st_size / MEGABYTE
    fault = archive_fault(place.state)
    if fault is None:
        yield Diagnosis("ok", "archive", f"originals of what left, {size:,.1f} MB")
    else:
        advice = "it is set aside with the next call that needs it, and a new one begun"
        yield Diagnosis("warn", "archive", f"can not be used: {fault}", advice)


def _names(paths: list[str]) -> str:
    names = [Path(path).name for path in paths]
    more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
