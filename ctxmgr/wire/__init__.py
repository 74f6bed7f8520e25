"""Floor 1: what stands on the wire: framing, envelope, methods, errors, transcripts. Knows no engine."""
