"""The command `replay`: drives a recorded session through the sidecar and measures what came of it."""
