"""The kinds of probes: from the history of a session, and a place in it, to the questions that it answers by then.

A family a file. They know nothing of policies, lists or grades.
"""

from ctxmgr.study.probes.kinds.commands import COMMAND_CHARACTERS
from ctxmgr.study.probes.kinds.families import probes
from ctxmgr.study.probes.kinds.user import answered

__all__ = ["COMMAND_CHARACTERS", "answered", "probes"]
