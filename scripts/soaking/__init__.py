"""A sidecar under faults for as long as wanted: what it answered it must know, whatever ended it."""

from scripts.soaking.driving import Outcome, Plan, soak

__all__ = ["Outcome", "Plan", "soak"]
