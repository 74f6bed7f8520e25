"""What a compaction or a branch summary is planned from and asked of a model. Knows no policy and no session."""
