"""The kinds of probes: from the history of a session, and a place in it, to the questions that it answers by then.

A family a file. They know nothing of policies, lists or grades.
"""

from ctxmgr.study.probes.kinds.families import probes

__all__ = ["probes"]
