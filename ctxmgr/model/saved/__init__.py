"""What outlives a restart: a session's state and what it is made of. A renamed field keeps its name on disk."""
