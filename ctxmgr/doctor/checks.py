"""The checks of an installation: the program itself, a sidecar, the state directory, settings, agents, a recording.
Also what each check receives and returns.

Each yields findings on its own subject, and none if there is nothing to check.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from ctxmgr import __version__, settings
from ctxmgr.client import Client, SidecarFault, SpawnedSidecar, Timing
from ctxmgr.devices import archive_fault, archive_path, default_state_dir, shared, snapshots, tokens
from ctxmgr.extras import EXTRAS, install, is_installed
from ctxmgr.programs import PROGRAMS, Launch, NotHookable, installed

if TYPE_CHECKING:
    from ctxmgr.study.recordings import Recording, Stream  # a separate distribution, which may be missing

Severity = Literal["ok", "warn", "bad"]


class Surroundings(msgspec.Struct, frozen=True):
    """What to examine. `state_dir`: "" for the user's. `recording`: a transcript, "" for none. `compare`: start the
    installed programs and compare their first calls.
    """

    environ: Mapping[str, str] = os.environ
    directory: str = "."
    state_dir: str = ""
    recording: str = ""
    compare: bool = False

    @property
    def state(self) -> Path:
        return Path(self.state_dir or default_state_dir())


def read_surroundings(
    environ: Mapping[str, str], directory: str, state_dir: str | None, recording: str | None, compare: bool = False
) -> Surroundings:
    """Uses the given state directory, or else that of the settings. Unusable settings are ignored here, since their
    own check reports them.
    """
    with contextlib.suppress(settings.SettingsFault):
        state_dir = state_dir or settings.read(environ=environ, directory=directory).settings_for().state_dir
    return Surroundings(environ, directory, state_dir or "", recording or "", compare)


class Diagnosis(msgspec.Struct, frozen=True):
    """One sentence on one subject, and what to do if something is wrong."""

    severity: Severity
    subject: str
    text: str
    advice: str = ""


# the program itself

VOCABULARY = "o200k_base"


def versions(_: Surroundings) -> Iterator[Diagnosis]:
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Diagnosis("ok", "version", f"ctxmgr {__version__}, {where}")


def extras(_: Surroundings) -> Iterator[Diagnosis]:
    """A missing extra is no fault: most people need one or two."""
    missing = [name for name in EXTRAS if not is_installed(name)]
    text = f"installed: {', '.join(name for name in EXTRAS if name not in missing) or 'none'}"
    if not missing:
        yield Diagnosis("ok", "extras", text)
        return
    first = missing[0]
    advice = f"{install(first)} adds {first}, for {EXTRAS[first].purpose.replace('`', '')}"
    yield Diagnosis("ok", "extras", f"{text}; not installed: {', '.join(missing)}", advice)


def vocabulary(_: Surroundings) -> Iterator[Diagnosis]:
    loaded = tokens.load(VOCABULARY)
    if loaded.weigher.name == VOCABULARY:
        yield Diagnosis("ok", "vocabulary", f"{VOCABULARY} is installed and loads")
    else:
        yield Diagnosis(
            "warn", "vocabulary", f"{loaded.note}", "tokens are estimated until you install ctxmgr again"
        )


SLOW_MS = 3_000.0  # from the spawn to the first answer: a third of a client's timeout
TIMING = Timing()  # a client's timeouts
MODEL = {"id": "doctor", "contextWindow": 200_000}
MESSAGES = [{"role": "user", "content": "Is anybody there?"}]


def sidecar(_: Surroundings) -> Iterator[Diagnosis]:
    """Spawns a sidecar on its own state directory, and measures the time to its first answer and to a list."""
    try:
        with tempfile.TemporaryDirectory(prefix="ctxmgr-doctor-") as state:
            start_ms, context_ms = _answer_ms(state)
    except SidecarFault as fault:
        advice = "run `ctxmgr serve` by hand and read its error messages"
        yield Diagnosis("bad", "sidecar", f"ctxmgr serve does not answer: {fault}", advice)
        return
    text = (
        f"ctxmgr serve answers {start_ms:,.0f} ms after it was started, and prunes a list in {context_ms:,.0f} ms"
    )
    if start_ms > SLOW_MS:
        yield Diagnosis(
            "warn", "sidecar", text, "the disk is slow or the machine is busy; check again when it is idle"
        )
    else:
        yield Diagnosis("ok", "sidecar", text)


def _answer_ms(state: str) -> tuple[float, float]:
    """Milliseconds until a session has begun, and for its first list. Raises SidecarFault."""
    times = [time.perf_counter()]
    with Client(format="openai", sidecar=SpawnedSidecar(state_dir=state), timing=TIMING) as client:
        session = client.session("doctor", MODEL)
        times.append(time.perf_counter())
        if client.trouble is None:
            session.context(MESSAGES)
            times.append(time.perf_counter())
        if client.trouble is not None:
            raise client.trouble
    spawned, begun, listed = times
    return (begun - spawned) * 1000, (listed - begun) * 1000


# the state directory

STATE = "state directory"
MEGABYTE = 1_000_000
# free space below which it warns, and below which it reports a fault
LITTLE_BYTES, NONE_BYTES = 1_000 * MEGABYTE, 50 * MEGABYTE
NAMED = 3  # files of each kind that are named


def directory(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """What the system reports about the directory itself."""
    state = surroundings.state
    if not state.exists():
        yield Diagnosis("ok", STATE, f"{state} will be created with the first session")
        return
    status = state.stat()
    if not stat.S_ISDIR(status.st_mode):
        yield Diagnosis("bad", STATE, f"{state} is not a directory, so no session is saved", "move that file away")
    elif hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        yield Diagnosis("bad", STATE, f"{state} belongs to another user", "name your own with CTXMGR_STATE_DIR")
    elif not os.access(state, os.W_OK | os.X_OK):
        yield Diagnosis("bad", STATE, f"{state} is not writable, so no session is saved", f"chmod 700 {state}")
    elif os.name != "nt" and stat.S_IMODE(status.st_mode) & 0o077:
        mode = f"{stat.S_IMODE(status.st_mode):o}"
        yield Diagnosis("warn", STATE, f"{state} can be read by others (mode {mode})", f"chmod 700 {state}")
    else:
        yield Diagnosis("ok", STATE, f"{state} is readable only by you")


def space(surroundings: Surroundings) -> Iterator[Diagnosis]:
    state = surroundings.state
    free = shutil.disk_usage(next(path for path in (state, *state.parents) if path.exists())).free
    severity: Severity = "bad" if free < NONE_BYTES else "warn" if free < LITTLE_BYTES else "ok"
    advice = "" if severity == "ok" else "free some space; ctxmgr sessions list shows what is saved"
    yield Diagnosis(severity, "space", f"{free / MEGABYTE:,.0f} MB free on its disk", advice)


def sessions(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """How many sessions there are, which cannot be read, and which are open."""
    if not surroundings.state.is_dir():
        return
    try:
        files = snapshots.saved_files(surroundings.state)
    except OSError as fault:
        yield Diagnosis("bad", "sessions", f"{surroundings.state} cannot be read: {fault.strerror}")
        return
    size = sum(file.size_bytes for file in files) / MEGABYTE
    open_count = sum(file.holder is not None for file in files)
    running = f", {open_count} of them open now" if open_count else ""
    yield Diagnosis("ok", "sessions", f"{len(files)} saved ({size:,.1f} MB){running}")
    broken = [file.path for file in files if file.holder is None and snapshots.read(Path(file.path)).fault]
    if broken:
        yield Diagnosis(
            "warn",
            "sessions",
            f"{len(broken)} cannot be read: {_names(broken)}",
            "each starts again when its host opens it, and the old file is kept aside; ctxmgr inspect FILE says "
            "why",
        )


def set_aside(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """Files that nothing reads any more."""
    if not surroundings.state.is_dir():
        return
    try:
        files = sorted(snapshots.leftovers(surroundings.state))
    except OSError:  # reported by `sessions`
        return
    if files:
        size = sum(size for _, size in files) / MEGABYTE
        names = _names([path for path, _ in files])
        text = f"{len(files)} files are no longer used ({size:,.1f} MB): {names}"
        yield Diagnosis("warn", "unused files", text, "delete them if you do not need them")


def archive(surroundings: Surroundings) -> Iterator[Diagnosis]:
    path = archive_path(surroundings.state)
    if not path.exists():
        return
    size = path.stat().st_size / MEGABYTE
    fault = archive_fault(surroundings.state)
    if fault is None:
        yield Diagnosis("ok", "archive", f"originals of what was removed, {size:,.1f} MB")
    else:
        advice = "the next call that needs it puts it aside and starts a new one"
        yield Diagnosis("warn", "archive", f"cannot be used: {fault}", advice)


def _names(paths: list[str]) -> str:
    names = [Path(path).name for path in paths]
    more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


# settings


def setting_files(surroundings: Surroundings) -> Iterator[Diagnosis]:
    try:
        layers = settings.read(environ=surroundings.environ, directory=surroundings.directory)
    except settings.SettingsFault as fault:
        advice = "fix it: ctxmgr run and ctxmgr proxy do not start until then"
        yield Diagnosis("bad", "settings", str(fault), advice)
        return
    none = f"no file, defaults apply (yours would be {settings.user_path(surroundings.environ)})"
    yield Diagnosis("ok", "settings", f"read from {', '.join(layers.paths)}" if layers.paths else none)


def rights(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """The user's file decides where keys are sent, so nobody else may have write access."""
    path = settings.user_path(surroundings.environ)
    if path.is_file() and (how := shared(path.stat())):
        yield Diagnosis("warn", "settings", f"{path}: {how}", f"chmod go-w {path}")


