"""Whether a model that asks gets back what its list does not hold any more: by `search`, then by `retrieve`."""

from ctxmgr.study.finding.measuring import KINDS, FindingCount, finding
from ctxmgr.study.finding.tables import failed_lines, finding_table

__all__ = ["FindingCount", "KINDS", "failed_lines", "finding", "finding_table"]
