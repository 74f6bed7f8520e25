"""A file that may be a recording of a session: whose it is, and what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings

if TYPE_CHECKING:
    from ctxmgr.study.recordings import Recording, Stream  # a distribution of its own, which may not be there

SUBJECT = "recording"
NO_STUDY = "recordings are read by the study extra, which is not installed"


def recording(place: Surroundings) -> Iterator[Diagnosis]:
    if not place.recording:
        return
    try:
        from ctxmgr.study.recordings import Recording, UnreadableRecording, readers
    except ModuleNotFoundError:
        yield Diagnosis("warn", SUBJECT, NO_STUDY, "pip install 'ctxmgr-sidecar[study]'")
        return
    try:
        source = readers.source(Path(place.recording))
        kind = readers.file_kind(source)
        if kind.reader is None:
            advice = f"ctxmgr replay {place.recording} compares it with this version"
            yield Diagnosis("ok", SUBJECT, f"{place.recording} is {kind.description}", advice)
            return
        read = readers.read(source)
    except UnreadableRecording as fault:
        advice = "give a session file of an agent: the guide to replay lists where each keeps them"
        yield Diagnosis("bad", SUBJECT, str(fault), advice)
        return
    text = f"{place.recording} is {kind.description}: {_contents(read)}"
    yield Diagnosis("ok", SUBJECT, text, f"ctxmgr replay {place.recording} shows what ctxmgr would make of it")
    for note in read.notes if isinstance(read, Recording) else ():
        yield Diagnosis("ok", SUBJECT, note)


def _contents(read: Recording | Stream) -> str:
    from ctxmgr.study.recordings import Stream

    if isinstance(read, Stream):
        return f"{len(read.events)} events, model {read.model or 'unknown'}"
    counts = Counter(entry.role if entry.kind == "message" else entry.kind for entry in read.entries)
    kinds = ", ".join(f"{count} {name or 'other'}" for name, count in counts.items())
    return f"{len(read.entries)} entries ({kinds or 'none'}), model {read.model or 'unknown'}"
