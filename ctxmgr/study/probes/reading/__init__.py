"""From the bytes of messages to what happened in a session: files, runs, commits, tasks, names.

Its own reader of tool calls on purpose: what measures a policy shares no eyes with what it measures. It must know
neither `ctxmgr.engine` nor `ctxmgr.summarize`, no policy and no probe.
"""

from ctxmgr.study.probes.reading import wording
from ctxmgr.study.probes.reading.commands import command_line
from ctxmgr.study.probes.reading.history import CommandRun, FileUse, SessionHistory
from ctxmgr.study.probes.reading.messages import SessionCall, SessionMessage, name_words, read_message

__all__ = [
    "CommandRun",
    "FileUse",
    "SessionCall",
    "SessionHistory",
    "SessionMessage",
    "command_line",
    "name_words",
    "read_message",
    "wording",
]