def variables(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """Variables that are not ours, but have a similar name."""
    for name in sorted(surroundings.environ):
        if meant := settings.meant_variable(name):
            yield Diagnosis("warn", "settings", f"{name} is set, but nothing reads it", f"did you mean {meant}?")


# what runs through ctxmgr

FEW_SESSIONS = 20  # with more saved sessions a user may want to know what ctxmgr does


def holdout(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """Whether the savings on the user's own bill are measured. Reports a missing holdout only if there are enough
    sessions.
    """
    with contextlib.suppress(settings.SettingsFault, OSError):  # reported by their own checks
        read = settings.read(environ=surroundings.environ, directory=surroundings.directory)
        share = read.settings_for().holdout
        if share:
            text = f"{share:.0%} of sessions stay unchanged, for comparison"
            yield Diagnosis("ok", "holdout", text, "ctxmgr savings --live shows what the others saved")
            return
        saved = len(snapshots.saved_files(surroundings.state)) if surroundings.state.is_dir() else 0
        if saved > FEW_SESSIONS:
            text = "off: what ctxmgr saves you, and whether your agent works as well, is not measured"
            advice = 'holdout = "10%" in your settings lets a tenth of sessions stay unchanged, for comparison'
            yield Diagnosis("ok", "holdout", text, advice)


def agents(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """The agents on this machine: how to start each, and what it does differently behind ctxmgr."""
    on_path = [(program, agent) for program in PROGRAMS if (agent := installed(program, surroundings.environ))]
    if not on_path:
        names = ", ".join(program.title for program in PROGRAMS)
        yield Diagnosis("ok", "agents", f"no known agent is on PATH ({names})")
    for program, agent in on_path:
        if agent.version is None:
            text = f"{agent.path} does not say its version"
            yield Diagnosis("warn", program.title, text, f"see whether `{program.command} --version` works")
            continue
        tried = f"tried with {program.tried}" if program.tried else "known only from its documentation"
        text = f"{agent.version} at {agent.path}; {tried}"
        start = Launch((), dict(surroundings.environ), surroundings.directory)
        try:
            upstream = program.upstream(start)
            program.hook(start, "http://127.0.0.1:1", upstream)
        except NotHookable as fault:
            yield Diagnosis("warn", program.title, f"{text}: {fault}")
            continue
        yield Diagnosis("ok", program.title, f"{text}; provider: {upstream}", f"ctxmgr run -- {program.command}")
        for loss in program.losses:
            yield Diagnosis("ok", program.title, f"behind ctxmgr: {loss}")


def recording(surroundings: Surroundings) -> Iterator[Diagnosis]:
    """The named file: which program wrote it, and what is in it."""
    if not surroundings.recording:
        return
    try:
        from ctxmgr.study.conformance import read
        from ctxmgr.study.recordings import Recording, UnreadableRecording, readers
    except ModuleNotFoundError:
        yield Diagnosis("warn", "recording", "reading a recording needs the study extra", install("study"))
        return
    try:
        source = readers.source(Path(surroundings.recording))
        kind = readers.kind(source)
        if kind.reader is None:
            read(source.name, source.content)
            advice = f"ctxmgr replay {surroundings.recording} checks it against this version"
            yield Diagnosis("ok", "recording", f"{surroundings.recording} is {kind.description}", advice)
            return
        session = readers.read(source)
    except UnreadableRecording as fault:
        advice = "name a session file of an agent; the replay guide lists where they are"
        yield Diagnosis("bad", "recording", str(fault), advice)
        return
    text = f"{surroundings.recording} is {kind.description}: {_contents(session)}"
    advice = f"ctxmgr replay {surroundings.recording} shows what ctxmgr would save"
    yield Diagnosis("ok", "recording", text, advice)
    for note in session.notes if isinstance(session, Recording) else ():
        yield Diagnosis("ok", "recording", note)


def _contents(session: Recording | Stream) -> str:
    from ctxmgr.study.recordings import Stream

    model = f"model {session.model or 'unknown'}"
    if isinstance(session, Stream):
        return f"{len(session.events)} events, {model}"
    counts = Counter(entry.role if entry.kind == "message" else entry.kind for entry in session.entries)
    kinds = ", ".join(f"{count} {name or 'other'}" for name, count in counts.items())
    return f"{len(session.entries)} entries ({kinds or 'none'}), {model}"
