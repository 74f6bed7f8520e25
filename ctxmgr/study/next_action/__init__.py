"""Measures whether another list changes what the model does next: `ctxmgr ab --next-action`.

`lists` finds the calls of a recording whose list ctxmgr changes, `requests` writes each list for a model's API,
`actions` reads the tool and its target from an answer, `verdict` compares, and `command` sends requests and shows
results.
"""

from ctxmgr.study.next_action import command

__all__ = ["command"]
