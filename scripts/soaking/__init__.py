"""Runs a sidecar under faults for any length of time: it must know whatever it answered, however it ended."""

from scripts.soaking.driving import Outcome, Plan, soak

__all__ = ["Outcome", "Plan", "soak"]
