"""Turns the files of agent hosts into recordings, and simulates pi (`pi_host`). Knows no sidecar."""

from ctxmgr.study.recordings import json_values, pi_host, pi_sessions, readers
from ctxmgr.study.recordings.pi_host import HostMessage, Write
from ctxmgr.study.recordings.pi_sessions import compaction_message
from ctxmgr.study.recordings.readers import Source
from ctxmgr.study.recordings.recording import (
    HostEvent,
    NoConversation,
    RecordedEntry,
    Recording,
    Stream,
    UnreadableRecording,
)

__all__ = [
    "HostEvent",
    "HostMessage",
    "NoConversation",
    "RecordedEntry",
    "Recording",
    "Source",
    "Stream",
    "UnreadableRecording",
    "Write",
    "compaction_message",
    "json_values",
    "pi_host",
    "pi_sessions",
    "readers",
]
