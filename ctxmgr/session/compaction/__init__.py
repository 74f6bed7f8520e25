"""The long calls that end with a compaction or a branch summary. Runs no model."""
