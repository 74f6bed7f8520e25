"""Where a compaction cuts and what it summarises. Asks no model."""
