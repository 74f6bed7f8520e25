"""Reads from the bytes of messages what happened in a session: files, runs, commits, tasks, names.

Deliberately separate from the engine's reader of tool calls: what measures a policy must not share its recognition.
It must know neither `ctxmgr.engine` nor `ctxmgr.summarize`, no policy and no probe.
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
