"""Floor 4: one device a file: standard streams, vocabularies, snapshots."""
