"""What a summary still holds of what it replaces: removed messages and a text into shares, by no judge."""

from ctxmgr.study.compare.retention.retained import MentionCounts, Retention, measure, mentioned

__all__ = ["MentionCounts", "Retention", "measure", "mentioned"]
