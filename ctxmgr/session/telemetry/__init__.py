"""What a session did, as events for who watches many: numbers, and words of ours. Knows no wire and no clock."""

from ctxmgr.session.telemetry.calls import call_events, job_event

__all__ = ["call_events", "job_event"]
