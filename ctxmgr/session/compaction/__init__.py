"""The long calls that end with a compaction or a branch summary. Runs no model."""

from ctxmgr.session.compaction import branch_summary, compact, completions, job_context

__all__ = ["branch_summary", "compact", "completions", "job_context"]
