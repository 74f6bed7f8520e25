"""The command `replay`: drives recordings, measures what came of it, and replays transcripts."""
