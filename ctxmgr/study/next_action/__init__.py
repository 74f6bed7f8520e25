"""Measures whether another list changes what the model does next: `ctxmgr ab --next-action`.

`requests` writes each list for a model's API, `actions` reads the tool and its target from an answer and compares,
and `command` finds the calls whose list ctxmgr changes, sends requests and shows results.
"""

from ctxmgr.study.next_action import command

__all__ = ["command"]
