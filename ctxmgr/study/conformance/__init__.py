"""The command `conform`: both sides of the protocol, played from transcripts."""
