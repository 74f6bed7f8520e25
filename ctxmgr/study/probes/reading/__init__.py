"""From the bytes of messages to what happened in a session: files, runs, commits, tasks, names.

Its own reader of tool calls on purpose: what measures a policy shares no eyes with what it measures. It must know
neither `ctxmgr.engine` nor `ctxmgr.summarize`, no policy and no probe.
"""

from ctxmgr.study.probes.reading import programs, wording
from ctxmgr.study.probes.reading.calls import name_words
from ctxmgr.study.probes.reading.history import (
    CommandRun,
    Commit,
    FileUse,
    SessionHistory,
    history,
    mentioned_again,
)
from ctxmgr.study.probes.reading.turns import SessionCall, SessionMessage, turn

__all__ = [
    "CommandRun",
    "Commit",
    "FileUse",
    "SessionCall",
    "SessionHistory",
    "SessionMessage",
    "history",
    "mentioned_again",
    "name_words",
    "programs",
    "turn",
    "wording",
]
