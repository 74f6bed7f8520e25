"""The recordings of OpenHands, in its three shapes. Knows no other host's."""

from ctxmgr.study.recordings.openhands import completions, events, sdk

__all__ = ["completions", "events", "sdk"]
