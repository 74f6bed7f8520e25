"""Policies on many recordings, on this machine or a cluster: runs what is new, stores results as Parquet, and
reports.
"""

from ctxmgr.study.corpus import command, tasks

__all__ = ["command", "tasks"]
