"""The long calls that end with a compaction or a branch summary. Does not run a model."""

from typing import TYPE_CHECKING

from ctxmgr.late import late_modules

if TYPE_CHECKING:
    from ctxmgr.session.compaction import branch_summary, compact, job_context
else:
    __getattr__ = late_modules(__name__, "branch_summary", "compact", "job_context")

__all__ = ["branch_summary", "compact", "job_context"]
