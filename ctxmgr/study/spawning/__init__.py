"""A sidecar spawned or in process, and a conversation with it."""
