"""Turns the files of agent hosts into recordings. Knows no sidecar."""

from ctxmgr.study.recordings import json_values, pi_sessions, readers
from ctxmgr.study.recordings.pi_sessions import compaction_message
from ctxmgr.study.recordings.readers import Source
from ctxmgr.study.recordings.recording import (
    DEFAULT_WINDOW,
    HostEvent,
    RecordedEntry,
    Recording,
    Stream,
    UnreadableRecording,
)

__all__ = [
    "DEFAULT_WINDOW",
    "HostEvent",
    "RecordedEntry",
    "Recording",
    "Source",
    "Stream",
    "UnreadableRecording",
    "compaction_message",
    "json_values",
    "pi_sessions",
    "readers",
]
