"""Drives a recorded session through a sidecar as its host would, and says what came of it. Knows no measure."""
